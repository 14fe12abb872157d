// Creates and checks files with ffmpeg, if it is installed.
import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const hasFfmpeg = isInstalled();
export const WHY_SKIPPED = "ffmpeg is not installed";

// Not via the reporter, which hides the output of passing files.
if (!hasFfmpeg) process.stderr.write(`Skipped: tests that need ffmpeg: ${WHY_SKIPPED}\n`);

function isInstalled(): boolean {
  try {
    execFileSync("ffmpeg", ["-version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Runs ffmpeg on the inputs, stored under their names. Throws with everything that it prints to stderr. */
export async function runFfmpeg(
  inputs: Record<string, Uint8Array>,
  args: (path: (name: string) => string) => string[],
  output: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), "partner-api-ffmpeg-"));
  const path = (name: string) => join(folder, name);
  try {
    for (const [name, bytes] of Object.entries(inputs)) await writeFile(path(name), bytes);
    const { stderr } = await run("ffmpeg", ["-v", "error", "-y", ...args(path), path(output)]);
    if (stderr.trim() !== "") throw new Error(stderr);
    return new Uint8Array(await readFile(path(output)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const RATE = 16_000;

/** The audio of a file as decoded by ffmpeg, mixed down to one channel. */
export async function decodeSamples(name: string, bytes: Uint8Array): Promise<{ samples: Float32Array; rate: number }> {
  const plain = ["-vn", "-f", "f32le", "-ac", "1", "-ar", String(RATE)];
  const raw = await runFfmpeg({ [name]: bytes }, (path) => ["-i", path(name), ...plain], "out.f32");
  return { samples: new Float32Array(raw.buffer), rate: RATE };
}
