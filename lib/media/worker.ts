// Request handlers of the media Worker that verify a stored object or an image in the body.
import { formatError } from "../shared/format-error.ts";
import { createIsolateConcurrencyLimiter } from "../shared/isolate-concurrency-limit.ts";
import { createMemorySource } from "./media-source.ts";
import { createUrlSource, type ObjectLocation } from "./url-source.ts";
import { verifyMedia } from "./verify-media.ts";

export interface VerifyRequest extends ObjectLocation {
  contentType: string;
}

/** Responds 200 with a verdict, and 502 when the object cannot be read. */
export async function handleVerifyObject(request: Request, fetcher: typeof fetch): Promise<Response> {
  const { contentType, ...location }: VerifyRequest = await request.json();
  try {
    return Response.json(await verifyMedia(createUrlSource(fetcher, location), contentType));
  } catch (error) {
    return new Response(formatError(error), { status: 502 });
  }
}

/** Of 20 MiB each, and up to 63 MiB of pixels, in an isolate of 128 MiB; the others wait in the network. */
const CONCURRENT_IMAGES = 1;
const limitConcurrency = createIsolateConcurrencyLimiter(CONCURRENT_IMAGES);

/** The body is the image, and its Content-Type the declared type. */
export function handleVerifyImage(request: Request): Promise<Response> {
  return limitConcurrency(() => verifyImageBody(request));
}

async function verifyImageBody(request: Request): Promise<Response> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  return Response.json(await verifyMedia(createMemorySource(bytes), request.headers.get("Content-Type") ?? ""));
}
