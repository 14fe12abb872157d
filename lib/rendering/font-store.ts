// Loads font files, with an LRU cache of bounded size.
import { type FontFace, type FontIndex, readFontIndex } from "./font-index.ts";
import type { LoadedFontFace } from "./renderer.ts";

export interface FontStore {
  index(): Promise<FontIndex>;
  load(faces: FontFace[]): Promise<LoadedFontFace[]>;
}

/** Serves the files, such as a Worker's static assets. */
export type FontFiles = Pick<Fetcher, "fetch">;

const CACHE_BYTES = 3 * 1024 * 1024;

export function openFontStore(files: FontFiles): FontStore {
  const cached = new Map<string, Uint8Array>();
  let bytes = 0;
  let index: FontIndex | null = null;

  async function readFile(name: string): Promise<Uint8Array> {
    const response = await files.fetch(`http://fonts/${name}`);
    if (!response.ok)
      throw new Error(
        `The font file ${name} is missing: HTTP ${response.status}. Run npx node functions/build/fonts.ts.`,
      );
    return new Uint8Array(await response.arrayBuffer());
  }

  async function loadFace(face: FontFace): Promise<LoadedFontFace> {
    const cachedData = cached.get(face.file);
    const data = cachedData ?? (await readFile(face.file));
    // Map order is the order of use: the last used file moves to the end, the first ones are evicted.
    bytes += cached.delete(face.file) ? 0 : data.length;
    cached.set(face.file, data);
    for (const [name, old] of cached) {
      if (bytes <= CACHE_BYTES) break;
      cached.delete(name);
      bytes -= old.length;
    }
    return { ...face, data };
  }

  return {
    // The value is cached, not its promise: a Worker request cannot await I/O of another request.
    async index() {
      index ??= readFontIndex(new TextDecoder().decode(await readFile("index.json")));
      return index;
    },
    load: (faces) => Promise.all(faces.map(loadFace)),
  };
}
