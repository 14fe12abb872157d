// Files of every kind that are fine, made by ffmpeg and ImageMagick at test time.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { run, type Tools } from "./tools.ts";

export interface GoodFile {
  name: string;
  contentType: string;
  bytes: Uint8Array;
  path: string;
}

const PICTURE = "testsrc2=s=320x240:r=25,noise=alls=8:allf=t";
const VIDEO = ["-f", "lavfi", "-i", PICTURE];
const SOUND = ["-f", "lavfi", "-i", "sine=440"];
const H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p"];
const AVC = [...VIDEO, ...SOUND, "-t", "2", ...H264, "-bf", "2", "-c:a", "aac"];

const VIDEOS: Record<string, { contentType: string; args: string[] }> = {
  "moov-first.mp4": { contentType: "video/mp4", args: [...AVC, "-movflags", "faststart"] },
  "moov-last.mp4": { contentType: "video/mp4", args: AVC },
  "fragmented.mp4": { contentType: "video/mp4", args: [...AVC, "-movflags", "frag_keyframe+empty_moov"] },
  "fragmented-behind-index.mp4": { contentType: "video/mp4", args: [...AVC, "-movflags", "frag_keyframe"] },
  "many-fragments.mp4": {
    contentType: "video/mp4",
    args: [...AVC, "-movflags", "empty_moov+default_base_moof", "-frag_duration", "200000"],
  },
  "no-sound.mp4": { contentType: "video/mp4", args: [...VIDEO, "-t", "1.32", ...H264] },
  "one-frame.mp4": { contentType: "video/mp4", args: [...VIDEO, "-frames:v", "1", ...H264] },
  "sound-outlasts.mp4": {
    contentType: "video/mp4",
    args: ["-f", "lavfi", "-i", `${PICTURE},trim=duration=1`, ...SOUND, "-t", "2.5", ...H264, "-c:a", "aac"],
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
    args: [...VIDEO, ...SOUND, "-t", "0.4", "-c:v", "prores_ks", "-c:a", "pcm_s16le"],
  },
  "vp9.webm": {
    contentType: "video/webm",
    args: [
      ...VIDEO,
      ...SOUND,
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
      ...SOUND,
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

const DRAWN = ["-size", "320x240", "plasma:red-blue", "-seed", "7"];
const MOVING = ["-size", "160x120", "-seed", "7", "plasma:red-blue", "plasma:green-yellow", "plasma:black-white"];

const PICTURES: Record<string, { contentType: string; args: string[] }> = {
  "baseline.jpg": { contentType: "image/jpeg", args: [...DRAWN, "-quality", "85"] },
  "progressive.jpg": { contentType: "image/jpeg", args: [...DRAWN, "-interlace", "JPEG"] },
  "gray.jpg": { contentType: "image/jpeg", args: [...DRAWN, "-colorspace", "Gray"] },
  "cmyk.jpg": { contentType: "image/jpeg", args: [...DRAWN, "-colorspace", "CMYK"] },
  "true-colour.png": { contentType: "image/png", args: DRAWN },
  "palette.png": { contentType: "image/png", args: [...DRAWN, "-colors", "16"] },
  "interlaced.png": { contentType: "image/png", args: [...DRAWN, "-interlace", "PNG"] },
  "deep.png": { contentType: "image/png", args: [...DRAWN, "-depth", "16"] },
  "lossy.webp": { contentType: "image/webp", args: [...DRAWN, "-quality", "80"] },
  "lossless.webp": { contentType: "image/webp", args: [...DRAWN, "-define", "webp:lossless=true"] },
  "see-through.webp": {
    contentType: "image/webp",
    args: [...DRAWN, "-alpha", "set", "-channel", "A", "-evaluate", "set", "50%", "-quality", "80"],
  },
  "one-behind-another.webp": { contentType: "image/webp", args: MOVING },
  "still.gif": { contentType: "image/gif", args: DRAWN },
  "moving.gif": { contentType: "image/gif", args: ["-delay", "10", ...MOVING, "-loop", "0"] },
};

/** All of them, in a folder that the caller removes. */
export async function makeCorpus(tools: Tools, folder: string): Promise<GoodFile[]> {
  const files: GoodFile[] = [];
  for (const [name, { contentType, args }] of Object.entries(PICTURES)) {
    await run(tools.magick, [...args, join(folder, name)]);
    files.push(await goodFile(folder, name, contentType));
  }
  for (const [name, { contentType, args }] of Object.entries(VIDEOS)) {
    await run(tools.ffmpeg, ["-nostdin", "-v", "error", "-y", ...args, join(folder, name)]);
    files.push(await goodFile(folder, name, contentType));
  }
  return files;
}

async function goodFile(folder: string, name: string, contentType: string): Promise<GoodFile> {
  const path = join(folder, name);
  return { name, contentType, path, bytes: new Uint8Array(await readFile(path)) };
}
