// The trace of deliveries: a partition per month, made ahead and dropped after 90 days. On a database of its own.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keepPartitions } from "../../functions/cron/partitions.ts";
import { maintainPartitions } from "../../lib/queries/partitions.ts";
import { insertAccount, insertOwner } from "../../lib/queries/tenants.ts";
import type { Db } from "../../lib/services/database.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import type { Database } from "../local/database.ts";
import { createTestPublisher } from "../support/harness.ts";
import { insertPosts } from "../support/insert-posts.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";

let database: Database;
let db: Db;
let deliveryId: string;
/** The last day of the month in which the database was migrated, which may have been the installation. */
let lastDay: Date;

const getMonth = (ahead: number, day = 15) =>
  new Date(Date.UTC(lastDay.getUTCFullYear(), lastDay.getUTCMonth() + ahead, day));
const nameOf = (date: Date) => `delivery_attempts_${date.toISOString().slice(0, 7).replace("-", "_")}`;
const keep = (now: Date) =>
  maintainPartitions(db, "delivery_attempts", { now, keepFrom: new Date(now.getTime() - 90 * DAY_MS) });

const insertAttempt = (at: Date) =>
  database.query(
    "insert into delivery_attempts (delivery_id, attempt, step, outcome, at) values ($1, 1, 'publish', 'posted', $2)",
    [deliveryId, at.toISOString()],
  );

const listRows = async () =>
  (
    await database.query<{ partition: string; count: number }>(
      "select tableoid::regclass::text as partition, count(*)::int as count from delivery_attempts group by 1 order by 1",
    )
  ).map(({ partition, count }) => [partition, count]);

beforeAll(async () => {
  ({ database, db } = await openSeparateDatabase("test"));
  const [bound] = await database.query<{ end: string }>(
    `select substring(pg_get_expr(relpartbound, oid) from $$TO \\('([^']+)$$)::timestamptz as end
      from pg_class where relname = 'delivery_attempts_before'`,
  );
  lastDay = new Date(new Date(bound?.end ?? "").getTime() - DAY_MS);
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
  const accountId = newId();
  const names = { username: "a", displayName: "a", externalId: "a", accessToken: null, refreshToken: null };
  const account = { ...names, id: accountId, platform: "bluesky", type: "byo", status: "active" } as const;
  await insertAccount(db, owner, { ...account, tokenExpiresAt: null });
  const spread = { created: [lastDay, lastDay], due: [lastDay, lastDay] } as const;
  await insertPosts(database.query, {
    tenant: owner,
    accountIds: [accountId],
    count: 1,
    statuses: ["posted"],
    label: "a",
    ...spread,
  });
  [{ id: deliveryId }] = (await database.query<{ id: string }>("select id from post_deliveries")) as [{ id: string }];
});

afterAll(() => database.close());

test("the coming months get their partitions once, and rows go into the partition of their month", async () => {
  expect(await keep(lastDay)).toEqual([`created ${nameOf(getMonth(1))}`, `created ${nameOf(getMonth(2))}`]);
  expect(await keep(lastDay)).toEqual([]);
  await insertAttempt(lastDay);
  await insertAttempt(getMonth(1));
  expect(await listRows()).toEqual([
    [nameOf(getMonth(1)), 1],
    ["delivery_attempts_before", 1],
  ]);
});

test("rows of a month without a partition are kept, and moved once it is made", async () => {
  await insertAttempt(getMonth(4));
  expect(await listRows()).toContainEqual(["delivery_attempts_default", 1]);
  expect(await keep(getMonth(3))).toContain(`created ${nameOf(getMonth(4))}`);
  expect(await listRows()).toContainEqual([nameOf(getMonth(4)), 1]);
  expect((await listRows()).map(([partition]) => partition)).not.toContain("delivery_attempts_default");
});

test("a month is dropped 90 days after it ended, and not a day before", async () => {
  const nextMonth = getMonth(1, 1);
  expect(await keep(new Date(nextMonth.getTime() + 90 * DAY_MS - 1))).not.toContain("dropped delivery_attempts_before");
  expect(await keep(new Date(nextMonth.getTime() + 90 * DAY_MS))).toContain("dropped delivery_attempts_before");
  expect(await listRows()).toEqual([
    [nameOf(getMonth(1)), 1],
    [nameOf(getMonth(4)), 1],
  ]);
});

test("cron does so in one minute of each hour, and ids go on", async () => {
  const at = new Date(getMonth(0, 1).getTime() + 400 * DAY_MS);
  const lines: Record<string, unknown>[] = [];
  const run = (minute: number) => {
    const { services } = createTestPublisher(new Date(at.getTime() + minute * 60_000), {
      log: (line) => lines.push(line),
    });
    return keepPartitions({ ...services, db });
  };
  await run(36);
  expect(lines).toEqual([]);
  await run(37);
  const dropped = (partition: string) => expect.arrayContaining([`dropped ${partition}`]);
  expect(lines).toEqual([
    { level: "info", table: "delivery_attempts", partitions: dropped(nameOf(getMonth(4))) },
    { level: "info", table: "events", partitions: dropped("events_before") },
  ]);
  expect(await listRows()).toEqual([]);
  await insertAttempt(at);
  const [row] = await database.query<{ id: string }>("select id from delivery_attempts");
  expect(Number(row?.id)).toBe(4);
});

test("deleting a delivery deletes its trace", async () => {
  await database.query("delete from posts");
  expect(await listRows()).toEqual([]);
});
