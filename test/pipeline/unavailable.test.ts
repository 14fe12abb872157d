// A backing service that is down: a clear 503 in time, never a hang and never somebody's stack trace.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { uploadedVideo } from "../files/uploaded.ts";
import { mintAccount, mintTenant } from "../harness.ts";

/** An address that refuses connections. */
const NOWHERE = "http://127.0.0.1:9";

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
