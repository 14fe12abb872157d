// How long and how often: waiting times that networks name, the deadline, and tokens that are traded once.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publisher.ts";
import { DEADLINE_AFTER_DUE_MS } from "../../lib/publishing/timing.ts";
import { unseal } from "../../lib/secrets.ts";
import { database, publisher, rows, vars } from "../harness.ts";
import { connected, flaky, later, NOON, network, refused, rowOf, untilDone, type Waiting, waiting } from "./wire.ts";

const busy = (seconds: number) => refused(429, {}, { "retry-after": String(seconds) });

test("Retry-After: 0 is a pause all the same", async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const wire = network({ creator: [busy(0)] });
  const { world } = publisher(NOON, { fetch: wire.fetch });
  await publishDue(world, [id]);
  expect(wire.times("creator")).toBe(1);
  const { next, error_message } = await rowOf(id);
  expect(next?.getTime()).toBeGreaterThanOrEqual(later(15_000).getTime());
  expect(error_message).toContain(next?.toISOString());
});

test("a limit without an end is asked about ever less often, until the deadline", async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const wire = network({ creator: [refused(429, {})] });
  const { world, pass } = publisher(NOON, { fetch: wire.fetch });
  const waits: number[] = [];
  for (let tries = 1; tries < 1000; tries++) {
    await publishDue(world, [id]);
    const { status, next, error_message } = await rowOf(id);
    if (status === "failed" || !next) break;
    expect(error_message).toContain(next.toISOString());
    waits.push(next.getTime() - world.clock().getTime());
    pass(waits.at(-1) ?? 0);
  }
  const [first = 0] = waits;
  expect(first).toBeGreaterThanOrEqual(60_000);
  expect(waits.slice(0, -1)).toEqual(waits.slice(0, -1).toSorted((a, b) => a - b));
  expect(Math.max(...waits)).toBeLessThanOrEqual(15 * 60_000);
  // A try each minute would have been 1,440.
  expect(wire.times("creator")).toBeGreaterThan(90);
  expect(wire.times("creator")).toBeLessThan(130);
  expect((await rowOf(id)).error_code).toBe("deadline_exceeded");
}, 60_000);

test("Retry-After beyond the deadline is cut to it, where the delivery fails with the network's words", async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const wire = network({ creator: [busy(48 * 3600)] });
  const { world, pass } = publisher(NOON, { fetch: wire.fetch });
  await publishDue(world, [id]);
  const { next, deadline, error_message } = await rowOf(id);
  expect([next, deadline]).toEqual([later(DEADLINE_AFTER_DUE_MS), later(DEADLINE_AFTER_DUE_MS)]);
  // No try will be made at the deadline, so none is promised.
  expect(error_message).toContain(deadline.toISOString());
  expect(error_message).toContain(later(48 * 3_600_000).toISOString());
  expect(error_message).not.toMatch(/next try|nothing needs to be done/i);
  const row = await untilDone({ world, pass }, id);
  expect(row).toMatchObject({ status: "failed", error_code: "deadline_exceeded" });
  expect(row.error_message).toMatch(/a retry of the post tries again.*tiktok takes no more calls for this account/i);
  expect(wire.times("creator")).toBe(1);
});

test("the deadline tells what the caller was told last: a paused account, a network at work, a turn that never came", async () => {
  const after = later(DEADLINE_AFTER_DUE_MS + 1);
  const paused = await connected("instagram", { status: "paused" });
  const held = await waiting(paused, NOON);
  const first = publisher(NOON);
  await publishDue(first.world, [held]);
  const { error_message: told } = await rowOf(held);
  expect(told).toMatch(/is paused\. Resume it/);

  const slow = await connected("instagram");
  const begun = await waiting(slow, NOON);
  const wire = network({ status: [{ status_code: "IN_PROGRESS" }] });
  await publishDue(publisher(NOON, { fetch: wire.fetch }).world, [begun]);

  const never = await waiting(await connected("instagram"), NOON);
  await publishDue(publisher(after, { fetch: wire.fetch }).world, [held, begun, never]);
  const ends = await Promise.all([held, begun, never].map(rowOf));
  for (const row of ends) expect(row).toMatchObject({ status: "failed", error_code: "deadline_exceeded", next: null });
  expect(ends[0]?.error_message).toContain(told);
  expect(ends[1]?.error_message).toMatch(/instagram did not finish processing it/);
  expect(ends[2]?.error_message).toMatch(/its turn on the account .* never came/i);
});

const HOUR_LATER = { scheduled_at: later(3_600_000) };

const DEAD = refused(401, { error: { code: "access_token_invalid" } });

interface AccountRow {
  status: string;
  token_version: number;
  access_token: string;
  refresh_token: string;
}

async function accountOf({ account }: Waiting): Promise<AccountRow> {
  const [row] = await rows<AccountRow>(
    sql`select status, token_version, access_token, refresh_token from accounts where id = ${account.id}`,
  );
  if (!row) throw new Error("no account");
  return row;
}

const clear = (sealed: string) => unseal(vars.TOKEN_KEY ?? "", sealed);

test("a token traded at the start of an attempt is not traded again in it, and the rotated refresh token is kept", async () => {
  const setting = await connected("tiktok", { tokenExpiresAt: later(1_000) });
  const id = await waiting(setting, NOON);
  const wire = network({ creator: [DEAD] });
  expect(await untilDone(publisher(NOON, { fetch: wire.fetch }), id)).toMatchObject({
    status: "failed",
    error_code: "reconnect_required",
  });
  expect(wire.times("refresh")).toBe(1);
  const kept = await accountOf(setting);
  expect(kept).toMatchObject({ status: "disconnected", token_version: 1 });
  expect([await clear(kept.access_token), await clear(kept.refresh_token)]).toEqual(["fresh", "rotated"]);
});

test("the database is away when a token was traded: the rotated refresh token is kept all the same", async () => {
  const setting = await connected("tiktok", { tokenExpiresAt: later(1_000) });
  const id = await waiting(setting, NOON);
  const wire = network({});
  let failures = 0;
  const saves = (query: string) => query.includes("update accounts set access_token");
  const db = flaky(database(), (query) => (saves(query) && failures++ === 0 ? "before" : null));
  expect(await untilDone(publisher(NOON, { fetch: wire.fetch, db }), id)).toMatchObject({ status: "posted" });
  expect(wire.times("refresh")).toBe(1);
  const kept = await accountOf(setting);
  expect([await clear(kept.access_token), await clear(kept.refresh_token)]).toEqual(["fresh", "rotated"]);
});

test("a token that is refused in the middle of an attempt is traded, and the attempt goes on from its checkpoint", async () => {
  const setting = await connected("tiktok");
  const id = await waiting(setting, NOON);
  const wire = network({ publish: [DEAD, { data: { publish_id: "p1" } }] });
  expect(await untilDone(publisher(NOON, { fetch: wire.fetch }), id)).toMatchObject({ status: "posted", attempts: 1 });
  expect([wire.times("creator"), wire.times("refresh"), wire.times("publish")]).toEqual([1, 1, 2]);
  const bearers = wire.asked
    .filter(({ name }) => name === "publish")
    .map(({ init }) => new Headers(init.headers).get("authorization"));
  expect(bearers).toEqual([`Bearer ${setting.account.accessToken}`, "Bearer fresh"]);
});

test("an account that was connected anew meanwhile is not disconnected by the old token's refusal", async () => {
  const setting = await connected("tiktok");
  const [id, next] = [await waiting(setting, NOON), await waiting(setting, NOON, HOUR_LATER)];
  const reconnected = async () => {
    await rows(
      sql`update accounts set token_version = token_version + 1 where id = ${setting.account.id} returning id`,
    );
    return Response.json({ error: "invalid_grant" }, { status: 400 });
  };
  const wire = network({ creator: [DEAD], refresh: [reconnected] });
  await publishDue(publisher(NOON, { fetch: wire.fetch }).world, [id]);
  expect(await rowOf(id)).toMatchObject({ status: "failed", error_code: "reconnect_required" });
  expect(await accountOf(setting)).toMatchObject({ status: "active" });
  expect(await rowOf(next)).toMatchObject({ status: "scheduled", stage: "new" });
});

test("an account that nobody connected anew is disconnected, and what waited for it is void", async () => {
  const setting = await connected("tiktok");
  const [id, next] = [await waiting(setting, NOON), await waiting(setting, NOON, HOUR_LATER)];
  const wire = network({ creator: [DEAD], refresh: [refused(400, { error: "invalid_grant" })] });
  await publishDue(publisher(NOON, { fetch: wire.fetch }).world, [id]);
  expect(await accountOf(setting)).toMatchObject({ status: "disconnected" });
  expect(await rowOf(next)).toMatchObject({ status: "void", error_code: "account_disconnected", next: null });
});
