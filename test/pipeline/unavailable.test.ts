// A backing service that is down: a clear 503 in time, never a hang and never somebody's stack trace.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { uploadedVideo } from "../files/uploaded.ts";
import { mintAccount, mintTenant } from "../harness.ts";

/** An address that refuses connections. */
const NOWHERE = "http://127.0.0.1:9";

test("503 provider_unavailable with Retry-After within 5 s while the database is down", async () => {
  const { api } = await mintTenant();
  const started = Date.now();
  const env = { DATABASE_FETCH_URL: `${NOWHERE}/sql` };
  const answer = await api.get("/posts", { env });
  await api.get("/posts");
  expect([answer.status, answer.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect(Number(answer.headers.get("retry-after"))).toBe(answer.body.retry_after_seconds);
  expect(Date.now() - started).toBeLessThan(5_000);
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

test("500 with a fixed sentence and the request id when something unforeseen breaks", async () => {
  const { api } = await mintTenant();
  const env = { TOKEN_KEY: undefined };
  const answer = await api.get("/posts", { env, headers: { "X-Request-Id": "trace-me" } });
  expect([answer.status, answer.body.error_code]).toEqual([500, "internal_error"]);
  expect(answer.body.message).toContain("TOKEN_KEY");
});
