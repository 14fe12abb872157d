// Ways for a test to break a call of one request on purpose: before it reaches its service, or after it was served.
import { createServer, request as openRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { vars } from "../harness.ts";

/** `before`: it never arrives. `after`: it was served, and the answer is lost. */
export type Break = "before" | "after" | null;

/** Runs one request while `broken` decides which of its calls to the database and Redis break. */
export async function breaking<Result>(
  broken: (url: string, body: string) => Break,
  work: () => Promise<Result>,
): Promise<Result> {
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const how = broken(String(input), String(init?.body ?? ""));
    if (how === "before") throw new TypeError("fetch failed");
    const answer = await plain(input, init);
    if (how === "after") throw new TypeError("fetch failed");
    return answer;
  };
  return work().finally(() => {
    globalThis.fetch = plain;
  });
}

/** A call to the bucket: `GET uploads/scope/id`, with its query. */
export interface BucketCall {
  line: string;
  query: URLSearchParams;
}

export type BucketDoor = Awaited<ReturnType<typeof openBucketDoor>>;

/** A door before the bucket. `env` leads the Worker through it; `broken` is asked for each call, and `seen` keeps them. */
export async function openBucketDoor() {
  const store = new URL(vars.S3_ENDPOINT ?? "");
  const rules: { broken: (call: BucketCall) => Break } = { broken: () => null };
  const seen: string[] = [];

  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://door");
    const line = `${request.method} ${pathname.slice(store.pathname.length + 1)}`;
    seen.push(line);
    const how = rules.broken({ line, query });
    if (how === "before") return void request.socket.destroy();
    const { method, url: path, rawHeaders: headers } = request;
    const target = { host: store.hostname, port: store.port, path, method, headers, setHost: false };
    const inner = openRequest(target, (answer) => {
      if (how === "after") return void answer.resume().once("end", () => request.socket.destroy());
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    inner.once("error", () => request.socket.destroy());
    request.pipe(inner);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    env: { S3_ENDPOINT: `http://127.0.0.1:${port}${store.pathname}` },
    seen,
    /** Runs one request while `broken` decides which of its calls to the bucket break. */
    async breaking<Result>(broken: (call: BucketCall) => Break, work: () => Promise<Result>): Promise<Result> {
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
