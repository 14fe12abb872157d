// Deliveries: claimed under a lease when due, checkpointed at every step, ended once.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { files } from "../../drizzle/schema/files.ts";
import { type DeliveryRisk, deliveryAttempts, postDeliveries, posts, type Stage } from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import type { DeliveryStatus } from "../shared/post-status.ts";
import { CONNECTION_COLUMNS } from "./accounts.ts";
import { type DueDelivery, isDueCheck, isDuePreparation, selectNextDelivery, workKind } from "./due-accounts.ts";
import { selectMediaUrls } from "./editable-posts.ts";
import { hasLease, isUnleased, type JobClaim, takeLease, withClockSkew } from "./jobs.ts";
import { CONTENT_COLUMNS } from "./posts.ts";
import {
  columnNames,
  instant,
  jsonList,
  jsonObject,
  type RowOf,
  rawQuery,
  required,
  typedAs,
  uuidArray,
} from "./sql.ts";

const { id, accountId, postId, status, stage, dueAt, nextAttemptAt, leaseToken, leaseUntil } = postDeliveries;

const CONNECTION = jsonObject(CONNECTION_COLUMNS);

/** Everything one attempt needs, read together with the claim. */
export const CLAIMED_COLUMNS = {
  id,
  leaseToken: required(leaseToken),
  leaseUntil: required(leaseUntil),
  status,
  stage,
  handle: postDeliveries.handle,
  attempts: postDeliveries.attempts,
  /** Claims since the last checkpoint, this one included. */
  claims: postDeliveries.claims,
  /** The last error reported to the caller. */
  errorCode: postDeliveries.errorCode,
  errorMessage: postDeliveries.errorMessage,
  publishedAt: postDeliveries.publishedAt,
  armedAt: postDeliveries.armedAt,
  dueAt: required(dueAt),
  readyAt: postDeliveries.readyAt,
  risk: postDeliveries.risk,
  /** Whether the account is leased with it: nothing else of the account is published meanwhile. */
  holdsAccount: sql<boolean>`taken.holds_account`,
  deadlineAt: required(postDeliveries.deadlineAt),
  /** False if the account now belongs to another scope than the post. */
  inScope: sql<boolean>`taken.scope_id = ${posts.scopeId}`,
  scopeId: posts.scopeId,
  post: jsonObject(CONTENT_COLUMNS),
  account: typedAs(sql`taken.account`, CONNECTION),
  /** Facts of the media URLs that are files of the same scope. */
  files: jsonList(
    {
      url: files.url,
      mimeType: files.contentType,
      bytes: files.size,
      durationMs: files.durationMs,
      width: files.width,
      height: files.height,
    },
    {
      from: sql`from ${files} where ${files.scopeId} = ${posts.scopeId} and ${files.url} = any(array(${selectMediaUrls}))`,
    },
  ),
};
export type ClaimedDelivery = RowOf<typeof CLAIMED_COLUMNS>;

export interface DeliveryClaim extends JobClaim {
  /** The deliveries to check; posts are published on their accounts. */
  ids: string[];
  /** Leaves uploads to the consumers of their queue. */
  withoutUploads: boolean;
}

/**
 * Claims due deliveries. Of an account at most one is published at a time, the earliest first, and the account is leased
 * with it. Deliveries that a network has taken are only checked, and those that are not due only prepared: neither waits.
 */
export function claimDeliveries(db: Db, request: DeliveryClaim): Promise<ClaimedDelivery[]> {
  const { now } = request;
  const lease = { leaseToken: request.leaseToken, leaseUntil: request.leaseUntil };
  const soon = withClockSkew(now);
  const leased = db.update(accounts).set(lease).from(sql`published`).where(eq(accounts.id, sql`published.account_id`));
  const claimed = db
    .update(postDeliveries)
    .set({
      ...takeLease(postDeliveries, request),
      claimedAt: sql`coalesce(${postDeliveries.claimedAt}, ${instant(now)})`,
      lastAttemptedAt: sql`case when ${dueAt} <= ${instant(soon)} then ${instant(now)} else ${postDeliveries.lastAttemptedAt} end`,
      updatedAt: now,
      status: sql`case when ${status} = 'scheduled' and ${dueAt} <= ${instant(soon)} then 'pending' else ${status} end`,
    })
    .from(sql`taken, ${posts}`)
    .where(and(eq(id, sql`taken.id`), eq(posts.id, postId)));
  const isNoUpload = sql`exists (select from ${posts} where ${posts.id} = ${postId} and ${workKind} <> 'uploads')`;
  // Without a cached plan its planning takes longer than its execution, so the statement joins as little as it can. The
  // account is read where it is locked: another worker may have stored a new token since the statement began.
  return rawQuery(
    db,
    CLAIMED_COLUMNS,
    (list) => sql`
      with served as (
        select distinct ${accountId} from ${postDeliveries} where ${id} = any(${uuidArray(request.ids)})
      ), published as (
        select ${id}, ${accountId}, true as holds_account, ${accounts.scopeId}, ${CONNECTION} as account from served
        cross join lateral (${selectNextDelivery(sql`served.account_id`, { now, dueBy: soon })}) next
        join ${postDeliveries} on ${id} = next.id join ${accounts} on ${accounts.id} = served.account_id
        where ${nextAttemptAt} <= ${instant(soon)} and ${isUnleased(postDeliveries, now)} and ${isUnleased(accounts, now)}
          ${request.withoutUploads ? sql`and ${isNoUpload}` : sql``}
        order by ${dueAt} limit ${request.limit}
        for no key update of ${accounts}, ${postDeliveries} skip locked
      ), checked as (
        select ${id}, ${accountId}, false, ${accounts.scopeId}, ${CONNECTION} from ${postDeliveries}
        join ${accounts} on ${accounts.id} = ${accountId}
        where ${id} = any(${uuidArray(request.ids)}) and (${isDueCheck(now, soon)} or ${isDuePreparation(now, soon)}) is true
        limit ${request.limit} for no key update of ${postDeliveries} skip locked
      ), taken as (select * from published union all select * from checked), leased as ${leased}
      ${claimed.getSQL()} returning ${list}`,
  );
}

/** One line of the trace. */
export interface TraceEntry {
  step: string;
  outcome: string;
  code?: string | undefined;
  message?: string | undefined;
}

/** The columns that a step changes; absent ones keep their value. */
export interface DeliveryChange {
  status?: DeliveryStatus;
  stage?: Stage;
  handle?: Record<string, unknown> | null;
  attempts?: number;
  armedAt?: Date;
  readyAt?: Date | null;
  risk?: DeliveryRisk | null;
  nextAttemptAt?: Date | null;
  deadlineAt?: Date;
  errorCode?: string | null;
  errorMessage?: string | null;
  publishedAt?: Date;
  publishedUrl?: string | null;
  platformPostId?: string | null;
}

type Claim = Pick<ClaimedDelivery, "id" | "leaseToken" | "account">;

export interface RecordedStep {
  /** The delivery that is due on the account, if the step made the account free. */
  next: DueDelivery[];
}

const isHeld = (claimed: Claim): SQL | undefined => and(eq(id, claimed.id), hasLease(postDeliveries, claimed));

const isAccountHeld = (claimed: Claim): SQL | undefined =>
  and(eq(accounts.id, claimed.account.id), hasLease(accounts, claimed));

/**
 * Writes a step under the lease and adds it to the trace, in one statement. Null if the lease was lost: another worker
 * has taken over and the caller must stop. `until` null ends the lease on delivery and account.
 */
export async function recordStep(
  db: Db,
  claimed: Claim & Pick<ClaimedDelivery, "attempts" | "holdsAccount" | "stage">,
  change: DeliveryChange,
  trace: TraceEntry,
  now: Date,
  until: Date | null,
): Promise<RecordedStep | null> {
  const lease = { leaseToken: until && claimed.leaseToken, leaseUntil: until };
  const written = db
    .update(postDeliveries)
    .set({ ...change, ...lease, claims: 0, updatedAt: now })
    .where(isHeld(claimed))
    .returning({ id });
  const leased = db.update(accounts).set(lease).where(isAccountHeld(claimed));
  const { deliveryId, attempt, step, outcome, code, message, at } = deliveryAttempts;
  // The row as it is before this statement still holds the others back, so whether it does is decided here.
  const isTaken = (change.stage ?? claimed.stage) === "sent" || change.nextAttemptAt === null;
  const isNextFree = until === null && claimed.holdsAccount && isTaken;
  const soon = withClockSkew(now);
  const following = { now, dueBy: soon, except: claimed.id };
  const next = jsonList(
    { id, kind: workKind, dueAt: nextAttemptAt },
    {
      from: sql`from (${selectNextDelivery(sql`${claimed.account.id}::uuid`, following)}) ${postDeliveries}
        join ${posts} on ${posts.id} = ${postId}`,
    },
  );
  const [recorded] = await rawQuery(
    db,
    { next: isNextFree ? next : sql<DueDelivery[]>`'[]'::jsonb` },
    (list) => sql`
      with written as ${written}, leased as ${leased}
      insert into ${deliveryAttempts} (${columnNames([deliveryId, attempt, step, outcome, code, message, at])})
      select written.id, ${change.attempts ?? claimed.attempts}::int, ${trace.step}, ${trace.outcome},
        ${trace.code ?? null}, ${trace.message ?? null}, ${instant(now)}
      from written returning ${list}`,
  );
  return recorded ?? null;
}

/** Extends the lease during a long step, and stores how far it has come; false if the lease was lost. */
export async function extendDeliveryLease(
  db: Db,
  claimed: Claim,
  until: Date,
  progress: Pick<DeliveryChange, "stage" | "handle"> | null,
): Promise<boolean> {
  const account = db.update(accounts).set({ leaseUntil: until }).where(isAccountHeld(claimed));
  const change = { leaseUntil: until, ...(progress && { ...progress, claims: 0 }) };
  const delivery = db.update(postDeliveries).set(change).where(isHeld(claimed));
  const held = await rawQuery(
    db,
    { id },
    (list) => sql`with account as ${account} ${delivery.getSQL()} returning ${list}`,
  );
  return held.length > 0;
}

/** Makes a delivery that the hosted publisher has accepted due now; false if there is no such delivery, or nothing left to check. */
export async function makeDeliveryDue(db: Db, deliveryId: string, now: Date): Promise<boolean> {
  const due = await db
    .update(postDeliveries)
    .set({ nextAttemptAt: sql`least(${nextAttemptAt}, ${instant(now)})` })
    .from(accounts)
    .where(
      and(
        eq(id, deliveryId),
        eq(stage, "sent"),
        isNotNull(nextAttemptAt),
        eq(accounts.id, accountId),
        eq(accounts.type, "hosted"),
      ),
    )
    .returning({ id });
  return due.length > 0;
}

export interface NewAccountTokens {
  accessToken: string;
  /** Null when the network sent none: the stored one stays valid. */
  refreshToken: string | null;
  expiresAt: Date | null;
  /** When the refresh token ends; undefined when the network does not say, so that what is stored stays. */
  refreshTokenExpiresAt?: Date | null | undefined;
  refreshedAt: Date;
}

/** Stores refreshed tokens, unless the account was reconnected in the meantime. */
export async function saveAccountTokens(
  db: Db,
  account: string,
  version: number,
  tokens: NewAccountTokens,
): Promise<void> {
  const { accessToken, refreshToken, expiresAt, refreshTokenExpiresAt, refreshedAt } = tokens;
  await db
    .update(accounts)
    .set({
      accessToken,
      ...(refreshToken === null ? {} : { refreshToken }),
      ...(refreshTokenExpiresAt === undefined ? {} : { refreshTokenExpiresAt }),
      tokenExpiresAt: expiresAt,
      tokenRefreshedAt: refreshedAt,
      tokenVersion: version + 1,
      updatedAt: sql`now()`,
    })
    .where(and(eq(accounts.id, account), eq(accounts.tokenVersion, version)));
}

/**
 * Marks the account as disconnected. Its waiting deliveries stay scheduled until it is reconnected or they are due. No
 * effect if the account was reconnected or its token refreshed since the claim.
 */
export async function markAccountDisconnected(
  db: Db,
  account: ClaimedDelivery["account"],
  reason: string,
  now: Date,
): Promise<void> {
  await db
    .update(accounts)
    .set({ status: "disconnected", statusReason: reason, updatedAt: now })
    .where(and(eq(accounts.id, account.id), eq(accounts.tokenVersion, account.tokenVersion)));
}
