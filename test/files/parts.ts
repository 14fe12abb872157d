// The way a test uploads in parts: a video of many megabytes, cut as the answer says and put to the presigned URLs.
import { readFile } from "node:fs/promises";
import { v7 as newId } from "uuid";
import type { Answer, Client } from "../harness.ts";
import { DEMO_VIDEO } from "./uploaded.ts";

const MIB = 1024 ** 2;
const PART = 8 * MIB;
const demo = await readFile(DEMO_VIDEO);

/** The demo video with a `free` box behind it, which players skip: it fills so many parts, the last one barely. */
export function videoOfParts(count: number): Buffer {
  const filling = Buffer.alloc((count - 1) * PART + 64 * 1024 - demo.length);
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

export interface Listed {
  partNumber: number;
  etag: string;
}

interface Options {
  contentType?: string;
  size?: number;
  env?: Record<string, unknown>;
}

export async function startParts(api: Client, bytes: Uint8Array, options: Options = {}): Promise<StartedParts> {
  const { contentType = "video/mp4", size = bytes.length, env } = options;
  const body = { contentType, filename: "clip.mp4", size };
  const answer = await api.call("POST", "/files/multipart", { body, ...(env ? { env } : {}) });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

/** Puts one part; the ETag header of the answer, quotes and all. */
export async function putPart({ partNumber, url, size }: StartedParts["parts"][number], bytes: Uint8Array) {
  const start = (partNumber - 1) * PART;
  const body = new Uint8Array(bytes.subarray(start, start + size));
  const answer = await fetch(url, { method: "PUT", body });
  await answer.arrayBuffer();
  return { partNumber, etag: answer.headers.get("etag") ?? "", status: answer.status };
}

export async function putParts(started: StartedParts, bytes: Uint8Array): Promise<Listed[]> {
  const put = await Promise.all(started.parts.map((part) => putPart(part, bytes)));
  return put.map(({ partNumber, etag }) => ({ partNumber, etag }));
}

interface Completing {
  key?: string;
  env?: Record<string, unknown>;
}

export function complete(api: Client, id: string, parts: unknown, { key, env }: Completing = {}): Promise<Answer> {
  const headers = { "Idempotency-Key": key ?? newId() };
  return api.call("POST", `/files/multipart/${id}/complete`, { body: { parts }, headers, ...(env ? { env } : {}) });
}
