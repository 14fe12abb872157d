// An API client that uses one of the seeded keys, with helpers to create test data.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { at } from "../../lib/shared/at.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import type { KeyName } from "../local/seed.ts";
import type { BenchContext } from "./section.ts";

const TIMEOUT_MS = 30_000;
const LONG_TIMEOUT_MS = 280_000;
const VIDEO = join(import.meta.dirname, "../local/demo.mp4");

export interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

export function createClient({ stack, worker }: BenchContext, key: KeyName) {
  const authorization = `Bearer ${stack.seed.keys[key]}`;
  const accounts = stack.seed.accounts.filter(
    (candidate) => candidate.key === key && candidate.status === "active" && candidate.type === "byo",
  );
  const [account] = accounts;

  /** Throws on any error response, because failed requests must not be measured. */
  async function call<Data>(method: string, path: string, { body, headers }: RequestOptions): Promise<Data> {
    const response = await fetch(`${worker.url}${BASE_PATH}${path}`, {
      method,
      headers: { authorization, "content-type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return JSON.parse(text).data;
  }

  /** Uploads the demo video and returns the id to finalize. */
  async function upload(): Promise<string> {
    const started = await call<{ id: string; uploadUrl: string; headers: Record<string, string> }>("POST", "/files", {
      body: { contentType: "video/mp4" },
    });
    const bytes = new Uint8Array(await readFile(VIDEO));
    const put = await fetch(started.uploadUrl, { method: "PUT", headers: started.headers, body: bytes });
    if (!put.ok) throw new Error(`The storage returned ${put.status}: ${await put.text()}`);
    return started.id;
  }

  /** Uploads the demo video as the one part of a multipart upload. Returns its id and the list of parts to complete it with. */
  async function uploadInParts(): Promise<{ id: string; parts: { partNumber: number; etag: string }[] }> {
    const bytes = new Uint8Array(await readFile(VIDEO));
    const body = { contentType: "video/mp4", size: bytes.length };
    const started = await call<{ id: string; parts: { partNumber: number; url: string }[] }>(
      "POST",
      "/files/multipart",
      { body },
    );
    const { partNumber, url } = at(started.parts, 0);
    const put = await fetch(url, { method: "PUT", body: bytes });
    if (!put.ok) throw new Error(`The storage returned ${put.status}: ${await put.text()}`);
    return { id: started.id, parts: [{ partNumber, etag: put.headers.get("etag") ?? "" }] };
  }

  async function finalize(id: string, headers: Record<string, string>): Promise<string> {
    const done = await call<{ file: { url: string } }>("POST", `/files/${id}/finalize`, {
      headers: { "idempotency-key": crypto.randomUUID(), ...headers },
    });
    return done.file.url;
  }

  /** A post scheduled for tomorrow, so that publishing does not affect the measurement. */
  function buildPost(url: string): Record<string, unknown> {
    if (!account) throw new Error(`The seed has no active account for the key ${key}.`);
    return {
      caption: "Measured",
      accounts: [{ id: account.id }],
      media: { type: "video", url },
      scheduled_at: new Date(Date.now() + DAY_MS).toISOString(),
    };
  }

  /** A text for an account of Bluesky, which goes out at once. */
  function buildText(more: object = {}): Record<string, unknown> {
    const bluesky = accounts.find(({ platform }) => platform === "bluesky");
    if (!bluesky) throw new Error(`The seed has no active account of Bluesky for the key ${key}.`);
    return { caption: `Measured ${crypto.randomUUID()}`, accounts: [{ id: bluesky.id }], ...more };
  }

  /** Creates a post and waits until it is out. Returns its id. */
  async function publish(body: unknown): Promise<string> {
    const { id } = await call<{ id: string }>("POST", "/posts", { body });
    for (const until = Date.now() + LONG_TIMEOUT_MS; Date.now() < until; await sleep(500)) {
      const { status } = await call<{ status: string }>("GET", `/posts/${id}`, {});
      if (status === "posted") return id;
      if (status === "failed" || status === "partial") break;
    }
    throw new Error(`The post ${id} was not published.`);
  }

  return { call, upload, uploadInParts, finalize, buildPost, buildText, publish };
}

/** For requests that take minutes or are expected to fail: returns any response and its duration. */
export async function postWithLongTimeout({ stack, worker }: BenchContext, path: string, body: unknown) {
  const began = performance.now();
  const response = await fetch(`${worker.url}${BASE_PATH}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${stack.seed.keys.workspace}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(LONG_TIMEOUT_MS),
  });
  return { response, ms: performance.now() - began };
}
