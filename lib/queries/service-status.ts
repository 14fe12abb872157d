// Counts the outcomes of the deliveries of the last hour, per network.
import { sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { deliveryAttempts, postDeliveries } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import type { Platform } from "../shared/platforms.ts";
import { inMode, isAccountInMode } from "./scope.ts";
import { instant, rawQuery } from "./sql.ts";

/** The newest of the period: each costs two reads by primary key. */
const MAX_ENDED = 20_000;
const MAX_OVERDUE = 1_000;

const FIELDS = {
  platform: sql<Platform>`platform`,
  published: sql<number>`published`,
  failed: sql<number>`failed`,
  latenessP50Ms: sql<number | null>`p50`,
  latenessP95Ms: sql<number | null>`p95`,
  overdue: sql<number>`overdue`,
};

/** One row per network that published, or should have published. */
export function readNetworkStatus(db: ReadOnlyDb, { since, overdueSince }: { since: Date; overdueSince: Date }) {
  const { id, accountId, status, dueAt, nextAttemptAt } = postDeliveries;
  const { deliveryId, outcome, at } = deliveryAttempts;
  return rawQuery(
    db,
    FIELDS,
    (list) => sql`
      with ended as (
        select ${deliveryId}, ${outcome}, ${at} from ${deliveryAttempts}
        where ${at} >= ${instant(since)} and ${outcome} in ('posted', 'failed') order by ${at} desc limit ${MAX_ENDED}
      ), rates as (
        select ${accounts.platform} as network, count(*) filter (where ended.outcome = 'posted')::int as published,
          count(*) filter (where ended.outcome = 'failed')::int as failed,
          (percentile_cont(0.5) within group (order by late) filter (where ended.outcome = 'posted') * 1000)::int as p50,
          (percentile_cont(0.95) within group (order by late) filter (where ended.outcome = 'posted') * 1000)::int as p95
        from ended join ${postDeliveries} on ${id} = ended.delivery_id join ${accounts} on ${accounts.id} = ${accountId}
          and ${inMode(accounts.scopeId, null)}
        cross join lateral (select greatest(0, extract(epoch from ended.at - ${dueAt})) as late) lateness
        group by ${accounts.platform}
      ), waiting as (
        select ${accountId} from ${postDeliveries}
        where ${nextAttemptAt} < ${instant(overdueSince)} and ${dueAt} < ${instant(overdueSince)} and ${status} <> 'posted'
          and ${isAccountInMode(accountId, null)}
        limit ${MAX_OVERDUE}
      ), late as (
        select ${accounts.platform} as network, count(*)::int as overdue
        from waiting join ${accounts} on ${accounts.id} = waiting.account_id group by ${accounts.platform}
      )
      select ${list} from (
        select coalesce(rates.network, late.network) as platform, coalesce(published, 0) as published,
          coalesce(failed, 0) as failed, p50, p95, coalesce(overdue, 0) as overdue
        from rates full join late on late.network = rates.network
      ) networks order by platform`,
  );
}

export async function pingDatabase(db: ReadOnlyDb): Promise<void> {
  await rawQuery(db, { one: sql<number>`1` }, (list) => sql`select ${list}`);
}
