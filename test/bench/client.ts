// A client of the API with one of the seeded keys, and the data that sections begin with.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BASE_PATH } from "../../lib/paths.ts";
import type { KeyName } from "../local/seed.ts";
import type { Context } from "./section.ts";

const TIME_LIMIT_MS = 30_000;
const PATIENCE_MS = 280_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const VIDEO = join(import.meta.dirname, "../local/demo.mp4");

export interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
}

export function clientOf({ world, worker }: Context, key: KeyName) {
  const authorization = `Bearer ${world.seed.keys[key]}`;
  const account = world.seed.accounts.find((one) => one.key === key && one.status === "active" && one.type === "byo");

  /** Any answer but a success ends the bench: what was not done must not be measured. */
  async function call<Data>(method: string, path: string, { body, headers }: Sent): Promise<Data> {
    const answer = await fetch(`${worker.url}${BASE_PATH}${path}`, {
      method,
      headers: { authorization, "content-type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text).data;
  }

  /** Starts an upload and puts the demo video; the answer is the id to finalize. */
  async function upload(): Promise<string> {
    const started = await call<{ id: string; uploadUrl: string; headers: Record<string, string> }>("POST", "/files", {
      body: { contentType: "video/mp4" },
    });
    const bytes = new Uint8Array(await readFile(VIDEO));
    const put = await fetch(started.uploadUrl, { method: "PUT", headers: started.headers, body: bytes });
    if (!put.ok) throw new Error(`The bucket answered ${put.status}: ${await put.text()}`);
    return started.id;
  }

  async function finalize(id: string, headers: Record<string, string>): Promise<string> {
    const done = await call<{ file: { url: string } }>("POST", `/files/${id}/finalize`, {
      headers: { "idempotency-key": crypto.randomUUID(), ...headers },
    });
    return done.file.url;
  }

  /** A post for tomorrow, so that no publishing goes on beside what is measured. */
  function post(url: string): Record<string, unknown> {
    if (!account) throw new Error(`The seed connects no account to the key ${key}.`);
    return {
      caption: "Measured",
      accounts: [{ id: account.id }],
      media: { type: "video", url },
      scheduled_at: new Date(Date.now() + DAY_MS).toISOString(),
    };
  }

  return { call, upload, finalize, post };
}

/** For what may take minutes, or is to be refused: any answer, and how long it took. */
export async function postPatiently({ world, worker }: Context, path: string, body: unknown) {
  const began = performance.now();
  const answer = await fetch(`${worker.url}${BASE_PATH}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.seed.keys.workspace}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return { answer, ms: performance.now() - began };
}
