// Retries of a post over HTTP after its delivery failed: what was sent is polled, and only `resend` sends again.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { DEADLINE_AFTER_DUE_MS } from "../../lib/publishing/timing.ts";
import { createTestPublisher, queryRows } from "../support/harness.ts";
import {
  type ConnectedAccount,
  connectAccount,
  createDelivery,
  loseAnswer,
  NOON,
  publishUntilDone,
  readDelivery,
  respondWith,
  scriptNetwork,
  updateDeliveries,
} from "./scripted-network.ts";

const PROCESSING = { data: { status: "PROCESSING_DOWNLOAD" } };
const OUT = { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } };

/** Retries the post of a delivery over HTTP and publishes it; returns the final row. */
async function retryPost(
  { tenant, account }: ConnectedAccount,
  id: string,
  network: ReturnType<typeof scriptNetwork>,
  more: { resend?: boolean } = {},
) {
  const [{ post_id } = { post_id: "" }] = await queryRows<{ post_id: string }>(
    sql`select post_id from post_deliveries where id = ${id}`,
  );
  const answer = await tenant.api.post("/posts/retry", { post_ids: [post_id], ...more });
  expect(answer.body.data).toMatchObject({ retried: 1, ids: [post_id] });
  const warned = {
    post_id,
    account_id: account.id,
    code: "outcome_unknown",
    message: expect.stringContaining("resend"),
  };
  expect(answer.body.data.warnings).toEqual(more.resend ? [] : [warned]);
  return publishUntilDone(createTestPublisher(new Date(), { fetch: network.fetch }), id);
}

test("a retry of a post that the network accepted but did not finish polls it and sends nothing", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ status: [PROCESSING, PROCESSING, OUT] });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  await publishDue(services, [id]);
  advance(DEADLINE_AFTER_DUE_MS);
  await publishDue(services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "failed", error_code: "outcome_unknown", next: null });
  expect(await retryPost(setting, id, network)).toMatchObject({ status: "posted", error_code: null });
  expect(network.countCalls("publish")).toBe(1);
});

test("a retry with resend sends a post of unknown outcome again, and only then", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const network = scriptNetwork({ publish: [loseAnswer, { data: { publish_id: "p2" } }] });
  const { services, advance } = createTestPublisher(NOON, { fetch: network.fetch });
  const lost = await publishUntilDone({ services, advance }, id);
  expect(lost).toMatchObject({ status: "failed", stage: "armed", error_code: "outcome_unknown" });
  expect(lost.error_message).toMatch(/If the post is not there, retry it with resend: true/);
  expect(await retryPost(setting, id, network)).toMatchObject({ status: "failed", error_code: "outcome_unknown" });
  expect(network.countCalls("publish")).toBe(1);
  expect(await retryPost(setting, id, network, { resend: true })).toMatchObject({ status: "posted", attempts: 1 });
  expect(network.countCalls("publish")).toBe(2);
});

test("a retry after reconnecting polls an accepted post and sends nothing", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  const dead = respondWith(401, { error: { code: "access_token_invalid" } });
  const network = scriptNetwork({ status: [dead, OUT], refresh: [respondWith(400, { error: "invalid_grant" })] });
  await publishDue(createTestPublisher(NOON, { fetch: network.fetch }).services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "failed", error_code: "outcome_unknown", next: null });
  await queryRows(sql`update accounts set status = 'active' where id = ${setting.account.id} returning id`);
  expect(await retryPost(setting, id, network)).toMatchObject({ status: "posted", error_code: null });
  expect(network.countCalls("publish")).toBe(1);
});

test("a retry of a delivery that ended every worker resets its claims", async () => {
  const setting = await connectAccount("tiktok");
  const id = await createDelivery(setting, NOON);
  await updateDeliveries([id], sql`claims = 9`);
  const network = scriptNetwork({});
  await publishDue(createTestPublisher(NOON, { fetch: network.fetch }).services, [id]);
  expect(await readDelivery(id)).toMatchObject({ status: "failed", error_code: "internal_error" });
  const [{ post_id } = { post_id: "" }] = await queryRows<{ post_id: string }>(
    sql`select post_id from post_deliveries where id = ${id}`,
  );
  await setting.tenant.api.post("/posts/retry", { post_ids: [post_id] });
  const publisher = createTestPublisher(new Date(), { fetch: network.fetch });
  expect(await publishUntilDone(publisher, id)).toMatchObject({ status: "posted" });
});
