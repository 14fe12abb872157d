// The video of `npm run demo`, made large by a box of free space, which players skip.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../.bench");
const DEMO = join(import.meta.dirname, "../local/demo.mp4");
const BOX_HEADER_BYTES = 8;

/** Writes a video of that size and returns its path; 0 leaves it as it is. */
export async function createLargeVideo(megabytes: number): Promise<string> {
  const demo = await readFile(DEMO);
  const missing = Math.max(0, megabytes * 1_000_000 - demo.length);
  const box = Buffer.alloc(missing);
  if (missing >= BOX_HEADER_BYTES) {
    box.writeUInt32BE(missing);
    box.write("free", 4, "latin1");
  }
  await mkdir(FOLDER, { recursive: true });
  const path = join(FOLDER, `video-${megabytes}.mp4`);
  await writeFile(path, Buffer.concat([demo, box]));
  return path;
}
