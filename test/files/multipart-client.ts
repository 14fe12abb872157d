// Multipart uploads of tests: a large video, split into the returned parts and sent to their presigned URLs.
import { readFile } from "node:fs/promises";
import { v7 as newId } from "uuid";
import type { Client, TestResponse } from "../support/harness.ts";
import { DEMO_VIDEO } from "./upload-file.ts";

const MIB = 1024 ** 2;
const PART_BYTES = 8 * MIB;
const demo = await readFile(DEMO_VIDEO);

/** The demo video followed by a `free` box, which players skip, so that it takes `count` parts. */
export function buildVideoOfParts(count: number): Buffer {
  const filling = Buffer.alloc((count - 1) * PART_BYTES + 64 * 1024 - demo.length);
  filling.writeUInt32BE(filling.length, 0);
  filling.write("free", 4);
  return Buffer.concat([demo, filling]);
}

export interface StartedParts {
  id: string;
  partSize: number;
  partCount: number;
  parts: { partNumber: number; url: string; size: number }[];
  expiresAt: string;
}

export interface ListedPart {
  partNumber: number;
  etag: string;
}

interface Options {
  contentType?: string;
  size?: number;
  env?: Record<string, unknown>;
}

export async function startMultipart(api: Client, bytes: Uint8Array, options: Options = {}): Promise<StartedParts> {
  const { contentType = "video/mp4", size = bytes.length, env } = options;
  const body = { contentType, filename: "clip.mp4", size };
  const response = await api.call("POST", "/files/multipart", { body, ...(env ? { env } : {}) });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

/** Uploads one part. Returns the ETag header of the response, including its quotes. */
export async function uploadPart({ partNumber, url, size }: StartedParts["parts"][number], bytes: Uint8Array) {
  const start = (partNumber - 1) * PART_BYTES;
  const body = new Uint8Array(bytes.subarray(start, start + size));
  const response = await fetch(url, { method: "PUT", body });
  await response.arrayBuffer();
  return { partNumber, etag: response.headers.get("etag") ?? "", status: response.status };
}

export async function uploadParts(started: StartedParts, bytes: Uint8Array): Promise<ListedPart[]> {
  const put = await Promise.all(started.parts.map((part) => uploadPart(part, bytes)));
  return put.map(({ partNumber, etag }) => ({ partNumber, etag }));
}

interface CompleteOptions {
  key?: string;
  env?: Record<string, unknown>;
}

export function completeMultipart(
  api: Client,
  id: string,
  parts: unknown,
  { key, env }: CompleteOptions = {},
): Promise<TestResponse> {
  const headers = { "Idempotency-Key": key ?? newId() };
  return api.call("POST", `/files/multipart/${id}/complete`, { body: { parts }, headers, ...(env ? { env } : {}) });
}

export const getStatusAndCode = ({ status, body }: TestResponse) => [status, body.error_code];
