// Scheduled deliveries whose account, quota and rules are checked at the network before they are due.
import { and, eq, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { type DeliveryRisk, postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import { CONNECTION_COLUMNS } from "./accounts.ts";
import { CLAIMED_COLUMNS, type ClaimedDelivery } from "./deliveries.ts";
import { instant, jsonObject, rawQuery } from "./sql.ts";

const { id, accountId, postId, status, stage, dueAt, checkedAt, risk } = postDeliveries;

/** As a claim returns it, but nothing is leased. */
const CHECKED_COLUMNS = {
  ...CLAIMED_COLUMNS,
  leaseToken: sql<string>`''`,
  leaseUntil: CLAIMED_COLUMNS.dueAt,
  holdsAccount: sql<boolean>`false`,
  inScope: sql<boolean>`${accounts.scopeId} = ${posts.scopeId}`,
  account: jsonObject(CONNECTION_COLUMNS),
};

export interface DueChecks {
  now: Date;
  /** Those due by then are checked. */
  dueBy: Date;
  /** Those at risk are checked again if that was before. */
  recheckBefore: Date;
  limit: number;
}

/** Marks deliveries as checked now, and returns them without a lease: what is checked may change meanwhile. */
export function claimRiskChecks(db: Db, { now, dueBy, recheckBefore, limit }: DueChecks): Promise<ClaimedDelivery[]> {
  const isAhead = sql`${status} = 'scheduled' and ${stage} = 'new' and ${dueAt} > ${instant(now)} and ${dueAt} <= ${instant(dueBy)}`;
  const taken = db
    .update(postDeliveries)
    .set({ checkedAt: now })
    .from(sql`taken, ${accounts}, ${posts}`)
    .where(and(eq(id, sql`taken.id`), eq(accounts.id, accountId), eq(posts.id, postId)));
  return rawQuery(
    db,
    CHECKED_COLUMNS,
    (list) => sql`
      with taken as (
        select id from (
          (select ${id}, ${dueAt} from ${postDeliveries} where ${isAhead} and ${checkedAt} is null
            order by ${dueAt} limit ${limit})
          union all
          (select ${id}, ${dueAt} from ${postDeliveries} where ${isAhead} and ${risk} is not null
            and ${checkedAt} < ${instant(recheckBefore)} order by ${dueAt} limit ${limit})
        ) ahead order by due_at limit ${limit}
      )
      ${taken.getSQL()} returning ${list}`,
  );
}

/** Stores what a check found, unless the post was changed or begun since. */
export async function saveDeliveryRisk(
  db: Db,
  delivery: string,
  checked: Date,
  found: DeliveryRisk | null,
): Promise<void> {
  await db
    .update(postDeliveries)
    .set({ risk: found })
    .where(and(eq(id, delivery), eq(checkedAt, checked), eq(status, "scheduled"), eq(stage, "new")));
}
