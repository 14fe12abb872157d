// Verification of uploads: reads, CPU and memory for large videos.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import type { Verdict } from "../../lib/media/verify-media.ts";
import type { VerifyRequest } from "../../lib/media/worker.ts";
import { type Tools, tools } from "../media/media-tools.ts";
import { createClient, postWithLongTimeout } from "./client.ts";
import type { ResourceUsage } from "./media-worker-process.ts";
import { findDescendants, measureUsage, resetPeakMemory } from "./process-usage.ts";
import type { BenchContext, Cell, Section, Table } from "./section.ts";
import { type StoredFile, serveFile } from "./stored-file.ts";

const run = promisify(execFile);
const MIB = 1024 * 1024;
const GB = 1e9;
const SIZE = { short: 256 * MIB, long: 2048 * MIB };
const MAX_READ_MIB = 24;
const MAX_MEMORY_GROWTH_MIB = 100;

/** Large videos are generated from short ones, with these arguments of ffmpeg. */
const LARGE_VIDEOS: Record<string, { contentType: string; from: "h264.mp4" | "vp8.webm"; args: string[] }> = {
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
    if (!tools) return [{ title, note: "Skipped: ffmpeg and ImageMagick are not installed.", rows: [], broken: [] }];
    const size = context.short ? SIZE.short : SIZE.long;
    await generateSourceVideos(tools, context);
    const large = await measureLarge(tools, context, size);
    const worker = await measureWorker(tools, context, size);
    return [large, worker];
  },
};

export default section;

/** Generates eight seconds of moving noise at 12 Mbit/s, as H.264 and as VP8. */
async function generateSourceVideos({ ffmpeg }: Tools, { folder }: BenchContext): Promise<void> {
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

async function generateLargeVideo(
  { ffmpeg }: Tools,
  { folder }: BenchContext,
  name: string,
  size: number,
): Promise<string> {
  const { from = "h264.mp4", args = [] } = LARGE_VIDEOS[name] ?? {};
  const path = join(folder, `large-${name}`);
  const repeat = ["-v", "error", "-y", "-stream_loop", "-1", "-i", join(folder, from), "-c", "copy"];
  await run(ffmpeg, [...repeat, "-fs", String(size), ...args, path]);
  return path;
}

async function measureLarge(tools: Tools, context: BenchContext, size: number): Promise<Table> {
  const child = fork(join(import.meta.dirname, "media-worker-process.ts"), { execArgv: ["--expose-gc"] });
  context.onCleanup(async () => void (child.connected && child.disconnect()));
  const [port] = await once(child, "message");
  const rows: Record<string, Cell>[] = [];
  const broken: string[] = [];
  for (const [name, { contentType }] of Object.entries(LARGE_VIDEOS)) {
    const path = await generateLargeVideo(tools, context, name, size);
    const stored = await serveFile(context, path);
    const total = await countFrames(tools, path);
    const { verdict, usage, seconds } = await verifyInProcess(port, stored, contentType);
    if (!verdict.ok) throw new Error(`${name} was rejected: ${verdict.message}`);
    const checked = verdict.media.video?.frames ?? 0;
    const mibRead = round(stored.bytes / MIB);
    const perGb = round(usage.cpuMs / 1000 / (stored.size / GB));
    rows.push({
      what: name,
      MiB: Math.round(stored.size / MIB),
      frames: `${checked} of ${total}`,
      passes: stored.passes,
      "other reads": stored.reads,
      "MiB of other reads": mibRead,
      seconds,
      "CPU s per GB": perGb,
      "MiB in use": usage.peakMiB,
    });
    context.log(`${name}: ${seconds} s, ${perGb} s of CPU per GB, ${usage.peakMiB} MiB in use`);
    if (checked !== total) broken.push(`${checked} of the ${total} frames of ${name} were checked`);
    if (mibRead >= MAX_READ_MIB) broken.push(`${mibRead} MiB of ${name} were read in addition to the pass`);
    if (usage.peakMiB >= MAX_MEMORY_GROWTH_MIB) broken.push(`${usage.peakMiB} MiB were in use for ${name}`);
    await rm(path);
  }
  child.disconnect();
  return {
    title: "Verifying large videos",
    note:
      "The media Worker's code in a Node process: one pass over the file hashes it and checks every frame. CPU includes " +
      "receiving the bytes over HTTP. Memory is relative to an idle process. " +
      `Limits: every frame, ${MAX_READ_MIB} MiB in addition to the pass, ${MAX_MEMORY_GROWTH_MIB} MiB of memory.`,
    rows,
    broken,
  };
}

async function verifyInProcess(port: number, { url, size }: StoredFile, contentType: string) {
  const request: VerifyRequest = { url, size, etag: null, requestId: "bench", contentType };
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/verify`, { method: "POST", body: JSON.stringify(request) });
  if (!response.ok) throw new Error(await response.text());
  const verdict: Verdict = await response.json();
  const usage: ResourceUsage = JSON.parse(response.headers.get("x-took") ?? "{}");
  return { verdict, usage, seconds: round((performance.now() - began) / 1000) };
}

async function countFrames({ ffprobe }: Tools, path: string): Promise<number> {
  const options = ["-select_streams", "v:0", "-count_packets", "-show_entries", "stream=nb_read_packets"];
  const { stdout } = await run(ffprobe, ["-v", "error", ...options, "-of", "csv=p=0", path]);
  return Number.parseInt(stdout, 10);
}

interface StartedUpload {
  id: string;
  partSize: number;
  partCount: number;
  parts: { partNumber: number; url: string; size: number }[];
}

/** Measures the same over HTTP: a multipart upload completed by the Workers. */
async function measureWorker(tools: Tools, context: BenchContext, size: number): Promise<Table> {
  const { worker, log } = context;
  const path = await generateLargeVideo(tools, context, "index-last.mp4", size);
  const stored = await serveFile(context, path);
  const api = createClient(context, "workspace");
  const began = performance.now();
  const body = { contentType: "video/mp4", filename: "large.mp4", size: stored.size };
  const started = await api.call<StartedUpload>("POST", "/files/multipart", { body });
  const parts = await sendParts(started, path, async (partNumbers) => {
    const response = await api.call<Pick<StartedUpload, "parts">>("POST", `/files/multipart/${started.id}/parts`, {
      body: { partNumbers },
    });
    return response.parts;
  });
  const sent = performance.now();
  log(`${started.partCount} parts sent in ${round((sent - began) / 1000)} s`);
  const workers = findDescendants(worker.pid(), "workerd");
  resetPeakMemory(workers);
  const before = measureUsage(workers);
  const { response, ms } = await postWithLongTimeout(context, `/files/multipart/${started.id}/complete`, { parts });
  if (response.status !== 200) throw new Error(`Completing the upload failed: ${await response.text()}`);
  const after = measureUsage(workers);
  await rm(path);
  const cpu = before && after ? round((after.cpuSeconds - before.cpuSeconds) / (stored.size / GB)) : null;
  const grown = before && after ? Math.round(after.peakMiB - before.residentMiB) : null;
  log(`completed in ${round(ms / 1000)} s, ${cpu} s of CPU per GB, the Workers' processes grew by ${grown} MiB`);
  return {
    title: `A video of ${Math.round(stored.size / MIB)} MiB in parts through the Workers`,
    note:
      "Completing assembles the parts, verifies and copies. CPU and memory are those of the workerd processes that run all " +
      "Workers; memory is the growth of the peak resident size.",
    rows: [
      {
        step: `${started.partCount} parts of ${Math.round(started.partSize / MIB)} MiB`,
        seconds: round((sent - began) / 1000),
      },
      { step: "complete", seconds: round(ms / 1000), "CPU s per GB": cpu, "MiB grown": grown },
    ],
    broken: grown !== null && grown >= MAX_MEMORY_GROWTH_MIB ? [`the Workers' processes grew by ${grown} MiB`] : [],
  };
}

async function sendParts(
  started: StartedUpload,
  path: string,
  fetchUrls: (numbers: number[]) => Promise<StartedUpload["parts"]>,
) {
  const parts: { partNumber: number; etag: string }[] = [];
  let urls = started.parts;
  for (let number = 1; number <= started.partCount; number++) {
    let part = urls.find(({ partNumber }) => partNumber === number);
    if (!part) {
      const numbers = Array.from({ length: Math.min(100, started.partCount - number + 1) }, (_, i) => number + i);
      urls = await fetchUrls(numbers);
      part = urls.find(({ partNumber }) => partNumber === number);
    }
    if (!part) throw new Error(`Part ${number} has no URL`);
    const start = (number - 1) * started.partSize;
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { start, end: start + part.size - 1 })) chunks.push(chunk);
    const put = await fetch(part.url, { method: "PUT", body: new Uint8Array(Buffer.concat(chunks)) });
    if (!put.ok) throw new Error(`The storage returned ${put.status}: ${await put.text()}`);
    parts.push({ partNumber: number, etag: put.headers.get("etag") ?? "" });
  }
  return parts;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
