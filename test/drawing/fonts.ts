// The fonts from the folder that the drawing Worker's deployment uploads, as its binding serves them.
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Files } from "../../lib/drawing/font-store.ts";

const FOLDER = join(import.meta.dirname, "../../.fonts");

export const FONTS: Files = {
  async fetch(input) {
    const name = basename(new URL(input instanceof Request ? input.url : input).pathname);
    const bytes = await readFile(join(FOLDER, name)).catch(() => null);
    return bytes ? new Response(bytes) : new Response(null, { status: 404 });
  },
};
