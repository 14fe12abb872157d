// Creates valid files of every kind with ffmpeg and ImageMagick.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand, type Tools } from "./media-tools.ts";

export interface GoodFile {
  name: string;
  contentType: string;
  bytes: Uint8Array;
  path: string;
}

const TEST_PATTERN = "testsrc2=s=320x240:r=25,noise=alls=8:allf=t";
const VIDEO = ["-f", "lavfi", "-i", TEST_PATTERN];
const AUDIO = ["-f", "lavfi", "-i", "sine=440"];
const H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p"];
const AVC = [...VIDEO, ...AUDIO, "-t", "2", ...H264, "-bf", "2", "-c:a", "aac"];

const VIDEOS: Record<string, { contentType: string; args: string[] }> = {
  "moov-first.mp4": { contentType: "video/mp4", args: [...AVC, "-movflags", "faststart"] },
  "moov-last.mp4": { contentType: "video/mp4", args: AVC },
  "fragmented.mp4": { contentType: "video/mp4", args: [...AVC, "-movflags", "frag_keyframe+empty_moov"] },
  "fragmented-after-index.mp4": { contentType: "video/mp4", args: [...AVC, "-movflags", "frag_keyframe"] },
  "many-fragments.mp4": {
    contentType: "video/mp4",
    args: [...AVC, "-movflags", "empty_moov+default_base_moof", "-frag_duration", "200000"],
  },
  "no-audio.mp4": { contentType: "video/mp4", args: [...VIDEO, "-t", "1.32", ...H264] },
  "one-frame.mp4": { contentType: "video/mp4", args: [...VIDEO, "-frames:v", "1", ...H264] },
  "audio-outlasts-video.mp4": {
    contentType: "video/mp4",
    args: ["-f", "lavfi", "-i", `${TEST_PATTERN},trim=duration=1`, ...AUDIO, "-t", "2.5", ...H264, "-c:a", "aac"],
  },
  "wide-pixels.mp4": { contentType: "video/mp4", args: [...VIDEO, "-t", "1", "-vf", "setsar=4/3", ...H264] },
  "black.mp4": { contentType: "video/mp4", args: ["-f", "lavfi", "-i", "color=black:s=640x360", "-t", "1", ...H264] },
  "one-per-second.mp4": { contentType: "video/mp4", args: [...VIDEO, "-r", "1", "-t", "5", ...H264, "-bf", "2"] },
  "moving.webp": { contentType: "image/webp", args: [...VIDEO, "-t", "0.4", "-c:v", "libwebp_anim"] },
  "hevc.mp4": {
    contentType: "video/mp4",
    args: [
      ...VIDEO,
      "-t",
      "1",
      "-c:v",
      "libx265",
      "-preset",
      "ultrafast",
      "-tag:v",
      "hvc1",
      "-x265-params",
      "log-level=none",
    ],
  },
  "clip.mov": { contentType: "video/quicktime", args: AVC },
  "prores.mov": {
    contentType: "video/quicktime",
    args: [...VIDEO, ...AUDIO, "-t", "0.4", "-c:v", "prores_ks", "-c:a", "pcm_s16le"],
  },
  "vp9.webm": {
    contentType: "video/webm",
    args: [
      ...VIDEO,
      ...AUDIO,
      "-t",
      "2",
      "-c:v",
      "libvpx-vp9",
      "-deadline",
      "realtime",
      "-cpu-used",
      "8",
      "-c:a",
      "libopus",
    ],
  },
  "vp8.webm": {
    contentType: "video/webm",
    args: [
      ...VIDEO,
      ...AUDIO,
      "-t",
      "2",
      "-c:v",
      "libvpx",
      "-deadline",
      "realtime",
      "-cpu-used",
      "8",
      "-c:a",
      "libvorbis",
    ],
  },
  "av1.webm": {
    contentType: "video/webm",
    args: [...VIDEO, "-t", "1", "-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used", "8", "-pix_fmt", "yuv420p"],
  },
};

const STILL_ARGS = ["-size", "320x240", "plasma:red-blue", "-seed", "7"];
const ANIMATED_ARGS = [
  "-size",
  "160x120",
  "-seed",
  "7",
  "plasma:red-blue",
  "plasma:green-yellow",
  "plasma:black-white",
];

const IMAGES: Record<string, { contentType: string; args: string[] }> = {
  "baseline.jpg": { contentType: "image/jpeg", args: [...STILL_ARGS, "-quality", "85"] },
  "progressive.jpg": { contentType: "image/jpeg", args: [...STILL_ARGS, "-interlace", "JPEG"] },
  "gray.jpg": { contentType: "image/jpeg", args: [...STILL_ARGS, "-colorspace", "Gray"] },
  "cmyk.jpg": { contentType: "image/jpeg", args: [...STILL_ARGS, "-colorspace", "CMYK"] },
  "true-colour.png": { contentType: "image/png", args: STILL_ARGS },
  "palette.png": { contentType: "image/png", args: [...STILL_ARGS, "-colors", "16"] },
  "interlaced.png": { contentType: "image/png", args: [...STILL_ARGS, "-interlace", "PNG"] },
  "deep.png": { contentType: "image/png", args: [...STILL_ARGS, "-depth", "16"] },
  "lossy.webp": { contentType: "image/webp", args: [...STILL_ARGS, "-quality", "80"] },
  "lossless.webp": { contentType: "image/webp", args: [...STILL_ARGS, "-define", "webp:lossless=true"] },
  "see-through.webp": {
    contentType: "image/webp",
    args: [...STILL_ARGS, "-alpha", "set", "-channel", "A", "-evaluate", "set", "50%", "-quality", "80"],
  },
  "several-frames.webp": { contentType: "image/webp", args: ANIMATED_ARGS },
  "still.gif": { contentType: "image/gif", args: STILL_ARGS },
  "moving.gif": { contentType: "image/gif", args: ["-delay", "10", ...ANIMATED_ARGS, "-loop", "0"] },
};

/** Creates all files, or those with the given names, in a folder that the caller removes. */
export async function createCorpus(tools: Tools, folder: string, names?: string[]): Promise<GoodFile[]> {
  const files: GoodFile[] = [];
  const isWanted = ([name]: [string, unknown]) => names?.includes(name) ?? true;
  for (const [name, { contentType, args }] of Object.entries(IMAGES).filter(isWanted)) {
    await runCommand(tools.magick, [...args, join(folder, name)]);
    files.push(await readGoodFile(folder, name, contentType));
  }
  for (const [name, { contentType, args }] of Object.entries(VIDEOS).filter(isWanted)) {
    await runCommand(tools.ffmpeg, ["-nostdin", "-v", "error", "-y", ...args, join(folder, name)]);
    files.push(await readGoodFile(folder, name, contentType));
  }
  return files;
}

async function readGoodFile(folder: string, name: string, contentType: string): Promise<GoodFile> {
  const path = join(folder, name);
  return { name, contentType, path, bytes: new Uint8Array(await readFile(path)) };
}
