// Tests the claims of one invocation: its limits, the deliveries that cron lists, and concurrent transactions.
import { sql } from "drizzle-orm";
import pg from "pg";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { enqueueDueDeliveries } from "../../functions/cron/deliveries.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { listDueAccounts } from "../../lib/queries/due-accounts.ts";
import { createTestPublisher, openTestDatabase, queryRows } from "../support/harness.ts";
import { runQueue } from "../support/queue.ts";
import {
  afterNoon,
  connectAccount,
  createDelivery,
  NOON,
  readDelivery,
  readTrace,
  scriptNetwork,
  updateDeliveries,
} from "./scripted-network.ts";

test("after a minute the remaining deliveries are enqueued again", async () => {
  const setting = await connectAccount("instagram");
  const ids = [await createDelivery(setting, NOON), await createDelivery(setting, afterNoon(1))];
  const clock = { advance: (_ms: number) => {} };
  const slow = () => {
    clock.advance(60_001);
    return Response.json({ id: "17801" });
  };
  const { services, enqueuedDeliveries, advance } = createTestPublisher(afterNoon(1_000), {
    fetch: scriptNetwork({ container: [slow] }).fetch,
  });
  clock.advance = advance;
  await publishDue(services, ids);
  expect((await readDelivery(ids[1] ?? "")).stage).toBe("new");
  expect(await readTrace(ids[1] ?? "")).toEqual([]);
  expect(enqueuedDeliveries.at(-1)).toEqual({ deliveryIds: ids.slice(1), kind: "posts", delaySeconds: 0 });
});

test("after 150 claims the remaining deliveries are enqueued again", async () => {
  const setting = await connectAccount("instagram");
  const [first, postId] = [await createDelivery(setting, NOON), newId()];
  const accounts = await Promise.all(Array.from({ length: 6 }, () => connectAccount("instagram")));
  // Attempts on disconnected accounts are cheapest; six accounts, because each has one delivery at a time.
  const accountIds = `{${accounts.map(({ account }) => account.id).join(",")}}`;
  await queryRows(sql`update accounts set status = 'revoked' where id = any(${accountIds}::uuid[]) returning id`);
  const copies = await queryRows<{ id: string }>(sql`
    with p as (
      insert into posts (id, owner_id, workspace_id, caption, settings, metadata, payload_hash)
      select md5(${postId} || n)::uuid, owner_id, workspace_id, caption, settings, metadata, ''
      from posts, generate_series(1, 26) n where id = (select post_id from post_deliveries where id = ${first})
      returning id
    )
    insert into post_deliveries (id, post_id, account_id, position, status, due_at, next_attempt_at, deadline_at)
    select gen_random_uuid(), p.id, a.id, 0, 'pending', d.due_at, d.next_attempt_at, d.deadline_at
    from p, accounts a, post_deliveries d
    where d.id = ${first} and a.id = any(${accountIds}::uuid[])
    returning id`);
  const ids = copies.map(({ id }) => id);
  const countAttempted = async () => {
    const [row] = await queryRows<{ n: number }>(
      sql`select count(*)::int as n from post_deliveries where id = any(${`{${ids.join(",")}}`}::uuid[]) and last_attempted_at is not null`,
    );
    return row?.n;
  };
  const { services, enqueuedDeliveries } = createTestPublisher(NOON);
  await publishDue(services, ids);
  expect([ids.length, await countAttempted()]).toEqual([156, 150]);
  const again = enqueuedDeliveries
    .filter(({ delaySeconds }) => delaySeconds === 0)
    .flatMap(({ deliveryIds }) => deliveryIds);
  expect(again.length).toBeGreaterThan(0);
  await publishDue(services, again);
  expect(await countAttempted()).toBe(156);
});

test("the sweep lists the earliest delivery of each account that no network has taken, and what is to be checked", async () => {
  const [busy, quiet, held] = [
    await connectAccount("instagram"),
    await connectAccount("instagram"),
    await connectAccount("instagram"),
  ];
  const queue: string[] = [];
  for (let at = 0; at < 8; at++) queue.push(await createDelivery(busy, afterNoon(at)));
  const [taken = "", begun = ""] = queue.slice(6);
  await updateDeliveries([taken], sql`stage = 'sent'`);
  await updateDeliveries([begun], sql`stage = 'started'`);
  const [single] = [await createDelivery(quiet, afterNoon(30_000)), await createDelivery(quiet, afterNoon(40_000))];
  const leased = await createDelivery(held, NOON);
  const until = afterNoon(600_000).toISOString();
  await queryRows(sql`update accounts set lease_until = ${until} where id = ${held.account.id} returning id`);
  const ids = [...queue, single, leased];
  const listed: string[] = [];
  for (let after: string | null = "00000000-0000-0000-0000-000000000000"; after !== null; ) {
    const request = { now: NOON, until: afterNoon(60_000), afterAccountId: after, limit: 3 };
    const page = await listDueAccounts(openTestDatabase(), request);
    listed.push(...page.due.map(({ id }) => id).filter((id) => ids.includes(id)));
    after = page.lastAccountId;
  }
  await updateDeliveries(ids, sql`next_attempt_at = null`);
  expect(new Set(listed)).toEqual(new Set([queue[0], taken, single]));
  expect(listed).toHaveLength(3);
});

test("what crashed consumers hold is enqueued for the end of its lease, if that is before the next runs of cron", async () => {
  const [crashed, checking, refreshing, long] = [
    await connectAccount("instagram"),
    await connectAccount("instagram"),
    await connectAccount("instagram"),
    await connectAccount("instagram"),
  ];
  const ids = [
    await createDelivery(crashed, NOON),
    await createDelivery(checking, NOON),
    await createDelivery(refreshing, NOON),
    await createDelivery(long, NOON),
  ];
  const [published = "", checked = "", waiting = "", held = ""] = ids;
  const lease = (ms: number) => sql`lease_token = ${newId()}, lease_until = ${afterNoon(ms).toISOString()}`;
  const leaseAccount = (id: string, ms: number) =>
    queryRows(sql`update accounts set ${lease(ms)} where id = ${id} returning id`);
  // A consumer holds the delivery and its account, a check the delivery alone, a token refresh the account alone.
  await updateDeliveries([published], lease(55_000));
  await leaseAccount(crashed.account.id, 55_000);
  await updateDeliveries([checked], sql`stage = 'sent', ${lease(40_000)}`);
  await leaseAccount(refreshing.account.id, 30_000);
  await updateDeliveries([held], lease(600_000));
  await leaseAccount(long.account.id, 600_000);
  const publisher = createTestPublisher(NOON, { fetch: scriptNetwork({}).fetch });
  await enqueueDueDeliveries(publisher.services);
  const delays = publisher.enqueuedDeliveries
    .splice(0)
    .flatMap(({ deliveryIds, delaySeconds }) => deliveryIds.map((id) => [id, delaySeconds] as const));
  const found = new Map(delays.filter(([id]) => ids.includes(id)));
  expect(found).toEqual(
    new Map([
      [published, 56],
      [checked, 41],
      [waiting, 31],
    ]),
  );
  // Nobody else knows of it: the message of cron alone publishes it, right after the lease.
  publisher.services.enqueueDeliveries([published], found.get(published) ?? Number.NaN, "posts");
  await runQueue(publisher, afterNoon(60_000));
  const row = await readDelivery(published);
  await updateDeliveries(ids, sql`next_attempt_at = null`);
  expect(row).toMatchObject({ status: "posted" });
});

test("a due delivery leaves within 2 s beside 1,001 accounts whose due deliveries have to wait", async () => {
  const [crowd, setting] = [await connectAccount("instagram"), await connectAccount("instagram")];
  const first = await createDelivery(crowd, NOON);
  // Each account has a delivery whose outcome is checked later, and two due ones behind it.
  await queryRows(sql`
    with made as (
      insert into accounts (id, owner_id, workspace_id, platform, type, status, username, display_name, external_id)
      select gen_random_uuid(), owner_id, workspace_id, platform, type, status, username, display_name, 'crowd' || n
      from accounts, generate_series(1, 1001) n where accounts.id = ${crowd.account.id} returning id, owner_id, workspace_id
    ), copied as (
      insert into posts (id, owner_id, workspace_id, caption, status, settings, metadata, payload_hash)
      select gen_random_uuid(), made.owner_id, made.workspace_id, made.id || ' ' || n, 'scheduled', '{}', '{}', 'x'
      from made, generate_series(1, 3) n returning id, caption
    )
    insert into post_deliveries (id, post_id, account_id, position, status, stage, due_at, next_attempt_at, deadline_at)
    select gen_random_uuid(), id, split_part(caption, ' ', 1)::uuid, 0, 'pending',
      case when caption like '% 1' then 'armed' else 'new' end, ${NOON.toISOString()}::timestamptz - interval '1 hour',
      ${NOON.toISOString()}::timestamptz + case when caption like '% 1' then interval '1 hour' else interval '-1 hour' end,
      ${NOON.toISOString()}::timestamptz + interval '1 day' from copied returning id`);
  const id = await createDelivery(setting, NOON);
  const publisher = createTestPublisher(NOON, { fetch: scriptNetwork({}).fetch });
  await enqueueDueDeliveries(publisher.services);
  const sent = publisher.enqueuedDeliveries.splice(0);
  const enqueued = sent.flatMap(({ deliveryIds }) => deliveryIds);
  const message = sent.find(({ deliveryIds }) => deliveryIds.includes(id));
  publisher.services.enqueueDeliveries([id], message?.delaySeconds ?? Number.NaN, "posts");
  await runQueue(publisher, afterNoon(60_000));
  const [row] = await queryRows<{ late: number }>(
    sql`select extract(epoch from published_at - due_at)::float8 as late from post_deliveries where id = ${id}`,
  );
  await queryRows(sql`delete from posts where workspace_id = ${crowd.tenant.workspaceId} returning id`);
  expect(enqueued).toContain(first);
  expect(row?.late).toBeLessThanOrEqual(2);
});

/** A Postgres server with several connections; the embedded one has a single connection. */
const server = process.env.LOCAL_POSTGRES_URL;

test.skipIf(!server)("a delivery is claimed while another transaction references its account", async () => {
  const setting = await connectAccount("instagram");
  const id = await createDelivery(setting, NOON);
  const other = new pg.Client({ connectionString: server });
  await other.connect();
  try {
    await other.query("begin");
    await other.query("select 1 from accounts where id = $1 for key share", [setting.account.id]);
    await publishDue(createTestPublisher(NOON, { fetch: scriptNetwork({}).fetch }).services, [id]);
    expect(await readDelivery(id)).toMatchObject({ status: "posted" });
  } finally {
    await other.end();
  }
});
