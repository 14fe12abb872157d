// The conformance suite of the protocol against the handler of functions/mcp, at the requirements of both revisions. The suite
// prescribes tools, prompts and resources, which a server of this test has in place of ours.
import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHandler, refuseForeignOrigin, waitForOutcome } from "../../functions/mcp/worker.ts";
import { createConformanceServer } from "./conformance-features.ts";

const SUITE = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

/**
 * Scenarios that a revision requires and that fail. Their tools are not there: each asks the client in the middle of a call, and a
 * stateless server does not see the answer, which comes in another request. The later revision asks in its result instead.
 */
const FAILING = {
  "2026-07-28": [],
  "2025-11-25": [
    ...["elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
    ...["tools-call-elicitation", "tools-call-sampling"],
  ],
};

const handler = createHandler(() => createConformanceServer(() => handler.notify), { maxSubscriptions: 10 });
const server = createServer((request, response) => void answer(request, response));
let origin: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const stopped = new AbortController();
  outgoing.on("close", () => stopped.abort());
  const isPost = incoming.method === "POST";
  const request = new Request(new URL(incoming.url ?? "/", origin), {
    method: incoming.method ?? "GET",
    headers: new Headers(incoming.headers as Record<string, string>),
    body: isPost ? (Readable.toWeb(incoming) as BodyInit) : null,
    signal: stopped.signal,
    ...({ duplex: "half" } as RequestInit),
  });
  const response = refuseForeignOrigin(request, origin) ?? (await waitForOutcome(await handler.fetch(request)));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (!response.body) return void outgoing.end();
  await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => undefined);
}

function runSuite(revision: string): Promise<string> {
  const options = ["server", "--url", `${origin}/mcp`, "--requirements", revision];
  return new Promise((resolve) => {
    execFile(process.execPath, [SUITE, ...options], { maxBuffer: 64 * 1024 ** 2 }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

/** Scenarios that ran but are not required: extensions, such as tasks, and those that the suite's own server fails. */
const NOT_REQUIRED = /^ +[✓✗] ([\w-]+) \((?:extension|pending|added-after-release)\)$/gm;

test.each(["2026-07-28", "2025-11-25"] as const)(
  "what revision %s requires passes, except what is listed",
  async (revision) => {
    const report = await runSuite(revision);
    const optional = new Set([...report.matchAll(NOT_REQUIRED)].map(([, name]) => name));
    const results = [...report.matchAll(/^([✓✗]) ([\w-]+): \d+ passed/gm)].filter(([, , name]) => !optional.has(name));
    expect(results.length).toBeGreaterThan(29);
    const failed = results.flatMap(([, mark, name = ""]) => (mark === "✗" ? [name] : []));
    expect(failed.toSorted()).toEqual(FAILING[revision]);
  },
);
