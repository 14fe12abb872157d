// The way a test gets a verified file: the real one, over HTTP and the bucket.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import type { Client } from "../harness.ts";

export const DEMO_VIDEO = join(import.meta.dirname, "../local/demo.mp4");

export async function put(
  upload: { uploadUrl: string; headers: Record<string, string> },
  bytes: Uint8Array,
): Promise<number> {
  const answer = await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: new Uint8Array(bytes) });
  await answer.arrayBuffer();
  return answer.status;
}

/** Starts, puts and finalizes; the answer of the finalize. */
export async function upload(api: Client, contentType: string, bytes: Uint8Array) {
  const started = await api.post("/files", { contentType, size: bytes.length });
  if (started.status !== 201) throw new Error(JSON.stringify(started.body));
  await put(started.body.data, bytes);
  return api.post(`/files/${started.body.data.id}/finalize`, undefined, { "Idempotency-Key": newId() });
}

/** The CDN URL of the demo video, as a file of the caller. */
export async function uploadedVideo(api: Client): Promise<string> {
  const answer = await upload(api, "video/mp4", await readFile(DEMO_VIDEO));
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.file.url;
}
