// A web page that is open in the developer's browser cannot change the local stack.
import { expect, test } from "vitest";
import { createCallCounter } from "./call-counter.ts";
import { sendJson, startHttpServer } from "./http-server.ts";

test("403 for a write that names a foreign origin; 200 for reads, the own origin and clients without one", async () => {
  const calls = createCallCounter();
  const handle = async (_request: unknown, response: Parameters<typeof sendJson>[0]) => sendJson(response, 200, {});
  const server = await startHttpServer({ name: "control", calls, port: 0, handle });
  const send = async (method: string, origin?: string) =>
    (await fetch(`${server.url}/_do`, { method, headers: origin ? { origin } : {} })).status;
  expect(await send("POST", "https://example.com")).toBe(403);
  expect(await send("PUT", "null")).toBe(403);
  expect(await send("POST", server.url)).toBe(200);
  expect(await send("POST")).toBe(200);
  expect(await send("GET", "https://example.com")).toBe(200);
  // The name of a foreign page may resolve to this machine.
  const rebound = { host: "example.com", origin: "http://example.com" };
  expect((await fetch(`${server.url}/_do`, { method: "POST", headers: rebound })).status).toBe(403);
  await server.close();
});
