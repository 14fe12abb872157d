// The verifying half of the media Worker: looks at every byte of an object or of an image, and answers with the verdict.
import { describeError } from "../describe-error.ts";
import { inMemory } from "./source.ts";
import { type Located, urlSource } from "./url-source.ts";
import { verifyMedia } from "./verify.ts";

export interface VerifyOrder extends Located {
  contentType: string;
}

/** 200 with a verdict, 502 when the object could not be read. */
export async function verifyObject(request: Request, ask: typeof fetch): Promise<Response> {
  const { contentType, ...located }: VerifyOrder = await request.json();
  try {
    return Response.json(await verifyMedia(urlSource(ask, located), contentType));
  } catch (error) {
    return new Response(describeError(error), { status: 502 });
  }
}

/** The bytes are the body, their type its Content-Type. */
export async function verifyImage(request: Request): Promise<Response> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  return Response.json(await verifyMedia(inMemory(bytes), request.headers.get("Content-Type") ?? ""));
}
