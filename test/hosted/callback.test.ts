// What the fleet of hosted accounts may call: only with its signature, and only to have one delivery looked at now.
import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import type { Stage } from "../../drizzle/schema/posts.ts";
import { type Answer, client, mintAccount, mintTenant, type Options, vars } from "../harness.ts";
import { later, rowOf, set, waiting } from "../publishing/wire.ts";

const PATH = "/hosted/callback";
const SECRET = vars.HOSTED_FLEET_SECRET ?? "";

interface Signing {
  secret?: string;
  ageSeconds?: number;
  /** What is signed, when it is not what is sent. */
  signs?: string;
}

function signature(body: string, { secret = SECRET, ageSeconds = 0, signs = body }: Signing = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const digest = createHmac("sha256", secret).update(`${timestamp}.${signs}`).digest("hex");
  return { "X-Timestamp": timestamp, "X-Signature": `v1=${digest}` };
}

async function report(
  raw: string,
  options: Omit<Options, "body" | "raw"> = {},
): Promise<Answer & { nudged: string[] }> {
  const fleet = client(null);
  const answer = await fleet.call("POST", PATH, { raw, headers: signature(raw), ...options });
  return { ...answer, nudged: fleet.nudged.flatMap(({ deliveryIds }) => deliveryIds) };
}

const bodyOf = (id: string) => JSON.stringify({ delivery_id: id });

/** A delivery that was handed over and is to be looked at in five minutes. */
async function handedOver({ type = "hosted", stage = "sent" }: { type?: "byo" | "hosted"; stage?: Stage } = {}) {
  const tenant = await mintTenant();
  const account = await mintAccount(tenant, "tiktok", { type });
  const id = await waiting({ tenant, account }, new Date());
  const next = new Date(Date.now() + 300_000);
  await set([id], sql`stage = ${stage}, next_attempt_at = ${next.toISOString()}`);
  return { id, next };
}

test("200 has the delivery looked at now, and nudges the publisher about it alone", async () => {
  const [one, other] = [await handedOver(), await handedOver()];
  const answer = await report(bodyOf(one.id));
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ ok: true, code: 200, message: expect.any(String), data: { due: true } });
  expect(answer.headers.get("x-request-id")).toBeTruthy();
  expect(answer.nudged).toEqual([one.id]);
  expect((await rowOf(one.id)).next?.getTime()).toBeLessThanOrEqual(Date.now());
  expect((await rowOf(other.id)).next).toEqual(other.next);
});

test("200 changes nothing but the time: what the fleet says is asked, not believed", async () => {
  const { id } = await handedOver();
  const { next: _before, ...before } = await rowOf(id);
  await report(bodyOf(id));
  const { next: _after, ...after } = await rowOf(id);
  expect(after).toEqual(before);
});

test("200 never puts off what is due already, however often it is repeated", async () => {
  const { id } = await handedOver();
  const past = later(0);
  await set([id], sql`next_attempt_at = ${past.toISOString()}`);
  for (let times = 0; times < 2; times++) expect((await report(bodyOf(id))).status).toBe(200);
  expect((await rowOf(id)).next).toEqual(past);
});

test("200 and nothing happens for a delivery that was not handed over, is over, or belongs to a connected account", async () => {
  const fresh = await handedOver({ stage: "new" });
  const armed = await handedOver({ stage: "armed" });
  const connected = await handedOver({ type: "byo" });
  for (const { id, next } of [fresh, armed, connected]) {
    const answer = await report(bodyOf(id));
    expect([answer.status, answer.body.data, answer.nudged]).toEqual([200, { due: false }, []]);
    expect((await rowOf(id)).next).toEqual(next);
  }
  const over = await handedOver();
  await set([over.id], sql`next_attempt_at = null`);
  for (const id of [over.id, newId()]) {
    const answer = await report(bodyOf(id));
    expect([answer.status, answer.body.data, answer.nudged]).toEqual([200, { due: false }, []]);
  }
  expect((await rowOf(over.id)).next).toBeNull();
});

test.each<[string, Signing]>([
  ["another secret", { secret: "another" }],
  ["a timestamp of more than 5 minutes ago", { ageSeconds: 305 }],
  ["a timestamp of more than 5 minutes ahead", { ageSeconds: -305 }],
  ["the signature of another body", { signs: bodyOf(newId()) }],
])("401 invalid_signature for %s", async (_what, signing) => {
  const { id, next } = await handedOver();
  const raw = bodyOf(id);
  const answer = await report(raw, { headers: signature(raw, signing) });
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({ ok: false, code: 401, message: expect.any(String), error_code: "invalid_signature" });
  expect(answer.nudged).toEqual([]);
  expect((await rowOf(id)).next).toEqual(next);
});

test("401 invalid_signature without headers, with a moved timestamp, and for all but the one spelling", async () => {
  const raw = bodyOf(newId());
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
    const answer = await report(raw, { headers });
    expect([answer.status, answer.body.error_code]).toEqual([401, "invalid_signature"]);
  }
});

test("200 within the 5 minutes, to either side", async () => {
  const { id } = await handedOver();
  const raw = bodyOf(id);
  for (const ageSeconds of [290, -290]) {
    expect((await report(raw, { headers: signature(raw, { ageSeconds }) })).status).toBe(200);
  }
});

test.each([
  ["{", "no JSON"],
  ["", "nothing"],
  ["[]", "no object"],
  ['{"delivery_id":"1"}', "no UUID"],
  [`{"delivery_id":"${newId()}","status":"published"}`, "more than the id"],
])("422 invalid_payload for %s: %s", async (raw) => {
  const answer = await report(raw);
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
  expect(answer.body.issues).toBeDefined();
});

test("401 comes before 422: who may not call learns nothing about the body", async () => {
  expect((await report("{", { headers: {} })).status).toBe(401);
});

test("503 provider_unavailable where no fleet is set up, even for its own signature", async () => {
  const raw = bodyOf(newId());
  for (const missing of ["HOSTED_FLEET_URL", "HOSTED_FLEET_SECRET"]) {
    const answer = await report(raw, { headers: signature(raw), env: { [missing]: undefined } });
    expect([answer.status, answer.body.error_code]).toEqual([503, "provider_unavailable"]);
  }
});

test("405 for any method but POST", async () => {
  const answer = await client(null).get(PATH);
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
});
