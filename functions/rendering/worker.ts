// The rendering Worker, deployed separately (`-c functions/rendering/wrangler.toml`): its renderer needs the memory.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import type { FontFiles } from "../../lib/rendering/font-store.ts";
import type { ImagesService } from "../../lib/rendering/images-binding.ts";
import { openRenderEngine } from "../../lib/rendering/renderer.ts";
import { createRenderHandler } from "../../lib/rendering/worker.ts";
import { resolveHost } from "../../lib/services/dns.ts";

const handler = createRenderHandler(() => openRenderEngine(compiled));

export default {
  fetch: (request, { FONTS, IMAGES }) =>
    handler(request, { fonts: FONTS, images: IMAGES, fetch: (input, init) => fetch(input, init), resolveHost }),
} satisfies ExportedHandler<{ FONTS: FontFiles; IMAGES?: ImagesService }>;
