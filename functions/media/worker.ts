// The media Worker, deployed separately (`-c functions/media/wrangler.toml`): its demuxers are larger than the API.
import { handleVerifyImage, handleVerifyObject } from "../../lib/media/worker.ts";
import { handleReadClip } from "../../lib/transcription/worker.ts";

const HANDLERS: Record<string, (request: Request, ask: typeof fetch) => Promise<Response>> = {
  "/verify": handleVerifyObject,
  "/image": handleVerifyImage,
  "/sound": handleReadClip,
};

export default {
  async fetch(request: Request): Promise<Response> {
    const order = request.method === "POST" ? HANDLERS[new URL(request.url).pathname] : undefined;
    if (!order) return new Response("POST /verify, /image or /sound.", { status: 404 });
    return order(request, (input, init) => fetch(input, init));
  },
} satisfies ExportedHandler;
