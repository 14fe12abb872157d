// A backing service that is down: a clear 503 in time, never a hang and never somebody's stack trace.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { v7 as newId } from "uuid";
import { expect, onTestFinished, test } from "vitest";
import { uploadedVideo } from "../files/uploaded.ts";
import { mintAccount, mintTenant, vars } from "../harness.ts";

/** An address that refuses connections. */
const NOWHERE = "http://127.0.0.1:9";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Redis behind a line that loses two calls from this one on (each is sent twice): on the way there, or their answers. */
function lossyRedis(first: number, lost: "calls" | "answers"): Promise<string> {
  let calls = 0;
  return serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    calls += 1;
    const loses = calls === first || calls === first + 1;
    if (loses && lost === "calls") return void response.destroy();
    const { authorization = "", "upstash-encoding": encoding = "" } = request.headers;
    const answer = await fetch(`${vars.UPSTASH_REDIS_REST_URL}${request.url}`, {
      method: "POST",
      headers: { authorization, "upstash-encoding": String(encoding), "content-type": "application/json" },
      body: Buffer.concat(chunks),
    });
    const text = await answer.text();
    if (loses) return void response.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
}

test("503 when the answer to a claim is lost; the key is free again at once", async () => {
  const { api } = await mintTenant();
  const headers = { "Idempotency-Key": newId() };
  const env = { UPSTASH_REDIS_REST_URL: await lossyRedis(1, "answers") };
  const lost = await api.call("POST", "/packs", { body: { name: "a" }, headers, env });
  expect([lost.status, lost.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect((await api.call("POST", "/packs", { body: { name: "a" }, headers })).status).toBe(201);
});

test("201 although its answer could not be kept at once; a repeat gets it again", async () => {
  const { api } = await mintTenant();
  const headers = { "Idempotency-Key": newId() };
  const env = { UPSTASH_REDIS_REST_URL: await lossyRedis(2, "calls") };
  const first = await api.call("POST", "/packs", { body: { name: "a" }, headers, env });
  expect(first.status).toBe(201);
  const again = await api.call("POST", "/packs", { body: { name: "a" }, headers });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(again.body).toEqual(first.body);
});

test("503 within 5 s although neither database nor Redis answer at all", async () => {
  const { api } = await mintTenant();
  await api.get("/accounts");
  const silent = await serve(() => undefined);
  const env = { DATABASE_FETCH_URL: `${silent}/sql`, UPSTASH_REDIS_REST_URL: silent };
  for (const path of ["/trends/brief?keyword=tea", "/viral-library", "/posts"]) {
    const started = Date.now();
    const answer = await api.get(path, { env });
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "2"]);
    expect(Date.now() - started).toBeLessThan(5_000);
  }
  await api.get("/accounts");
});

test("503 while Redis is down and a key must be claimed; without one the write goes through", async () => {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "instagram");
  const url = await uploadedVideo(tenant.api);
  const env = { UPSTASH_REDIS_REST_URL: NOWHERE };
  const body = { caption: "a", accounts: [{ id: account.id }], media: { type: "video", url } };
  const held = await tenant.api.call("POST", "/posts", { body, env, headers: { "Idempotency-Key": newId() } });
  expect([held.status, held.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect((await tenant.api.call("POST", "/posts", { body, env })).status).toBe(201);
});
