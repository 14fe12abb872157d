// Sends a request exactly as generated; `fetch` would normalize the path.
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import type { HostileRequest } from "./generate-request.ts";

export interface HostileResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
  ms: number;
}

const TIMEOUT_MS = 60_000;
const agent = new Agent({ keepAlive: true });

export function send(origin: string, { method, path, headers, body }: HostileRequest): Promise<HostileResponse> {
  const { hostname, port } = new URL(origin);
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, method, path, headers: { ...headers, ...describeBody(body) } });
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error(`No response within ${TIMEOUT_MS / 1000} s`)));
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          text: Buffer.concat(chunks).toString("utf8"),
          ms: performance.now() - began,
        }),
      );
    });
    sent.end(body ?? undefined);
  });
}

function describeBody(body: Buffer | null): Record<string, string> {
  return body ? { "content-length": String(body.length) } : {};
}
