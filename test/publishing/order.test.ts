// Whose turn it is on an account: what was due first goes first, whichever delivery the publisher was nudged about.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { publishDue } from "../../lib/publishing/publisher.ts";
import { database, mintTenant, publisher, rows } from "../harness.ts";
import { connected, flaky, later, NOON, network, rowOf, set, waiting } from "./wire.ts";

test("a nudge about a later delivery serves the earlier ones of its account first", async () => {
  const setting = await connected("instagram");
  const first = await waiting(setting, NOON, { caption: "first" });
  const second = await waiting(setting, later(1), { caption: "second" });
  const wire = network({});
  const { world } = publisher(later(1_000), { fetch: wire.fetch });
  await publishDue(world, [second]);
  const captions = wire.asked.filter(({ name }) => name === "container").map(({ init }) => String(init.body));
  expect(captions.map((body) => (body.includes("first") ? "first" : "second"))).toEqual(["first", "second"]);
  for (const id of [first, second]) expect(await rowOf(id)).toMatchObject({ status: "posted", next: null });
});

test("a nudge about what is done already still serves what has become due on its account", async () => {
  const setting = await connected("instagram");
  const [done, due] = [await waiting(setting, NOON), await waiting(setting, later(1))];
  await set([done], sql`status = 'posted', stage = 'done', next_attempt_at = null`);
  const { world } = publisher(later(1_000), { fetch: network({}).fetch });
  await publishDue(world, [done]);
  expect(await rowOf(due)).toMatchObject({ status: "posted" });
});

test("what is not due yet stays, though its account is served", async () => {
  const setting = await connected("instagram");
  const [due, future] = [await waiting(setting, NOON), await waiting(setting, later(60_000))];
  const { world } = publisher(later(1_000), { fetch: network({}).fetch });
  await publishDue(world, [due, future]);
  expect(await rowOf(due)).toMatchObject({ status: "posted" });
  expect(await rowOf(future)).toMatchObject({ stage: "new", leaseUntil: null });
});

test("an account that went to another workspace is not posted to from the one that it left", async () => {
  const setting = await connected("instagram");
  const [fresh, begun] = [await waiting(setting, NOON), await waiting(setting, NOON)];
  await set(
    [begun],
    sql`stage = 'armed', armed_at = ${NOON.toISOString()}, handle = '{"container": "17801", "startedAt": 0}'`,
  );
  const { workspaceId } = await mintTenant();
  await rows(sql`update accounts set workspace_id = ${workspaceId} where id = ${setting.account.id} returning id`);
  const wire = network({ status: [{ status_code: "PUBLISHED" }] });
  await publishDue(publisher(later(120_000), { fetch: wire.fetch }).world, [fresh, begun]);
  expect(await rowOf(fresh)).toMatchObject({ status: "failed", error_code: "account_moved", next: null });
  // What may be out already is asked about all the same.
  expect(await rowOf(begun)).toMatchObject({ status: "posted" });
  expect(wire.times("container")).toBe(0);
});

test("the database fails a claim while a post is on its way: the invocation lasts until that one is settled", async () => {
  const setting = await connected("instagram");
  const id = await waiting(setting, NOON);
  const slow = async () => {
    await sleep(100);
    return Response.json({ id: "17801" });
  };
  let claims = 0;
  const db = flaky(database(), (query) => (query.includes("with served as") && ++claims === 2 ? "before" : null));
  const { world } = publisher(NOON, { fetch: network({ container: [slow] }).fetch, db });
  await expect(publishDue(world, [id])).rejects.toThrow(/database does not answer/);
  expect(await rowOf(id)).toMatchObject({ status: "posted" });
});
