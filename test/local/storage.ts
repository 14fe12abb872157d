// The object storage of the local stack: Miniflare's R2 in a child process, behind a proxy that counts calls.
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { CallCounter } from "./call-counter.ts";
import { readRequestId, startHttpServer } from "./http-server.ts";
import type { StorageOptions } from "./storage/miniflare-process.ts";
import { createPartLists } from "./storage/part-lists.ts";

export type ObjectStorage = {
  /** For S3 clients with `forcePathStyle`, because the path is part of the signature. */
  endpoint: string;
  region: "auto";
  accessKeyId: string;
  secretAccessKey: string;
  buckets: { uploads: string; files: string };
  /** The URL at which the objects of a public bucket can be read. Throws for a private bucket. */
  publicUrl(bucket: string): string;
  /** The process id of Miniflare. */
  pid: number;
  close(): Promise<void>;
};

type Options = { persistTo: string; accessKeyId?: string; secretAccessKey?: string; port?: number; calls: CallCounter };

const S3 = "/cdn-cgi/local/r2/s3";
const PUBLIC = "/cdn-cgi/local/r2/public";
const BUCKETS = { uploads: "uploads", files: "files" };

/** Of a storage that listens on the port. */
export function getBucketAddresses(port: number): Pick<ObjectStorage, "endpoint" | "publicUrl"> {
  const origin = `http://127.0.0.1:${port}`;
  return {
    endpoint: `${origin}${S3}`,
    publicUrl(bucket) {
      if (bucket !== BUCKETS.files) throw new Error(`The bucket ${bucket} is private.`);
      return `${origin}/public/${bucket}`;
    },
  };
}

export async function startStorage({ persistTo, port, calls, ...credentials }: Options): Promise<ObjectStorage> {
  const accessKeyId = credentials.accessKeyId ?? randomBytes(16).toString("hex");
  const secretAccessKey = credentials.secretAccessKey ?? randomBytes(32).toString("hex");
  const storageProcess = await startStorageProcess({
    persistTo,
    accessKeyId,
    secretAccessKey,
    buckets: Object.values(BUCKETS),
  });
  // workerd closes connections that were idle for 15 s, measured 2026-11-30: a request that is sent at that moment fails.
  const agent = new Agent({ keepAlive: true, timeout: 10_000 });
  const partLists = createPartLists();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = toInnerPath(request);
    if (path === null) return void response.writeHead(404).end();
    const sendToMiniflare = () => forward(request, { port: storageProcess.port, path, agent });
    const inner = await calls.countCall("bucket", readRequestId(request), sendToMiniflare);
    partLists.recordRequest(request, inner);
    if (partLists.sendPartList(request, inner, response)) return;
    response.writeHead(inner.statusCode ?? 502, inner.rawHeaders);
    // A closed connection on either side closes the other side; this is not an error of the server.
    await pipeline(inner, response).catch(() => response.destroy());
  }

  const server = await startHttpServer({ name: "bucket", calls, port: port ?? 0, acceptsForeignPages: true, handle });
  return {
    ...getBucketAddresses(server.port),
    region: "auto",
    accessKeyId,
    secretAccessKey,
    buckets: BUCKETS,
    pid: storageProcess.pid,
    async close() {
      await server.close();
      agent.destroy();
      await storageProcess.close();
    },
  };
}

/** Maps a request path to Miniflare's path; null when it is neither S3 nor a public file. */
function toInnerPath({ url = "/" }: IncomingMessage): string | null {
  // Compared after dot segments are resolved, so that no path escapes from the public into the private bucket.
  const { pathname, search } = new URL(url, "http://bucket");
  if (pathname.startsWith(`${S3}/`)) return url;
  const publicRoot = `/public/${BUCKETS.files}/`;
  return pathname.startsWith(publicRoot)
    ? `${PUBLIC}/${BUCKETS.files}/${pathname.slice(publicRoot.length)}${search}`
    : null;
}

type Target = { port: number; path: string; agent: Agent };

/** Forwards a request unchanged, including the Host header, which the signature covers. */
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

// The first three are hop-by-hop headers. Miniflare rejects other origins, unlike a bucket with a CORS rule; without the
// header it allows every origin.
const DROPPED_HEADERS = new Set(["connection", "keep-alive", "expect", "origin"]);

type StorageProcess = { port: number; pid: number; close(): Promise<void> };

async function startStorageProcess(options: StorageOptions): Promise<StorageProcess> {
  const child = fork(join(import.meta.dirname, "storage/miniflare-process.ts"), {
    // The child must not inherit the flags of a test runner.
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  child.send(options);
  const endedEarly = exited.then(([code]) => {
    throw new Error(`The local storage exited with code ${code} before it was ready.`);
  });
  const [ready] = (await Promise.race([once(child, "message"), endedEarly])) as [{ port: number }];
  endedEarly.catch(() => undefined);
  return {
    port: ready.port,
    pid: child.pid ?? 0,
    async close() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
