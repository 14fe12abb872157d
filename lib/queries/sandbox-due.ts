// When something next falls due in a test scope, of each kind of work: what its clock is moved to, one instant after another.
import { type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { analyticsRefreshes, analyticsTargets } from "../../drizzle/schema/analytics.ts";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { webhookDeliveries, webhooks } from "../../drizzle/schema/events.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import type { Platform } from "../shared/platforms.ts";
import { connectionEnd, type EndingTokens } from "./ending-accounts.ts";
import { instant, rawQuery, typedAs } from "./sql.ts";

export interface DueRules {
  /** Before a post is due it is checked at its network this long. */
  checkAheadMs: number;
  /** A post at risk is checked again after this. */
  recheckMs: number;
  /** Before a connection ends this is announced. */
  reconnectAheadMs: number;
  endingTokens: EndingTokens;
  /** A token that could not be refreshed is tried again after this. */
  tokenRetryMs: number;
  /** Per network, how long before its end an access token is refreshed, or how long after the last time a refresh token is used. */
  tokens: { platform: Platform; aheadMs?: number; everyMs?: number }[];
}

export type DueKind = "deliveries" | "checks" | "webhooks" | "refreshes" | "tokens" | "reconnects" | "approvals";

const ms = (value: number | SQL): SQL => sql`${value}::double precision * interval '1 millisecond'`;

/** The first instant after `after` of each kind; null where nothing is ahead. */
export async function findNextDue(
  db: ReadOnlyDb,
  scopeId: string,
  after: Date,
  { checkAheadMs, recheckMs, reconnectAheadMs, endingTokens, tokenRetryMs, tokens }: DueRules,
): Promise<Record<DueKind, Date | null>> {
  const { accountId, status, stage, dueAt, checkedAt, risk, nextAttemptAt, leaseUntil } = postDeliveries;
  const isOfScope = sql`${accounts.scopeId} = ${scopeId}::uuid`;
  const first = (at: SQL, from: SQL) =>
    typedAs(
      sql`(select min(at) from (select ${at} as at ${from}) instants where at > ${instant(after)})`,
      nextAttemptAt,
    );
  const ofDeliveries = (condition: SQL) =>
    sql`from ${postDeliveries} join ${accounts} on ${accounts.id} = ${accountId} where ${isOfScope} and ${condition}`;
  const isUnchecked = sql`${status} = 'scheduled' and ${stage} = 'new'`;
  const ends = connectionEnd(endingTokens);
  const rules = tokens.map(({ platform, aheadMs = null, everyMs = null }) => ({ platform, aheadMs, everyMs }));
  const tokenRules = sql`jsonb_to_recordset(${JSON.stringify(rules)}::jsonb) as rule(platform text, "aheadMs" bigint, "everyMs" bigint)`;
  const isLiving = sql`${isOfScope} and ${accounts.type} = 'byo' and ${accounts.status} in ('active', 'paused')`;
  const fields = {
    deliveries: first(
      sql`greatest(${nextAttemptAt}, ${leaseUntil} + interval '1 second')`,
      ofDeliveries(sql`${nextAttemptAt} is not null`),
    ),
    checks: first(
      sql`case when ${checkedAt} is null then ${dueAt} - ${ms(checkAheadMs)} else ${checkedAt} + ${ms(recheckMs + 1)} end`,
      ofDeliveries(sql`${isUnchecked} and (${checkedAt} is null or ${risk} is not null)`),
    ),
    webhooks: first(
      sql`greatest(${webhookDeliveries.nextAttemptAt}, ${webhookDeliveries.leaseUntil} + interval '1 second')`,
      sql`from ${webhookDeliveries} join ${webhooks} on ${webhooks.id} = ${webhookDeliveries.webhookId}
        where ${webhooks.scopeId} = ${scopeId}::uuid and ${webhooks.disabledAt} is null and ${webhookDeliveries.nextAttemptAt} is not null`,
    ),
    refreshes: first(
      sql`greatest(${analyticsRefreshes.nextAttemptAt}, ${analyticsRefreshes.leaseUntil} + interval '1 second')`,
      sql`from ${analyticsRefreshes} join ${analyticsTargets} on ${analyticsTargets.id} = ${analyticsRefreshes.targetId}
        where ${analyticsTargets.scopeId} = ${scopeId}::uuid and ${analyticsRefreshes.nextAttemptAt} is not null`,
    ),
    tokens: first(
      sql`greatest(case when rule."aheadMs" is not null then ${accounts.tokenExpiresAt} - ${ms(sql`rule."aheadMs"`)}
        when ${accounts.refreshToken} is not null
        then coalesce(${accounts.tokenRefreshedAt}, ${accounts.createdAt}) + ${ms(sql`rule."everyMs"`)} end,
        ${accounts.tokenTriedAt} + ${ms(tokenRetryMs + 1)})`,
      sql`from ${accounts} join ${tokenRules} on rule.platform = ${accounts.platform} where ${isLiving}
        and (case when rule."aheadMs" is not null then ${accounts.tokenExpiresAt} is not null else ${accounts.refreshToken} is not null end)`,
    ),
    reconnects: first(
      sql`${ends} - ${ms(reconnectAheadMs)}`,
      sql`from ${accounts} where ${isLiving} and ${accounts.reconnectAnnouncedFor} is distinct from ${ends}`,
    ),
    approvals: first(
      sql`${approvalLinks.expiresAt}`,
      sql`from ${approvalLinks} where ${approvalLinks.scopeId} = ${scopeId}::uuid
        and ${approvalLinks.decidedAt} is null and ${approvalLinks.withdrawnAt} is null`,
    ),
  };
  const [row] = await rawQuery(db, fields, (list) => sql`select ${list}`);
  if (!row) throw new Error("the database returned no row");
  return row;
}
