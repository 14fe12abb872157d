// Client of the media Worker.

import type { RequestContext } from "../services/context.ts";
import { unavailableError } from "../shared/errors.ts";
import type { Verdict } from "./verify-media.ts";
import type { VerifyRequest } from "./worker.ts";

/** Verifies an object of the public bucket, where objects never change. Throws `provider_unavailable` (503) when the Worker or storage fails. */
export async function verifyStoredObject(
  { env, storage, requestId }: Pick<RequestContext, "env" | "storage" | "requestId">,
  publicKey: string,
  size: number,
  contentType: string,
): Promise<Verdict> {
  const url = await (await storage()).presignPublicRead(publicKey);
  const request: VerifyRequest = { url, size, etag: null, requestId, contentType };
  const response = await callMediaWorker(env, "verify", { body: JSON.stringify(request) });
  if (response.ok) return response.json();
  throw unavailableError("file storage", new Error(await response.text()));
}

export async function verifyImageBytes(
  env: RequestContext["env"],
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<Verdict> {
  const response = await callMediaWorker(env, "image", { body: bytes, headers: { "Content-Type": contentType } });
  if (response.ok) return response.json();
  throw mediaUnavailableError(new Error(`HTTP ${response.status}: ${await response.text()}`));
}

/** Sends one request to the media Worker and returns its response, whatever its status. */
export async function callMediaWorker(
  { mediaWorker }: Pick<RequestContext["env"], "mediaWorker">,
  operation: "verify" | "image" | "sound",
  init: { body: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
): Promise<Response> {
  if (!mediaWorker) throw mediaUnavailableError(new Error("no media Worker is bound as MEDIA"));
  try {
    return await mediaWorker.fetch(`http://media/${operation}`, { method: "POST", ...init });
  } catch (error) {
    throw mediaUnavailableError(error);
  }
}

function mediaUnavailableError(cause: unknown) {
  return unavailableError("media service", cause);
}
