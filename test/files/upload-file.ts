// Uploads of tests: over HTTP and storage, like a real client.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import type { Client } from "../support/harness.ts";

export const DEMO_VIDEO = join(import.meta.dirname, "../local/demo.mp4");

export async function putBytes(
  upload: { uploadUrl: string; headers: Record<string, string> },
  bytes: Uint8Array,
): Promise<number> {
  const response = await fetch(upload.uploadUrl, {
    method: "PUT",
    headers: upload.headers,
    body: new Uint8Array(bytes),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Starts, uploads and finalizes a file. Returns the response of the finalize. */
export async function uploadFile(api: Client, contentType: string, bytes: Uint8Array) {
  const started = await api.post("/files", { contentType, size: bytes.length });
  if (started.status !== 201) throw new Error(JSON.stringify(started.body));
  await putBytes(started.body.data, bytes);
  return api.post(`/files/${started.body.data.id}/finalize`, undefined, { "Idempotency-Key": newId() });
}

/** Uploads the demo video. Returns its CDN URL. */
export async function uploadDemoVideo(api: Client): Promise<string> {
  const response = await uploadFile(api, "video/mp4", await readFile(DEMO_VIDEO));
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body.data.file.url;
}
