// The callback of the hosted publisher: requires a valid signature and only makes one delivery due now.
import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import type { Stage } from "../../drizzle/schema/posts.ts";
import { afterNoon, createDelivery, readDelivery, updateDeliveries } from "../publishing/scripted-network.ts";
import {
  createClient,
  createTestAccount,
  createTestTenant,
  type RequestOptions,
  type TestResponse,
  vars,
} from "../support/harness.ts";

const PATH = "/hosted/callback";
const SECRET = vars.HOSTED_FLEET_SECRET ?? "";

interface Signing {
  secret?: string;
  ageSeconds?: number;
  /** The signed body, if it differs from the sent one. */
  signedBody?: string;
}

function signature(body: string, { secret = SECRET, ageSeconds = 0, signedBody = body }: Signing = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const digest = createHmac("sha256", secret).update(`${timestamp}.${signedBody}`).digest("hex");
  return { "X-Timestamp": timestamp, "X-Signature": `v1=${digest}` };
}

async function sendCallback(
  raw: string,
  options: Omit<RequestOptions, "body" | "raw"> = {},
): Promise<TestResponse & { enqueued: string[] }> {
  const client = createClient(null);
  const answer = await client.call("POST", PATH, { raw, headers: signature(raw), ...options });
  return { ...answer, enqueued: client.enqueuedDeliveries.flatMap(({ deliveryIds }) => deliveryIds) };
}

const toBody = (id: string) => JSON.stringify({ delivery_id: id });

/** Creates a handed-over delivery whose next check is in five minutes. */
async function createHandedOver({ type = "hosted", stage = "sent" }: { type?: "byo" | "hosted"; stage?: Stage } = {}) {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "tiktok", { type });
  const id = await createDelivery({ tenant, account }, new Date());
  const next = new Date(Date.now() + 300_000);
  await updateDeliveries([id], sql`stage = ${stage}, next_attempt_at = ${next.toISOString()}`);
  return { id, next };
}

test("200 makes only this delivery due now and enqueues it", async () => {
  const [one, other] = [await createHandedOver(), await createHandedOver()];
  const answer = await sendCallback(toBody(one.id));
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ ok: true, code: 200, message: expect.any(String), data: { due: true } });
  expect(answer.headers.get("x-request-id")).toBeTruthy();
  expect(answer.enqueued).toEqual([one.id]);
  expect((await readDelivery(one.id)).next?.getTime()).toBeLessThanOrEqual(Date.now());
  expect((await readDelivery(other.id)).next).toEqual(other.next);
});

test("200 changes only the time of the next check", async () => {
  const { id } = await createHandedOver();
  const { next: _before, ...before } = await readDelivery(id);
  await sendCallback(toBody(id));
  const { next: _after, ...after } = await readDelivery(id);
  expect(after).toEqual(before);
});

test("200 never postpones a due delivery, even if repeated", async () => {
  const { id } = await createHandedOver();
  const past = afterNoon(0);
  await updateDeliveries([id], sql`next_attempt_at = ${past.toISOString()}`);
  for (let times = 0; times < 2; times++) expect((await sendCallback(toBody(id))).status).toBe(200);
  expect((await readDelivery(id)).next).toEqual(past);
});

test("200 without effect for a delivery that is not handed over, is finished, or belongs to a connected account", async () => {
  const fresh = await createHandedOver({ stage: "new" });
  const armed = await createHandedOver({ stage: "armed" });
  const connected = await createHandedOver({ type: "byo" });
  for (const { id, next } of [fresh, armed, connected]) {
    const answer = await sendCallback(toBody(id));
    expect([answer.status, answer.body.data, answer.enqueued]).toEqual([200, { due: false }, []]);
    expect((await readDelivery(id)).next).toEqual(next);
  }
  const finished = await createHandedOver();
  await updateDeliveries([finished.id], sql`next_attempt_at = null`);
  for (const id of [finished.id, newId()]) {
    const answer = await sendCallback(toBody(id));
    expect([answer.status, answer.body.data, answer.enqueued]).toEqual([200, { due: false }, []]);
  }
  expect((await readDelivery(finished.id)).next).toBeNull();
});

test("200 for the previous secret while it is rotated", async () => {
  const { id } = await createHandedOver();
  const raw = toBody(id);
  const headers = signature(raw, { secret: "the previous secret" });
  const answer = await sendCallback(raw, { headers, env: { HOSTED_FLEET_SECRET_PREVIOUS: "the previous secret" } });
  expect(answer.status).toBe(200);
});

test.each<[string, Signing]>([
  ["another secret", { secret: "another" }],
  ["a timestamp more than 5 minutes ago", { ageSeconds: 305 }],
  ["a timestamp more than 5 minutes ahead", { ageSeconds: -305 }],
  ["the signature of another body", { signedBody: toBody(newId()) }],
])("401 invalid_signature for %s", async (_what, signing) => {
  const { id, next } = await createHandedOver();
  const raw = toBody(id);
  const answer = await sendCallback(raw, { headers: signature(raw, signing) });
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({ ok: false, code: 401, message: expect.any(String), error_code: "invalid_signature" });
  expect(answer.enqueued).toEqual([]);
  expect((await readDelivery(id)).next).toEqual(next);
});

test("401 invalid_signature without headers, with a changed timestamp, and for other header formats", async () => {
  const raw = toBody(newId());
  const good = signature(raw);
  const moved = { ...good, "X-Timestamp": String(Number(good["X-Timestamp"]) + 1) };
  const spelled = [
    "",
    "v1=",
    good["X-Signature"].slice(3),
    `${good["X-Signature"]}00`,
    good["X-Signature"].toUpperCase(),
  ];
  const timed = ["", "now", "1e9", `${good["X-Timestamp"]}.0`].map((time) => ({ ...good, "X-Timestamp": time }));
  const wrong = [{}, moved, ...timed, ...spelled.map((text) => ({ ...good, "X-Signature": text }))];
  for (const headers of wrong) {
    const answer = await sendCallback(raw, { headers });
    expect([answer.status, answer.body.error_code]).toEqual([401, "invalid_signature"]);
  }
});

test("200 within 5 minutes before and after", async () => {
  const { id } = await createHandedOver();
  const raw = toBody(id);
  for (const ageSeconds of [290, -290]) {
    expect((await sendCallback(raw, { headers: signature(raw, { ageSeconds }) })).status).toBe(200);
  }
});

test.each([
  ["{", "not JSON"],
  ["", "empty body"],
  ["[]", "not an object"],
  ['{"delivery_id":"1"}', "not a UUID"],
  [`{"delivery_id":"${newId()}","status":"published"}`, "additional fields"],
])("422 invalid_payload for %s: %s", async (raw) => {
  const answer = await sendCallback(raw);
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(answer.body.issues).toBeDefined();
});

test("401 before 422 when the signature is missing", async () => {
  expect((await sendCallback("{", { headers: {} })).status).toBe(401);
});

test("503 provider_unavailable without a configured hosted publisher, even with a valid signature", async () => {
  const raw = toBody(newId());
  for (const missing of ["HOSTED_FLEET_URL", "HOSTED_FLEET_SECRET"]) {
    const answer = await sendCallback(raw, { headers: signature(raw), env: { [missing]: undefined } });
    expect([answer.status, answer.body.error_code]).toEqual([503, "provider_unavailable"]);
  }
});

test("405 for other methods than POST", async () => {
  const answer = await createClient(null).get(PATH);
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
});
