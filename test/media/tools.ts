// ffmpeg and ImageMagick, which make files for the tests and judge ours; where they are missing, those tests are skipped.
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

if (!tools)
  process.stderr.write("Skipped: tests with files made by ffmpeg and ImageMagick, which are not installed.\n");

function findTools(): Tools | null {
  const magick = MAGICK.find((name) => answers(name, "-version", "ImageMagick"));
  if (!magick || !answers("ffmpeg", "-version", "ffmpeg") || !answers("ffprobe", "-version", "ffprobe")) return null;
  return { ffmpeg: "ffmpeg", ffprobe: "ffprobe", magick };
}

/** Other programs go by the same name. */
function answers(command: string, flag: string, word: string): boolean {
  const { status, stdout } = spawnSync(command, [flag], { encoding: "utf8" });
  return status === 0 && stdout.includes(word);
}

export const run = promisify(execFile);

export interface Probed {
  width: number;
  height: number;
  durationMs: number | null;
  sound: boolean;
}

interface ProbedStream {
  codec_type: string;
  width?: number;
  height?: number;
  sample_aspect_ratio?: string;
  side_data_list?: { rotation?: number }[];
}

/** What ffprobe says, as it is shown: with the shape of the pixels and the rotation. */
export async function probe({ ffprobe }: Tools, path: string): Promise<Probed> {
  const { stdout } = await run(ffprobe, ["-v", "error", "-of", "json", "-show_format", "-show_streams", path]);
  const { streams, format }: { streams: ProbedStream[]; format: { duration?: string } } = JSON.parse(stdout);
  const video = streams.find((stream) => stream.codec_type === "video");
  const [across = 1, down = 1] = (video?.sample_aspect_ratio ?? "1:1").split(":").map(Number);
  const wide = across > 0 && down > 0 ? across / down : 1;
  const [width, height] = [Math.round((video?.width ?? 0) * wide), video?.height ?? 0];
  const turned = (video?.side_data_list ?? []).some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90);
  return {
    width: turned ? height : width,
    height: turned ? width : height,
    durationMs: format.duration === undefined ? null : Math.round(Number(format.duration) * 1000),
    sound: streams.some((stream) => stream.codec_type === "audio"),
  };
}

/** What ffmpeg complains about when it decodes the whole file; an empty string for a file that is fine. */
export async function complaints({ ffmpeg }: Tools, path: string): Promise<string> {
  const flags = ["-nostdin", "-v", "error", "-i", path, "-f", "null", "-"];
  const done = await run(ffmpeg, flags, { timeout: 60_000 }).catch((error: { stderr?: string }) => error);
  return done.stderr?.trim() || ("code" in done ? "ffmpeg failed" : "");
}
