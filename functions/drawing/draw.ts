// The drawing Worker, deployed on its own (`-c functions/drawing/wrangler.toml`): the renderer's memory is not the API's.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import type { Files } from "../../lib/drawing/font-store.ts";
import { openPainter } from "../../lib/drawing/renderer.ts";
import { openService } from "../../lib/drawing/service.ts";
import { resolveHost } from "../../lib/resolve-host.ts";

const service = openService(() => openPainter(compiled));

export default {
  fetch: (request, { FONTS }) =>
    service(request, { fonts: FONTS, fetch: (input, init) => fetch(input, init), resolveHost }),
} satisfies ExportedHandler<{ FONTS: Files }>;
