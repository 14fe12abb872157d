// ffmpeg and ImageMagick, which create and check files for the tests. Without them, those tests are skipped.
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

export interface Tools {
  ffmpeg: string;
  ffprobe: string;
  magick: string;
}

const MAGICK = ["magick", "/usr/bin/convert", "convert-im6", "convert"];

/** Null when one of them is not installed. */
export const tools = findTools();

if (!tools) process.stderr.write("Skipped: tests that need ffmpeg and ImageMagick, which are not installed.\n");

function findTools(): Tools | null {
  const magick = MAGICK.find((name) => isInstalled(name, "-version", "ImageMagick"));
  if (!magick || !isInstalled("ffmpeg", "-version", "ffmpeg") || !isInstalled("ffprobe", "-version", "ffprobe"))
    return null;
  return { ffmpeg: "ffmpeg", ffprobe: "ffprobe", magick };
}

/** Checks the output, because other programs have the same name. */
function isInstalled(command: string, flag: string, word: string): boolean {
  const { status, stdout } = spawnSync(command, [flag], { encoding: "utf8" });
  return status === 0 && stdout.includes(word);
}

export const runCommand = promisify(execFile);

export interface ProbeResult {
  width: number;
  height: number;
  durationMs: number | null;
  hasAudio: boolean;
}

interface ProbedStream {
  codec_type: string;
  width?: number;
  height?: number;
  sample_aspect_ratio?: string;
  side_data_list?: { rotation?: number }[];
}

/** Probes a file. The size is as displayed, after pixel aspect ratio and rotation. */
export async function probeFile({ ffprobe }: Tools, path: string): Promise<ProbeResult> {
  const { stdout } = await runCommand(ffprobe, ["-v", "error", "-of", "json", "-show_format", "-show_streams", path]);
  const { streams, format }: { streams: ProbedStream[]; format: { duration?: string } } = JSON.parse(stdout);
  const video = streams.find((stream) => stream.codec_type === "video");
  const [across = 1, down = 1] = (video?.sample_aspect_ratio ?? "1:1").split(":").map(Number);
  const wide = across > 0 && down > 0 ? across / down : 1;
  const [width, height] = [Math.round((video?.width ?? 0) * wide), video?.height ?? 0];
  const rotated = (video?.side_data_list ?? []).some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90);
  return {
    width: rotated ? height : width,
    height: rotated ? width : height,
    durationMs: format.duration === undefined ? null : Math.round(Number(format.duration) * 1000),
    hasAudio: streams.some((stream) => stream.codec_type === "audio"),
  };
}

/** Errors that ffmpeg reports when it decodes the whole file; empty for a valid file. */
export async function getFfmpegErrors({ ffmpeg }: Tools, path: string): Promise<string> {
  const flags = ["-nostdin", "-v", "error", "-i", path, "-f", "null", "-"];
  const done = await runCommand(ffmpeg, flags, { timeout: 60_000 }).catch((error: { stderr?: string }) => error);
  return done.stderr?.trim() || ("code" in done ? "ffmpeg failed" : "");
}
