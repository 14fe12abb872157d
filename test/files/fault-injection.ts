// Breaks calls of a request to its services on purpose: before they arrive, or after they were served.
import { createServer, request as openRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { withFastPauses } from "../support/fast-pauses.ts";
import { vars } from "../support/harness.ts";

/** `before`: the call never arrives. `after`: the call is served and its response is lost. */
export type BreakPoint = "before" | "after" | null;

/** Runs one request; `broken` decides which of its calls to the database and Redis break. */
export async function withBrokenFetch<Result>(
  broken: (url: string, body: string) => BreakPoint,
  work: () => Promise<Result>,
): Promise<Result> {
  const originalFetch = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const breakPoint = broken(String(input), String(init?.body ?? ""));
    if (breakPoint === "before") throw new TypeError("fetch failed");
    const result = await originalFetch(input, init);
    if (breakPoint === "after") throw new TypeError("fetch failed");
    return result;
  };
  return withFastPauses(work).finally(() => {
    globalThis.fetch = originalFetch;
  });
}

/** A call to storage: `GET uploads/scope/id`, with its query. */
export interface StorageCall {
  line: string;
  query: URLSearchParams;
}

export type StorageProxy = Awaited<ReturnType<typeof openStorageProxy>>;

/** A proxy in front of storage. `env` makes the Worker use it; `broken` decides per call; `seen` records the calls. */
export async function openStorageProxy() {
  const storageUrl = new URL(vars.S3_ENDPOINT ?? "");
  const rules: { broken: (call: StorageCall) => BreakPoint | Promise<BreakPoint> } = { broken: () => null };
  const seen: string[] = [];

  const server = createServer(async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://proxy");
    const line = `${request.method} ${pathname.slice(storageUrl.pathname.length + 1)}`;
    seen.push(line);
    const breakPoint = await rules.broken({ line, query });
    if (breakPoint === "before") return void request.socket.destroy();
    const { method, url: path, rawHeaders: headers } = request;
    const target = { host: storageUrl.hostname, port: storageUrl.port, path, method, headers, setHost: false };
    const upstream = openRequest(target, (result) => {
      if (breakPoint === "after") return void result.resume().once("end", () => request.socket.destroy());
      response.writeHead(result.statusCode ?? 502, result.rawHeaders);
      result.pipe(response);
    });
    upstream.once("error", () => request.socket.destroy());
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    env: { S3_ENDPOINT: `http://127.0.0.1:${port}${storageUrl.pathname}` },
    seen,
    /** Runs one request; `broken` decides which of its calls to storage break, and may do work before each. */
    async withBrokenCalls<Result>(
      broken: (call: StorageCall) => BreakPoint | Promise<BreakPoint>,
      work: () => Promise<Result>,
    ): Promise<Result> {
      rules.broken = broken;
      return work().finally(() => {
        rules.broken = () => null;
      });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
