// Transcription of an hour of video: the requested audio ranges, and CPU, memory and reads of each extraction.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import { readEnv } from "../../lib/services/env.ts";
import { createSpeechToText } from "../../lib/transcription/create-speech-to-text.ts";
import { transcribeRanges } from "../../lib/transcription/transcribe.ts";
import { openRemoteAudio } from "../../lib/transcription/worker-client.ts";
import type { ClipRequest } from "../../lib/transcription/worker-protocol.ts";
import { synthesizeSpeech, type ToneWord } from "../local/fake-speech.ts";
import { hasFfmpeg, WHY_SKIPPED } from "../transcription/ffmpeg.ts";
import type { ResourceUsage } from "./media-worker-process.ts";
import type { BenchContext, Cell, Section, Table } from "./section.ts";

const run = promisify(execFile);
const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const MINUTES = { short: 12, long: 60 };
const MAX_RANGE_MS = 5 * MINUTE_MS;
const MAX_MEMORY_MIB = 100;
/** The words in each minute of the video. */
const WORDS: ToneWord[] = ["hello", "world", "music", "you"].map((text, at) => {
  return { text, startMs: 5_000 + at * 13_000, endMs: 5_400 + at * 13_000 };
});

const section: Section = {
  title: "An hour of speech",

  async run(context) {
    const minutes = context.short ? MINUTES.short : MINUTES.long;
    const title = `Transcribing ${minutes} minutes of 1080p video`;
    if (!hasFfmpeg)
      return [{ title, note: `Skipped: ${WHY_SKIPPED}, which generates the video.`, rows: [], broken: [] }];
    const path = await generateVideo(context, minutes);
    const storage = await serveFile(context, path);
    const { size } = await stat(path);
    context.log(`${minutes} minutes, ${Math.round(size / MIB)} MiB`);
    const worker = await startMediaWorkerProcess(context, storage);
    return [await measure(context, { title, minutes, size, storage, worker })];
  },
};

export default section;

/** Repeats a minute of moving noise at 4.5 Mbit/s with tones as words. */
async function generateVideo({ folder, log }: BenchContext, minutes: number): Promise<string> {
  const [tones, minute, video] = ["tones.f32", "minute.mp4", "hour.mp4"].map((name) => join(folder, name));
  if (!tones || !minute || !video) throw new Error("unreachable");
  log("generating the video");
  await writeFile(tones, new Uint8Array(synthesizeSpeech(WORDS, MINUTE_MS, 48_000).buffer));
  const audio = ["-f", "f32le", "-ar", "48000", "-ac", "1", "-i", tones];
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=24,noise=alls=20:allf=t"];
  const rate = ["-c:v", "libx264", "-preset", "ultrafast", "-b:v", "4500k", "-minrate", "4500k", "-maxrate", "4500k"];
  const encoding = [...rate, "-bufsize", "9000k", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k", "-t", "60"];
  await run("ffmpeg", ["-v", "error", "-y", ...picture, ...audio, ...encoding, minute]);
  const repeat = ["-stream_loop", String(minutes - 1), "-i", minute, "-c", "copy", "-t", String(minutes * 60)];
  await run("ffmpeg", ["-v", "error", "-y", ...repeat, video]);
  return video;
}

interface CountingStorage {
  url: string;
  reads: number;
  bytes: number;
}

/** Serves ranged reads like object storage and counts them. */
async function serveFile({ onCleanup }: BenchContext, path: string): Promise<CountingStorage> {
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
  onCleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  storage.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return storage;
}

interface TranscriptionCall extends ResourceUsage {
  startMs: number;
  endMs: number;
  ms: number;
  kib: number;
  reads: number;
  mibRead: number;
}

interface MediaWorkerProcess {
  calls: TranscriptionCall[];
  fetch(address: string, init: RequestInit): Promise<Response>;
}

/** Starts the media Worker's code in a separate process, with the interface of the service binding. */
async function startMediaWorkerProcess(
  { onCleanup }: BenchContext,
  storage: CountingStorage,
): Promise<MediaWorkerProcess> {
  const child = fork(join(import.meta.dirname, "media-worker-process.ts"), { execArgv: ["--expose-gc"] });
  onCleanup(async () => void child.disconnect());
  const [port] = await once(child, "message");
  const calls: TranscriptionCall[] = [];
  return {
    calls,
    async fetch(address, init) {
      const { startMs, endMs }: ClipRequest = JSON.parse(String(init.body));
      const before = { ...storage };
      const began = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}${new URL(address).pathname}`, init);
      const bytes = await response.arrayBuffer();
      calls.push({
        ...JSON.parse(response.headers.get("x-took") ?? "{}"),
        startMs,
        endMs,
        ms: Math.round(performance.now() - began),
        kib: Math.round(bytes.byteLength / 1024),
        reads: storage.reads - before.reads,
        mibRead: Math.round((storage.bytes - before.bytes) / MIB),
      });
      return new Response(response.status === 204 ? null : bytes, {
        status: response.status,
        headers: response.headers,
      });
    },
  };
}

interface Setup {
  title: string;
  minutes: number;
  size: number;
  storage: CountingStorage;
  worker: MediaWorkerProcess;
}

async function measure({ stack, log }: BenchContext, { title, minutes, size, storage, worker }: Setup): Promise<Table> {
  const env = readEnv({ ...stack.vars, MEDIA: worker, DELIVERIES: {} });
  const speechToText = createSpeechToText({ env, fetch });
  if (!speechToText) throw new Error("the local stack has a speech-to-text service");
  const audio = openRemoteAudio(env, { url: storage.url, size, etag: null, requestId: "bench" });
  const ranges = [{ startMs: 0, endMs: minutes * MINUTE_MS }];
  const began = performance.now();
  const result = await transcribeRanges(speechToText, [], [{ sha256: "bench", ranges, open: async () => audio }]);
  const seconds = (performance.now() - began) / 1000;
  if (result.failure) throw result.failure.error;
  const words = result.words.get("bench")?.length ?? 0;
  log(`${words} words in ${seconds.toFixed(1)} s, ${storage.reads} reads of ${Math.round(storage.bytes / MIB)} MiB`);
  return {
    title,
    note: buildNote(seconds, storage, size),
    rows: worker.calls.map(buildRow),
    broken: findViolations(worker.calls, words, minutes),
  };
}

function buildNote(seconds: number, { reads, bytes }: CountingStorage, size: number): string {
  const all = `${reads} reads of ${Math.round(bytes / MIB)} MiB in all from a file of ${Math.round(size / MIB)} MiB`;
  return `Transcribed in ${seconds.toFixed(1)} s, including the fake speech-to-text service; ${all}. Memory is relative to an idle process.`;
}

function buildRow({
  startMs,
  endMs,
  reads,
  mibRead,
  cpuMs,
  peakMiB,
  ms,
  kib,
}: TranscriptionCall): Record<string, Cell> {
  const minute = (at: number) => (at / MINUTE_MS).toFixed(2);
  return {
    minutes: `${minute(startMs)} to ${minute(endMs)}`,
    reads,
    "MiB read": mibRead,
    "CPU ms": cpuMs,
    "MiB in use": peakMiB,
    ms,
    "KiB of audio": kib,
  };
}

function findViolations(calls: TranscriptionCall[], words: number, minutes: number): string[] {
  const expected = WORDS.length * minutes;
  const longest = Math.max(...calls.map(({ startMs, endMs }) => endMs - startMs));
  const largest = Math.max(...calls.map(({ peakMiB }) => peakMiB));
  return [
    ...(words === expected ? [] : [`${words} of ${expected} words were recognized`]),
    ...(longest <= MAX_RANGE_MS ? [] : [`a range of ${longest} ms was requested, the limit is ${MAX_RANGE_MS}`]),
    ...(largest < MAX_MEMORY_MIB ? [] : [`${largest} MiB were in use, the limit is ${MAX_MEMORY_MIB}`]),
  ];
}
