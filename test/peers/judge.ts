// Compares the verdict of our verification with that of another program: ImageMagick's identify for images, ffprobe for videos.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { verifyMedia } from "../../lib/media/verify-media.ts";
import { createCountedSource } from "../media/sources.ts";

export interface Judgement {
  /** `accepted`, or the failed check. */
  ours: string;
  /** `complains`: opens it, and reports errors. */
  peer: "opens" | "complains" | "rejects";
}

const TIMEOUT_MS = 60_000;

export async function judgeFile(path: string, contentType: string): Promise<Judgement> {
  const verdict = await verifyMedia(createCountedSource(new Uint8Array(readFileSync(path))), contentType);
  const peer = contentType.startsWith("image/") ? identify(path) : probe(path);
  return { ours: verdict.ok ? "accepted" : verdict.check, peer };
}

/** Returns a sentence when a program is missing. */
export function findMissingPeer(): string | null {
  const missing = ["identify", "ffprobe"].filter((name) => spawnSync(name, ["-version"]).error);
  return missing.length > 0 ? `${missing.join(" and ")} not installed (Debian: imagemagick, ffmpeg)` : null;
}

function identify(path: string): Judgement["peer"] {
  const { status, stderr } = spawnSync("identify", ["-format", "%w", path], { encoding: "utf8", timeout: TIMEOUT_MS });
  if (status !== 0) return "rejects";
  return stderr.trim() === "" ? "opens" : "complains";
}

/** It opens a video when it finds a video stream. */
function probe(path: string): Judgement["peer"] {
  const flags = ["-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name", "-of", "csv=p=0", path];
  const { status, stdout, stderr } = spawnSync("ffprobe", flags, { encoding: "utf8", timeout: TIMEOUT_MS });
  if (status !== 0 || stdout.trim() === "") return "rejects";
  return stderr.trim() === "" ? "opens" : "complains";
}
