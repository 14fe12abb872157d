// Unavailable backing services: a 503 in time, without hanging and without a stack trace.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { v7 as newId } from "uuid";
import { expect, onTestFinished, test } from "vitest";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { withFastPauses } from "../support/fast-pauses.ts";
import { createTestAccount, createTestTenant, vars } from "../support/harness.ts";

/** A URL without a server. */
const UNREACHABLE_URL = "http://127.0.0.1:9";

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A Redis proxy that loses two calls from `first` on (each is sent twice): the requests or the responses. */
function startLossyRedis(first: number, lost: "calls" | "responses"): Promise<string> {
  let calls = 0;
  return startServer(async (request, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    calls += 1;
    const loses = calls === first || calls === first + 1;
    if (loses && lost === "calls") return void outgoing.destroy();
    const { authorization = "", "upstash-encoding": encoding = "" } = request.headers;
    const response = await fetch(`${vars.UPSTASH_REDIS_REST_URL}${request.url}`, {
      method: "POST",
      headers: { authorization, "upstash-encoding": String(encoding), "content-type": "application/json" },
      body: Buffer.concat(chunks),
    });
    const text = await response.text();
    if (loses) return void outgoing.destroy();
    outgoing.writeHead(response.status, { "content-type": "application/json" }).end(text);
  });
}

test("503 when the response to a claim is lost; the key is free immediately", async () => {
  const { api } = await createTestTenant();
  const headers = { "Idempotency-Key": newId() };
  const env = { UPSTASH_REDIS_REST_URL: await startLossyRedis(1, "responses") };
  const lost = await api.call("POST", "/packs", { body: { name: "a" }, headers, env });
  expect([lost.status, lost.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect((await api.call("POST", "/packs", { body: { name: "a" }, headers })).status).toBe(201);
});

test("201 when its response cannot be stored immediately; a retry gets it", async () => {
  const { api } = await createTestTenant();
  const headers = { "Idempotency-Key": newId() };
  const env = { UPSTASH_REDIS_REST_URL: await startLossyRedis(2, "calls") };
  const first = await api.call("POST", "/packs", { body: { name: "a" }, headers, env });
  expect(first.status).toBe(201);
  const again = await api.call("POST", "/packs", { body: { name: "a" }, headers });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(again.body).toEqual(first.body);
});

test("503 within 5 s when neither database nor Redis respond", async () => {
  const { api } = await createTestTenant();
  await api.get("/accounts");
  const silent = await startServer(() => undefined);
  const env = { DATABASE_FETCH_URL: `${silent}/sql`, UPSTASH_REDIS_REST_URL: silent };
  async function expectTimelyError(path: string) {
    const response = await api.get(path, { env });
    expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 503, "2"]);
    expect(response.responseMs).toBeLessThan(5_000);
  }
  await Promise.all(["/trends/brief?keyword=tea", "/viral-library", "/posts"].map(expectTimelyError));
  await api.get("/accounts");
});

test("503 while Redis is down with an Idempotency-Key; without one the write succeeds", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  const url = await uploadDemoVideo(tenant.api);
  const env = { UPSTASH_REDIS_REST_URL: UNREACHABLE_URL };
  const body = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url } };
  const headers = { "Idempotency-Key": newId() };
  const held = await withFastPauses(() => tenant.api.call("POST", "/posts", { body, env, headers }));
  expect([held.status, held.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect((await tenant.api.call("POST", "/posts", { body, env })).status).toBe(201);
});
