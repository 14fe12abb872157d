// Verifying uploads: what a large video costs in reads, processor and memory, and how soon a bad file is refused.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import type { VerifyOrder } from "../../lib/media/service.ts";
import { openTape } from "../../lib/media/tape.ts";
import type { Verdict } from "../../lib/media/verify.ts";
import { type Tools, tools } from "../media/tools.ts";
import { clientOf, postPatiently } from "./client.ts";
import type { Took } from "./hearing-process.ts";
import { costOf, forgetPeaks, processesBelow } from "./process.ts";
import { measureRefusals } from "./refusals.ts";
import type { Cell, Context, Section, Table } from "./section.ts";
import { type StoredFile, serveFile } from "./stored-file.ts";

const run = promisify(execFile);
const MIB = 1024 * 1024;
const GB = 1e9;
const SIZE = { short: 256 * MIB, long: 2048 * MIB };
const READ_AT_MOST_MIB = 24;
const GROWTH_AT_MOST_MIB = 100;

/** How the second of real video is put together to a large one. */
const LARGE: Record<string, { contentType: string; from: "h264.mp4" | "vp8.webm"; args: string[] }> = {
  "index-last.mp4": { contentType: "video/mp4", from: "h264.mp4", args: [] },
  "index-first.mp4": { contentType: "video/mp4", from: "h264.mp4", args: ["-movflags", "faststart"] },
  "fragmented.mp4": { contentType: "video/mp4", from: "h264.mp4", args: ["-movflags", "frag_keyframe+empty_moov"] },
  "clip.mov": { contentType: "video/quicktime", from: "h264.mp4", args: [] },
  "vp8.webm": { contentType: "video/webm", from: "vp8.webm", args: [] },
};

const section: Section = {
  title: "Verifying uploads",

  async run(context) {
    const title = "Verifying uploads";
    if (!tools) return [{ title, note: "Left out: ffmpeg and ImageMagick are not installed.", rows: [], broken: [] }];
    const size = context.short ? SIZE.short : SIZE.long;
    await makeSeconds(tools, context);
    const large = await measureLarge(tools, context, size);
    const worker = await measureWorker(tools, context, size);
    return [large, worker, await measureRefusals(tools, context)];
  },
};

export default section;

/** Eight seconds of moving noise, 12 Mbit/s, and as VP8. */
async function makeSeconds({ ffmpeg }: Tools, { folder }: Context): Promise<void> {
  const picture = ["-f", "lavfi", "-i", "testsrc2=s=1280x720:r=30,noise=alls=40:allf=t"];
  const input = [
    "-v",
    "error",
    "-y",
    ...picture,
    "-f",
    "lavfi",
    "-i",
    "sine=440",
    "-t",
    "8",
    "-b:v",
    "12M",
    "-g",
    "60",
  ];
  const h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"];
  const vp8 = ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"];
  await run(ffmpeg, [...input, ...h264, join(folder, "h264.mp4")]);
  await run(ffmpeg, [...input, ...vp8, join(folder, "vp8.webm")]);
}

async function makeLarge({ ffmpeg }: Tools, { folder }: Context, name: string, size: number): Promise<string> {
  const { from = "h264.mp4", args = [] } = LARGE[name] ?? {};
  const path = join(folder, `large-${name}`);
  const again = ["-v", "error", "-y", "-stream_loop", "-1", "-i", join(folder, from), "-c", "copy"];
  await run(ffmpeg, [...again, "-fs", String(size), ...args, path]);
  return path;
}

async function measureLarge(tools: Tools, context: Context, size: number): Promise<Table> {
  const child = fork(join(import.meta.dirname, "hearing-process.ts"), { execArgv: ["--expose-gc"] });
  context.atEnd(async () => void (child.connected && child.disconnect()));
  const [port] = await once(child, "message");
  const rows: Record<string, Cell>[] = [];
  const broken: string[] = [];
  for (const [name, { contentType }] of Object.entries(LARGE)) {
    const path = await makeLarge(tools, context, name, size);
    const stored = await serveFile(context, path);
    const listed = await countFrames(tools, path);
    const { verdict, took, seconds } = await verifyIn(port, stored, contentType);
    if (!verdict.ok) throw new Error(`${name} was refused: ${verdict.message}`);
    const walked = verdict.media.video?.frames ?? 0;
    const mibRead = round(stored.bytes / MIB);
    const perGb = round(took.cpuMs / 1000 / (stored.size / GB));
    rows.push({
      what: name,
      MiB: Math.round(stored.size / MIB),
      frames: `${walked} of ${listed}`,
      passes: stored.passes,
      "reads beside": stored.reads,
      "MiB of them": mibRead,
      seconds,
      "CPU s per GB": perGb,
      "MiB in use": took.liveMiB,
    });
    context.say(`${name}: ${seconds} s, ${perGb} s of CPU per GB, ${took.liveMiB} MiB in use`);
    if (walked !== listed) broken.push(`${walked} of the ${listed} frames of ${name} were looked at`);
    if (mibRead >= READ_AT_MOST_MIB) broken.push(`${mibRead} MiB of ${name} were read beside the pass`);
    if (took.liveMiB >= GROWTH_AT_MOST_MIB) broken.push(`${took.liveMiB} MiB were in use for ${name}`);
    if (name === "index-last.mp4") rows.unshift(...(await hashing(path, stored.size)));
    await rm(path);
  }
  child.disconnect();
  return {
    title: "Verifying large videos",
    note:
      "The media Worker's own code in a process of Node: one pass over the file, hashed on the way, while every frame is " +
      "looked at. Its CPU includes receiving the bytes over HTTP; hashing reads the file itself. Memory is what is in " +
      `use beyond an idle process. Promised: every frame, under ${READ_AT_MOST_MIB} MiB beside the pass, under ${GROWTH_AT_MOST_MIB} MiB of memory.`,
    rows,
    broken,
  };
}

async function verifyIn(port: number, { url, size }: StoredFile, contentType: string) {
  const order: VerifyOrder = { url, size, etag: null, requestId: "bench", contentType };
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/verify`, { method: "POST", body: JSON.stringify(order) });
  if (!answer.ok) throw new Error(await answer.text());
  const verdict: Verdict = await answer.json();
  const took: Took = JSON.parse(answer.headers.get("x-took") ?? "{}");
  return { verdict, took, seconds: round((performance.now() - began) / 1000) };
}

async function countFrames({ ffprobe }: Tools, path: string): Promise<number> {
  const wanted = ["-select_streams", "v:0", "-count_packets", "-show_entries", "stream=nb_read_packets"];
  const { stdout } = await run(ffprobe, ["-v", "error", ...wanted, "-of", "csv=p=0", path]);
  return Number.parseInt(stdout, 10);
}

/** Hashing alone, by the tape that the checks take their bytes from, and by the system's own program. */
async function hashing(path: string, size: number): Promise<Record<string, Cell>[]> {
  const row = (what: string, seconds: number, cpu: number, sha256: string) => ({
    what,
    MiB: Math.round(size / MIB),
    seconds: round(seconds),
    "CPU s per GB": round(cpu / (size / GB)),
    sha256: sha256.slice(0, 16),
  });
  const began = performance.now();
  const before = process.cpuUsage();
  const file = await open(path);
  const tape = openTape({ size, read: async () => new Uint8Array(), stream: async () => streamOf(file) }, null);
  const sha256 = await tape.finish();
  await file.close();
  const { user, system } = process.cpuUsage(before);
  const ours = row("hashing alone, by 1 MiB", (performance.now() - began) / 1000, (user + system) / 1e6, sha256);
  const then = performance.now();
  const { stdout } = await run("bash", ["-c", 'sha256sum "$0"; times', path]);
  const [, minutes = "0", seconds = "0", sysMinutes = "0", sysSeconds = "0"] =
    /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(stdout) ?? [];
  const cpu = 60 * (Number(minutes) + Number(sysMinutes)) + Number(seconds) + Number(sysSeconds);
  return [ours, row("sha256sum", (performance.now() - then) / 1000, cpu, stdout)];
}

/** A byte stream, as the body of an answer is in a Worker. */
function streamOf(file: FileHandle): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const view = controller.byobRequest?.view;
      if (!view) throw new Error("read by the buffer");
      const room = new Uint8Array(view.buffer, view.byteOffset, Math.min(view.byteLength, MIB));
      const { bytesRead } = await file.read(room);
      controller.byobRequest?.respond(bytesRead);
    },
  });
}

interface Started {
  id: string;
  partSize: number;
  partCount: number;
  parts: { partNumber: number; url: string; size: number }[];
}

/** The same over HTTP: in parts to the bucket, and completed by the Workers. */
async function measureWorker(tools: Tools, context: Context, size: number): Promise<Table> {
  const { worker, say } = context;
  const path = await makeLarge(tools, context, "index-last.mp4", size);
  const stored = await serveFile(context, path);
  const api = clientOf(context, "workspace");
  const began = performance.now();
  const body = { contentType: "video/mp4", filename: "large.mp4", size: stored.size };
  const started = await api.call<Started>("POST", "/files/multipart", { body });
  const parts = await sendParts(started, path, async (partNumbers) => {
    const more = await api.call<Pick<Started, "parts">>("POST", `/files/multipart/${started.id}/parts`, {
      body: { partNumbers },
    });
    return more.parts;
  });
  const sent = performance.now();
  say(`${started.partCount} parts sent in ${round((sent - began) / 1000)} s`);
  const workers = processesBelow(worker.pid(), "workerd");
  forgetPeaks(workers);
  const before = costOf(workers);
  const { answer, ms } = await postPatiently(context, `/files/multipart/${started.id}/complete`, { parts });
  if (answer.status !== 200) throw new Error(`The upload was not completed: ${await answer.text()}`);
  const after = costOf(workers);
  await rm(path);
  const cpu = before && after ? round((after.cpuSeconds - before.cpuSeconds) / (stored.size / GB)) : null;
  const grown = before && after ? Math.round(after.peakMiB - before.residentMiB) : null;
  say(`completed in ${round(ms / 1000)} s, ${cpu} s of CPU per GB, the Workers' processes grew by ${grown} MiB`);
  return {
    title: `A video of ${Math.round(stored.size / MIB)} MiB in parts through the Workers`,
    note:
      "Completing puts the parts together, verifies and copies. CPU and memory are those of the workerd processes that run all " +
      "Workers here; memory counts what was resident at most beyond what was before.",
    rows: [
      {
        step: `${started.partCount} parts of ${Math.round(started.partSize / MIB)} MiB`,
        seconds: round((sent - began) / 1000),
      },
      { step: "complete", seconds: round(ms / 1000), "CPU s per GB": cpu, "MiB grown": grown },
    ],
    broken: grown !== null && grown >= GROWTH_AT_MOST_MIB ? [`the Workers' processes grew by ${grown} MiB`] : [],
  };
}

async function sendParts(started: Started, path: string, more: (numbers: number[]) => Promise<Started["parts"]>) {
  const parts: { partNumber: number; etag: string }[] = [];
  let urls = started.parts;
  for (let number = 1; number <= started.partCount; number++) {
    let part = urls.find(({ partNumber }) => partNumber === number);
    if (!part) {
      const numbers = Array.from({ length: Math.min(100, started.partCount - number + 1) }, (_, i) => number + i);
      urls = await more(numbers);
      part = urls.find(({ partNumber }) => partNumber === number);
    }
    if (!part) throw new Error(`Part ${number} got no URL`);
    const start = (number - 1) * started.partSize;
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { start, end: start + part.size - 1 })) chunks.push(chunk);
    const put = await fetch(part.url, { method: "PUT", body: new Uint8Array(Buffer.concat(chunks)) });
    if (!put.ok) throw new Error(`The bucket answered ${put.status}: ${await put.text()}`);
    parts.push({ partNumber: number, etag: put.headers.get("etag") ?? "" });
  }
  return parts;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
