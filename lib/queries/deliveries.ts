// Deliveries under a lease: what a worker reads with its claim, the steps that it records, and the end of the lease.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { files } from "../../drizzle/schema/files.ts";
import {
  type DeliveryRisk,
  type DeliveryWarning,
  deliveryAttempts,
  postDeliveries,
  posts,
  type Stage,
} from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import type { DeliveryPart } from "../shared/post-content.ts";
import type { DeliveryStatus } from "../shared/post-status.ts";
import { CONNECTION_COLUMNS } from "./accounts.ts";
import { type DueDelivery, NEXT_COLUMNS, nextDelivery, selectNextDelivery } from "./due-accounts.ts";
import { selectMediaUrls } from "./editable-posts.ts";
import { hasLease, withClockSkew } from "./jobs.ts";
import { CONTENT_COLUMNS } from "./posts.ts";
import { columnNames, instant, jsonList, jsonObject, type RowOf, rawQuery, required, typedAs } from "./sql.ts";
import { hasWebhooks } from "./webhooks.ts";

const { id, accountId, status, stage, dueAt, nextAttemptAt, leaseToken, leaseUntil } = postDeliveries;

export const CONNECTION = jsonObject(CONNECTION_COLUMNS);

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
  /** The account is leased with it: nothing else of the account is published meanwhile. */
  holdsAccount: sql<boolean>`locked_deliveries.holds_account`,
  deadlineAt: required(postDeliveries.deadlineAt),
  part: postDeliveries.part,
  parts: postDeliveries.parts,
  /** What the network knows the post by, and calls it, once it is out. */
  platformPostId: postDeliveries.platformPostId,
  publishedUrl: postDeliveries.publishedUrl,
  postHandle: postDeliveries.postHandle,
  /** False if the account now belongs to another scope than the post. */
  inScope: sql<boolean>`locked_deliveries.scope_id = ${posts.scopeId}`,
  scopeId: posts.scopeId,
  hasWebhooks: hasWebhooks(posts.scopeId),
  post: jsonObject(CONTENT_COLUMNS),
  account: typedAs(sql`locked_deliveries.account`, CONNECTION),
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
  warnings?: DeliveryWarning[] | null;
  part?: number;
  parts?: DeliveryPart[];
  postHandle?: Record<string, unknown> | null;
}

type Claim = Pick<ClaimedDelivery, "id" | "leaseToken" | "account">;

export interface RecordedStep {
  /** The delivery that is due on the account, if the step made the account free. */
  next: DueDelivery[];
}

const hasDeliveryLease = (claimed: Claim): SQL | undefined =>
  and(eq(id, claimed.id), hasLease(postDeliveries, claimed));

const hasAccountLease = (claimed: Claim): SQL | undefined =>
  and(eq(accounts.id, claimed.account.id), hasLease(accounts, claimed));

/**
 * Writes a step under the lease and adds it to the trace, in one statement. Null if the lease was lost: another worker
 * has taken over and the caller must stop. `until` null ends the lease on delivery and account. It locks the delivery,
 * then the account, and waits for an edit of the post or a reconnection that holds them; a claim skips both meanwhile.
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
  const deliveryUpdate = db
    .update(postDeliveries)
    .set({ ...change, ...lease, claims: 0, updatedAt: now })
    .where(hasDeliveryLease(claimed))
    .returning({ id });
  const accountUpdate = db.update(accounts).set(lease).where(hasAccountLease(claimed));
  // The row as it is before this statement still holds the others back, so whether it does is decided here.
  const isAccepted = (change.stage ?? claimed.stage) === "sent" || change.nextAttemptAt === null;
  const isNextFree = until === null && claimed.holdsAccount && isAccepted;
  const [recorded] = await rawQuery(
    db,
    { next: isNextFree ? listNext(claimed, now) : sql<DueDelivery[]>`'[]'::jsonb` },
    (list) => sql`
      with updated_delivery as ${deliveryUpdate}, updated_account as ${accountUpdate}
      ${insertTrace(trace, change.attempts ?? claimed.attempts, now)} returning ${list}`,
  );
  return recorded ?? null;
}

/** The delivery that follows on the account of a claimed one, as a list in JSON of at most one. */
function listNext(claimed: Claim, now: Date): SQL<DueDelivery[]> {
  const attempt = { now, dueBy: withClockSkew(now), except: claimed.id };
  const next = selectNextDelivery(sql`${claimed.account.id}::uuid`, attempt);
  return jsonList(NEXT_COLUMNS, {
    from: sql`from (${next}) ${nextDelivery} join ${posts} on ${posts.id} = ${nextDelivery.postId}`,
  });
}

/** Adds a line to the trace of the delivery in the CTE `updated_delivery`. */
export function insertTrace(trace: TraceEntry, attempts: number, now: Date): SQL {
  const { deliveryId, attempt, step, outcome, code, message, at } = deliveryAttempts;
  return sql`
    insert into ${deliveryAttempts} (${columnNames([deliveryId, attempt, step, outcome, code, message, at])})
    select updated_delivery.id, ${attempts}::int, ${trace.step}, ${trace.outcome},
      ${trace.code ?? null}, ${trace.message ?? null}, ${instant(now)}
    from updated_delivery`;
}

/** Extends the lease during a long step, and stores how far it has come; false if the lease was lost. It locks as `recordStep` does. */
export async function extendDeliveryLease(
  db: Db,
  claimed: Claim,
  until: Date,
  progress: Pick<DeliveryChange, "stage" | "handle"> | null,
): Promise<boolean> {
  const accountUpdate = db.update(accounts).set({ leaseUntil: until }).where(hasAccountLease(claimed));
  const change = { leaseUntil: until, ...(progress && { ...progress, claims: 0 }) };
  const deliveryUpdate = db.update(postDeliveries).set(change).where(hasDeliveryLease(claimed));
  const rows = await rawQuery(
    db,
    { id },
    (list) => sql`with updated_account as ${accountUpdate} ${deliveryUpdate.getSQL()} returning ${list}`,
  );
  return rows.length > 0;
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
