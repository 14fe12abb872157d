// The object storage of the local world: Miniflare's R2 in a process of its own, behind a door that counts calls.
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createParts } from "./bucket/parts.ts";
import type { Start } from "./bucket/server.ts";
import type { Calls } from "./calls.ts";
import { requestIdOf, serve } from "./serve.ts";

export type Bucket = {
  /** For the S3 client, with `forcePathStyle`: the path is part of what it signs. */
  endpoint: string;
  region: "auto";
  accessKeyId: string;
  secretAccessKey: string;
  buckets: { uploads: string; files: string };
  /** Where anybody may read the objects of the bucket; refuses a private bucket. */
  publicUrl(bucket: string): string;
  /** The process that holds the objects. */
  pid: number;
  close(): Promise<void>;
};

type Options = { persistTo: string; accessKeyId?: string; secretAccessKey?: string; port?: number; calls: Calls };

const S3 = "/cdn-cgi/local/r2/s3";
const PUBLIC = "/cdn-cgi/local/r2/public";
const BUCKETS = { uploads: "uploads", files: "files" };

export async function startBucket({ persistTo, port, calls, ...given }: Options): Promise<Bucket> {
  const accessKeyId = given.accessKeyId ?? randomBytes(16).toString("hex");
  const secretAccessKey = given.secretAccessKey ?? randomBytes(32).toString("hex");
  const store = await startStore({ persistTo, accessKeyId, secretAccessKey, buckets: Object.values(BUCKETS) });
  const agent = new Agent({ keepAlive: true });
  const parts = createParts();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = innerPath(request);
    if (path === null) return void response.writeHead(404).end();
    const ask = () => forward(request, { port: store.port, path, agent });
    const inner = await calls.around("bucket", requestIdOf(request), ask);
    parts.see(request, inner);
    if (parts.list(request, inner, response)) return;
    response.writeHead(inner.statusCode ?? 502, inner.rawHeaders);
    // Whoever hangs up on either side ends the other side too; that is no failure of this server.
    await pipeline(inner, response).catch(() => response.destroy());
  }

  const server = await serve({ what: "bucket", calls, port: port ?? 0, answer });
  return {
    endpoint: `${server.url}${S3}`,
    region: "auto",
    accessKeyId,
    secretAccessKey,
    buckets: BUCKETS,
    publicUrl(bucket) {
      if (bucket !== BUCKETS.files) throw new Error(`The bucket ${bucket} is private.`);
      return `${server.url}/public/${bucket}`;
    },
    pid: store.pid,
    async close() {
      await server.close();
      agent.destroy();
      await store.close();
    },
  };
}

/** What the request asks of the store; null when it is neither S3 nor a public file. */
function innerPath({ url = "/" }: IncomingMessage): string | null {
  // Compared once its dots are resolved, as the store will do: no path climbs from the public bucket into the private.
  const { pathname, search } = new URL(url, "http://bucket");
  if (pathname.startsWith(`${S3}/`)) return url;
  const publicRoot = `/public/${BUCKETS.files}/`;
  return pathname.startsWith(publicRoot)
    ? `${PUBLIC}/${BUCKETS.files}/${pathname.slice(publicRoot.length)}${search}`
    : null;
}

type Target = { port: number; path: string; agent: Agent };

/** Passes a request on as it came, Host header included, for the signature covers it. */
function forward(request: IncomingMessage, { port, path, agent }: Target): Promise<IncomingMessage> {
  const headers = request.rawHeaders.flatMap((name, at, all) =>
    at % 2 === 0 && !DROPPED_HEADERS.has(name.toLowerCase()) ? [name, all[at + 1] ?? ""] : [],
  );
  return new Promise((resolve, reject) => {
    const target = { host: "127.0.0.1", port, path, agent, method: request.method, headers, setHost: false };
    const inner = openRequest(target, resolve);
    inner.once("error", reject);
    pipeline(request, inner).catch(reject);
  });
}

// The first three speak of one connection only. Miniflare turns foreign origins away, which a bucket open to browsers
// does not; without the header it still allows every origin in its answer.
const DROPPED_HEADERS = new Set(["connection", "keep-alive", "expect", "origin"]);

type Store = { port: number; pid: number; close(): Promise<void> };

async function startStore(start: Start): Promise<Store> {
  const child = fork(join(import.meta.dirname, "bucket/server.ts"), {
    // Flags of the parent, such as those of a test runner, are not for the child.
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  child.send(start);
  const ended = exited.then(([code]) => {
    throw new Error(`The local bucket ended with code ${code} before it was ready.`);
  });
  const [ready] = (await Promise.race([once(child, "message"), ended])) as [{ port: number }];
  ended.catch(() => undefined);
  return {
    port: ready.port,
    pid: child.pid ?? 0,
    async close() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
