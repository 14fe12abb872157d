// Serves the fonts from `.fonts/`, as the binding of the rendering Worker does.
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FontFiles } from "../../lib/rendering/font-store.ts";

const FOLDER = join(import.meta.dirname, "../../.fonts");

export const FONTS: FontFiles = {
  async fetch(input) {
    const name = basename(new URL(input instanceof Request ? input.url : input).pathname);
    const bytes = await readFile(join(FOLDER, name)).catch(() => null);
    return bytes ? new Response(bytes) : new Response(null, { status: 404 });
  },
};
