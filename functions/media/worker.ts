// The media Worker, deployed on its own (`-c functions/media/wrangler.toml`): demuxers and decoders outweigh the API's own code.
import { verifyImage, verifyObject } from "../../lib/media/service.ts";
import { cutSound } from "../../lib/speech/service.ts";

const ORDERS: Record<string, (request: Request, ask: typeof fetch) => Promise<Response>> = {
  "/verify": verifyObject,
  "/image": verifyImage,
  "/sound": cutSound,
};

export default {
  async fetch(request: Request): Promise<Response> {
    const order = request.method === "POST" ? ORDERS[new URL(request.url).pathname] : undefined;
    if (!order) return new Response("POST /verify, /image or /sound.", { status: 404 });
    return order(request, (input, init) => fetch(input, init));
  },
} satisfies ExportedHandler;
