// An hour of video heard: in which ranges its sound is asked for, what each takes to cut out, and what is read for it.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import { readEnv } from "../../lib/env.ts";
import { hear } from "../../lib/speech/hear.ts";
import type { SoundOrder } from "../../lib/speech/order.ts";
import { recogniserOf } from "../../lib/speech/recogniser.ts";
import { remoteSound } from "../../lib/speech/remote.ts";
import { speak, type ToneWord } from "../local/tones.ts";
import { hasFfmpeg, WHY_SKIPPED } from "../speech/ffmpeg.ts";
import type { Took } from "./hearing-process.ts";
import type { Cell, Context, Section, Table } from "./section.ts";

const run = promisify(execFile);
const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const MINUTES = { short: 12, long: 60 };
const RANGE_AT_MOST_MS = 5 * MINUTE_MS;
const LIVE_AT_MOST_MIB = 100;
/** In each minute of the video. */
const WORDS: ToneWord[] = ["hello", "world", "music", "you"].map((text, at) => {
  return { text, startMs: 5_000 + at * 13_000, endMs: 5_400 + at * 13_000 };
});

const section: Section = {
  title: "An hour of speech",

  async run(context) {
    const minutes = context.short ? MINUTES.short : MINUTES.long;
    const title = `Hearing ${minutes} minutes of 1080p video`;
    if (!hasFfmpeg) return [{ title, note: `Left out: ${WHY_SKIPPED}, which makes the video.`, rows: [], broken: [] }];
    const path = await makeVideo(context, minutes);
    const storage = await serveFile(context, path);
    const { size } = await stat(path);
    context.say(`${minutes} minutes, ${Math.round(size / MIB)} MiB`);
    const worker = await startHearing(context, storage);
    return [await measure(context, { title, minutes, size, storage, worker })];
  },
};

export default section;

/** A minute of moving noise at 4.5 Mbit/s with tones for words, again and again. */
async function makeVideo({ folder, say }: Context, minutes: number): Promise<string> {
  const [tones, minute, video] = ["tones.f32", "minute.mp4", "hour.mp4"].map((name) => join(folder, name));
  if (!tones || !minute || !video) throw new Error("three paths");
  say("the video is being made");
  await writeFile(tones, new Uint8Array(speak(WORDS, MINUTE_MS, 48_000).buffer));
  const sound = ["-f", "f32le", "-ar", "48000", "-ac", "1", "-i", tones];
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=24,noise=alls=20:allf=t"];
  const rate = ["-c:v", "libx264", "-preset", "ultrafast", "-b:v", "4500k", "-minrate", "4500k", "-maxrate", "4500k"];
  const coded = [...rate, "-bufsize", "9000k", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k", "-t", "60"];
  await run("ffmpeg", ["-v", "error", "-y", ...picture, ...sound, ...coded, minute]);
  const again = ["-stream_loop", String(minutes - 1), "-i", minute, "-c", "copy", "-t", String(minutes * 60)];
  await run("ffmpeg", ["-v", "error", "-y", ...again, video]);
  return video;
}

interface Storage {
  url: string;
  reads: number;
  bytes: number;
}

/** Answers ranged reads as a bucket does, and counts them. */
async function serveFile({ atEnd }: Context, path: string): Promise<Storage> {
  const storage = { url: "", reads: 0, bytes: 0 };
  const { size } = await stat(path);
  const server = createServer((request, response) => {
    const [, from = "0", until = "0"] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    const [start, end] = [Number(from), Number(until)];
    storage.reads += 1;
    storage.bytes += end - start + 1;
    response.writeHead(206, { "content-range": `bytes ${start}-${end}/${size}`, "content-length": end - start + 1 });
    createReadStream(path, { start, end }).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  storage.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return storage;
}

interface Cut extends Took {
  startMs: number;
  endMs: number;
  ms: number;
  kib: number;
  reads: number;
  mibRead: number;
}

interface Hearing {
  cuts: Cut[];
  fetch(address: string, init: RequestInit): Promise<Response>;
}

/** The media Worker in a process of its own, as the API reaches it. */
async function startHearing({ atEnd }: Context, storage: Storage): Promise<Hearing> {
  const child = fork(join(import.meta.dirname, "hearing-process.ts"), { execArgv: ["--expose-gc"] });
  atEnd(async () => void child.disconnect());
  const [port] = await once(child, "message");
  const cuts: Cut[] = [];
  return {
    cuts,
    async fetch(address, init) {
      const { startMs, endMs }: SoundOrder = JSON.parse(String(init.body));
      const before = { ...storage };
      const began = performance.now();
      const answer = await fetch(`http://127.0.0.1:${port}${new URL(address).pathname}`, init);
      const bytes = await answer.arrayBuffer();
      cuts.push({
        ...JSON.parse(answer.headers.get("x-took") ?? "{}"),
        startMs,
        endMs,
        ms: Math.round(performance.now() - began),
        kib: Math.round(bytes.byteLength / 1024),
        reads: storage.reads - before.reads,
        mibRead: Math.round((storage.bytes - before.bytes) / MIB),
      });
      return new Response(answer.status === 204 ? null : bytes, { status: answer.status, headers: answer.headers });
    },
  };
}

interface Setup {
  title: string;
  minutes: number;
  size: number;
  storage: Storage;
  worker: Hearing;
}

async function measure({ world, say }: Context, { title, minutes, size, storage, worker }: Setup): Promise<Table> {
  const env = readEnv({ ...world.vars, MEDIA: worker, DELIVERIES: {} });
  const recogniser = recogniserOf({ env, fetch });
  if (!recogniser) throw new Error("the local world has a recogniser");
  const sound = remoteSound(env, { url: storage.url, size, etag: null, requestId: "bench" });
  const ranges = [{ startMs: 0, endMs: minutes * MINUTE_MS }];
  const began = performance.now();
  const heard = await hear(recogniser, [], [{ sha256: "bench", ranges, open: async () => sound }]);
  const seconds = (performance.now() - began) / 1000;
  if (heard.failure) throw heard.failure.error;
  const words = heard.words.get("bench")?.length ?? 0;
  say(`${words} words in ${seconds.toFixed(1)} s, ${storage.reads} reads of ${Math.round(storage.bytes / MIB)} MiB`);
  return {
    title,
    note: noteOf(seconds, storage, size),
    rows: worker.cuts.map(rowOf),
    broken: broken(worker.cuts, words, minutes),
  };
}

function noteOf(seconds: number, { reads, bytes }: Storage, size: number): string {
  const all = `${reads} reads of ${Math.round(bytes / MIB)} MiB in all from a file of ${Math.round(size / MIB)} MiB`;
  return `Heard in ${seconds.toFixed(1)} s, the local recogniser included; ${all}. Memory is what is in use beyond an idle process.`;
}

function rowOf({ startMs, endMs, reads, mibRead, cpuMs, liveMiB, ms, kib }: Cut): Record<string, Cell> {
  const minute = (at: number) => (at / MINUTE_MS).toFixed(2);
  return {
    minutes: `${minute(startMs)} to ${minute(endMs)}`,
    reads,
    "MiB read": mibRead,
    "CPU ms": cpuMs,
    "MiB in use": liveMiB,
    ms,
    "KiB of sound": kib,
  };
}

function broken(cuts: Cut[], words: number, minutes: number): string[] {
  const wanted = WORDS.length * minutes;
  const longest = Math.max(...cuts.map(({ startMs, endMs }) => endMs - startMs));
  const largest = Math.max(...cuts.map(({ liveMiB }) => liveMiB));
  return [
    ...(words === wanted ? [] : [`${words} words were heard, ${wanted} are spoken`]),
    ...(longest <= RANGE_AT_MOST_MS ? [] : [`a range of ${longest} ms was asked for, at most ${RANGE_AT_MOST_MS}`]),
    ...(largest < LIVE_AT_MOST_MIB
      ? []
      : [`${largest} MiB were in use at a time, less than ${LIVE_AT_MOST_MIB} is promised`]),
  ];
}
