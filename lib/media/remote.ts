// Bytes verified by the media Worker.
import type { StoredObject } from "../bucket.ts";
import type { Call } from "../call.ts";
import { unavailable } from "../errors.ts";
import type { VerifyOrder } from "./service.ts";
import type { Verdict } from "./verify.ts";

/** Throws 503 when the Worker or the storage does not answer. */
export async function verifyStored(
  { env, bucket, requestId }: Pick<Call, "env" | "bucket" | "requestId">,
  key: string,
  { size, etag }: StoredObject,
  contentType: string,
): Promise<Verdict> {
  const url = await (await bucket()).presignSource(key);
  const order: VerifyOrder = { url, size, etag, requestId, contentType };
  const answer = await askMedia(env, "verify", { body: JSON.stringify(order) });
  if (answer.ok) return answer.json();
  throw unavailable("file storage", new Error(await answer.text()));
}

export async function verifyBytes(env: Call["env"], bytes: Uint8Array, contentType: string): Promise<Verdict> {
  const body = new Uint8Array(bytes);
  const answer = await askMedia(env, "image", { body, headers: { "Content-Type": contentType } });
  if (answer.ok) return answer.json();
  throw away(new Error(`HTTP ${answer.status}: ${await answer.text()}`));
}

/** One order to the media Worker, whatever it answers. */
export async function askMedia(
  { media }: Pick<Call["env"], "media">,
  what: "verify" | "image" | "sound",
  init: { body: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
): Promise<Response> {
  if (!media) throw away(new Error("no media Worker is bound as MEDIA"));
  try {
    return await media.fetch(`http://media/${what}`, { method: "POST", ...init });
  } catch (error) {
    throw away(error);
  }
}

function away(cause: unknown) {
  return unavailable("media service", cause);
}
