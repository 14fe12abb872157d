// The font files beside the drawing service: what was read lately stays in memory, up to a bound.
import { type Face, type FaceIndex, readIndex } from "./font-index.ts";
import type { LoadedFace } from "./renderer.ts";

export interface FontStore {
  index(): Promise<FaceIndex>;
  load(faces: Face[]): Promise<LoadedFace[]>;
}

/** Where the files are served from, such as a Worker's static assets. */
export type Files = Pick<Fetcher, "fetch">;

const KEPT_BYTES = 3 * 1024 * 1024;

export function openFontStore(files: Files): FontStore {
  const kept = new Map<string, Uint8Array>();
  let bytes = 0;
  let index: FaceIndex | null = null;

  async function read(name: string): Promise<Uint8Array> {
    const answer = await files.fetch(`http://fonts/${name}`);
    if (!answer.ok) throw new Error(`The font file ${name} is not there: HTTP ${answer.status}. Run npm run fonts.`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  async function one(face: Face): Promise<LoadedFace> {
    const held = kept.get(face.file);
    const data = held ?? (await read(face.file));
    // The one used last goes to the end, and the first go when there are too many.
    bytes += kept.delete(face.file) ? 0 : data.length;
    kept.set(face.file, data);
    for (const [name, old] of kept) {
      if (bytes <= KEPT_BYTES) break;
      kept.delete(name);
      bytes -= old.length;
    }
    return { ...face, data };
  }

  return {
    // Kept once it is read: a request cannot wait for what another one is reading.
    async index() {
      index ??= readIndex(new TextDecoder().decode(await read("index.json")));
      return index;
    },
    load: (faces) => Promise.all(faces.map(one)),
  };
}
