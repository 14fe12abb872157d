// Scheduled deliveries whose account, quota and rules are checked at the network before they are due.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { type DeliveryRisk, postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import type { Sandbox } from "../shared/scope.ts";
import { CONNECTION_COLUMNS } from "./accounts.ts";
import { CLAIMED_COLUMNS, type ClaimedDelivery } from "./deliveries.ts";
import { isAccountInMode } from "./scope.ts";
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
  /** Deliveries that are due by then are checked. */
  dueBy: Date;
  /** Deliveries at risk are checked again if their last check was before. */
  recheckBefore: Date;
  limit: number;
  /** Of a test scope only; else of live ones. */
  sandbox?: Sandbox | null;
}

/**
 * Marks deliveries as checked now, and returns them without a lease: they may change meanwhile. Of two runs at once the
 * second waits for the rows of the first, and checks them once more.
 */
export function claimRiskChecks(
  db: Db,
  { now, dueBy, recheckBefore, limit, sandbox }: DueChecks,
): Promise<ClaimedDelivery[]> {
  const isAhead = sql`${status} = 'scheduled' and ${stage} = 'new' and ${dueAt} > ${instant(now)} and ${dueAt} <= ${instant(dueBy)}`;
  const selectFirst = (condition: SQL) => sql`(select ${id}, ${dueAt} from ${postDeliveries}
    where ${isAhead} and ${condition} and ${isAccountInMode(accountId, sandbox)} order by ${dueAt} limit ${limit})`;
  const atRisk = sql`${risk} is not null and ${checkedAt} < ${instant(recheckBefore)}`;
  const update = db
    .update(postDeliveries)
    .set({ checkedAt: now })
    .from(sql`due_checks, ${accounts}, ${posts}`)
    .where(and(eq(id, sql`due_checks.id`), eq(accounts.id, accountId), eq(posts.id, postId)));
  return rawQuery(
    db,
    CHECKED_COLUMNS,
    (list) => sql`
      with due_checks as (
        select id from (${selectFirst(sql`${checkedAt} is null`)} union all ${selectFirst(atRisk)}) candidates
        order by due_at limit ${limit}
      )
      ${update.getSQL()} returning ${list}`,
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
