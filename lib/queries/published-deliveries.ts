// Deliveries that are out, leased for a change of what the network shows: a removal or an edit.
import { and, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import type { DeliveryStatus, PostStatus } from "../shared/post-status.ts";
import type { Scope } from "../shared/scope.ts";
import { CONNECTION_COLUMNS } from "./accounts.ts";
import { type DeliveryChange, insertTrace, type TraceEntry } from "./deliveries.ts";
import { hasLease, isUnleased, NO_LEASE } from "./jobs.ts";
import { CONTENT_COLUMNS } from "./posts.ts";
import { inScope } from "./scope.ts";
import { instant, json, jsonList, jsonObject, type RowOf, rawCommand, rawQuery, textArray } from "./sql.ts";

const { id, postId, accountId, status, stage, nextAttemptAt, part, parts } = postDeliveries;

type Handle = Record<string, unknown>;

/**
 * Why what is out is not changed now: the network is called for it, or was and has not said how that ended; a reply of its
 * thread or its first comment is still to follow; or it is not known whether that is out.
 */
type Obstacle = "call" | "part_to_come" | "part_unknown";

/** The delivery with what a call of its network needs. */
const DELIVERY_COLUMNS = {
  ...{ id, accountId, status, nextAttemptAt, parts, attempts: postDeliveries.attempts },
  /** The handle of the post itself: once a part follows, `handle` is that of the part. */
  handle: sql<Handle | null>`case when ${part} = 0 then ${postDeliveries.handle} else ${postDeliveries.postHandle} end`,
  ...{ platformPostId: postDeliveries.platformPostId, publishedAt: postDeliveries.publishedAt },
  publishedUrl: postDeliveries.publishedUrl,
  account: jsonObject(CONNECTION_COLUMNS),
};

const POST_COLUMNS = {
  id: posts.id,
  status: sql<PostStatus>`${posts.status}`,
  content: jsonObject(CONTENT_COLUMNS),
};

/** The states of a delivery whose post the network shows, complete or in part. */
export const OUT = ["posted", "partial"] as const satisfies DeliveryStatus[];

export type PublishedDelivery = RowOf<typeof DELIVERY_COLUMNS> & {
  obstacle: Obstacle | null;
  /** This request holds its lease. */
  isLeased: boolean;
};
export type PublishedPost = RowOf<typeof POST_COLUMNS> & { deliveries: PublishedDelivery[] };

interface PublishedClaim {
  postId: string;
  /** Null for all accounts of the post. */
  accountIds: readonly string[] | null;
  leaseToken: string;
  leaseUntil: Date;
  now: Date;
}

/**
 * Leases the published deliveries of a post, or none of them: when one of the selected has an obstacle, or an account is not
 * in the post. Null if the scope has no such post. The lease keeps workers and other requests away until it is recorded or
 * ends; a retry of the same request takes over its own.
 */
export async function leasePublished(db: Db, scope: Scope, claim: PublishedClaim): Promise<PublishedPost | null> {
  // The post is read by a statement of its own, which sees what a request that held the locks has stored.
  const [, [found]] = await db.batch([createLease(db, scope, claim), createRead(db, scope, claim)]);
  return found ?? null;
}

/** Locks the selected deliveries in the order of their ids, behind other requests for the post, and leases those that are out. */
function createLease(db: Db, scope: Scope, claim: PublishedClaim) {
  const lockedDeliveries = sql`
    select ${id}, ${status}, ${toObstacle(claim)} as obstacle from ${postDeliveries}
    join ${posts} on ${posts.id} = ${postId} join ${accounts} on ${accounts.id} = ${accountId}
    where ${isSelected(scope, claim)} order by ${id} for update of ${postDeliveries}`;
  // What is still to be published would be out again after a removal of the rest.
  const isBlocked = sql`exists (select from locked_deliveries where obstacle is not null or status in ('pending', 'scheduled', 'retry'))
    or (select count(*) from locked_deliveries) < ${claim.accountIds?.length ?? 0}::int`;
  const lease = db
    .update(postDeliveries)
    .set({ leaseToken: claim.leaseToken, leaseUntil: claim.leaseUntil })
    .from(sql`locked_deliveries`)
    .where(and(eq(id, sql`locked_deliveries.id`), inArray(status, [...OUT]), sql`not (${isBlocked})`));
  return rawCommand(db, sql`with locked_deliveries as (${lockedDeliveries}), leased_deliveries as ${lease} select`);
}

function createRead(db: Db, scope: Scope, claim: PublishedClaim) {
  const deliveries = jsonList(
    {
      ...DELIVERY_COLUMNS,
      obstacle: sql<Obstacle | null>`${toObstacle(claim)}`,
      isLeased: sql<boolean>`coalesce(${hasLease(postDeliveries, claim)}, false)`,
    },
    {
      from: sql`from ${postDeliveries} join ${accounts} on ${accounts.id} = ${accountId}
        where ${isSelected(scope, claim)}`,
      orderBy: sql`${postDeliveries.position}`,
    },
  );
  const isVisible = and(eq(posts.id, claim.postId), inScope(posts, scope), isNotNull(posts.status));
  return rawQuery(db, { ...POST_COLUMNS, deliveries }, (list) => sql`select ${list} from ${posts} where ${isVisible}`);
}

const isSelected = (scope: Scope, { postId: ofPost, accountIds }: PublishedClaim): SQL | undefined =>
  and(
    eq(postId, ofPost),
    inScope(posts, scope),
    inScope(accounts, scope),
    accountIds ? inArray(accountId, [...accountIds]) : undefined,
  );

function toObstacle(claim: PublishedClaim): SQL {
  const isFree = sql`(${isUnleased(postDeliveries, claim.now)} or ${hasLease(postDeliveries, claim)})`;
  const isCalled = sql`(not ${isFree} and ${status} <> 'scheduled'
    or ${nextAttemptAt} is not null and (${stage} = 'armed' or ${stage} = 'sent' and ${status} <> 'posted'))`;
  const isPartWaiting = sql`${part} > 0 and ${parts}->(${part} - 1)->>'status' = 'waiting'`;
  return sql`case when ${isCalled} then 'call'
    when ${isPartWaiting} and ${nextAttemptAt} is not null then 'part_to_come'
    when ${part} > 0 and ${stage} in ('armed', 'sent') and ${nextAttemptAt} is null then 'part_unknown' end`;
}

/** What networks show after an edit; absent values stay. */
interface ShownContent {
  caption: string | undefined;
  /** The accounts that have this caption as their own; null when it is that of the post. */
  accountIds: readonly string[] | null;
  youtubeTitle: string | undefined;
  pinterestTitle: string | undefined;
}

/** Stores the content that networks show now. Nothing else changes a published post. */
export async function savePublishedContent(db: Db, id: string, shown: ShownContent, now: Date): Promise<void> {
  const { caption, accountIds, youtubeTitle, pinterestTitle } = shown;
  const youtube = sql`coalesce(${posts.settings}->'youtube', '{}') || ${json({ title: youtubeTitle })}`;
  await db
    .update(posts)
    .set({
      ...(caption === undefined ? {} : accountIds ? { overrides: overrideCaption(accountIds, caption) } : { caption }),
      ...(youtubeTitle === undefined
        ? {}
        : { settings: sql`${posts.settings} || jsonb_build_object('youtube', ${youtube})` }),
      ...(pinterestTitle === undefined
        ? {}
        : { pinterest: sql`coalesce(${posts.pinterest}, '{}') || ${json({ title: pinterestTitle })}` }),
      version: sql`${posts.version} + 1`,
      updatedAt: sql`greatest(${instant(now)}, ${posts.updatedAt} + interval '1 millisecond')`,
    })
    .where(eq(posts.id, id));
}

/** What these accounts have of their own, with the caption. */
function overrideCaption(accountIds: readonly string[], caption: string): SQL {
  const entries = sql`jsonb_array_elements(${posts.overrides}) entry`;
  const ids = textArray(accountIds);
  return sql`(select coalesce(jsonb_agg(entry), '[]') from (
    select entry from ${entries} where entry->>'account_id' <> all(${ids})
    union all select jsonb_build_object('account_id', id)
      || coalesce((select entry from ${entries} where entry->>'account_id' = id), '{}') || ${json({ caption })}
    from unnest(${ids}) id) entries)`;
}

/** The values of a delivery that was taken down: nothing is looked up for it any more. */
export const TAKEN_DOWN = {
  status: "deleted",
  stage: "done",
  nextAttemptAt: null,
  errorCode: null,
  errorMessage: null,
} as const satisfies DeliveryChange;

/**
 * Ends the lease of a delivery and records what the call did; false if the lease was lost. With a change its post counts as
 * changed, so that the audit log has who did it.
 */
export async function recordPublishedChange(
  db: Db,
  {
    delivery,
    held,
    change,
    trace,
    now,
  }: {
    delivery: Pick<PublishedDelivery, "id" | "attempts">;
    held: Pick<PublishedClaim, "leaseToken">;
    change: DeliveryChange | null;
    trace: TraceEntry | null;
    now: Date;
  },
): Promise<boolean> {
  const deliveryUpdate = db
    .update(postDeliveries)
    .set({ ...change, ...NO_LEASE, ...(change ? { updatedAt: now } : {}) })
    .where(and(eq(id, delivery.id), hasLease(postDeliveries, held)))
    .returning({ id, postId });
  const postUpdate = db
    .update(posts)
    .set({ updatedAt: sql`greatest(${instant(now)}, ${posts.updatedAt} + interval '1 millisecond')` })
    .from(sql`updated_delivery`)
    .where(and(eq(posts.id, sql`updated_delivery.post_id`), change ? undefined : sql`false`));
  const traced = trace ? sql`, trace as (${insertTrace(trace, delivery.attempts, now)})` : sql``;
  const [recorded] = await rawQuery(
    db,
    { count: sql<number>`(select count(*) from updated_delivery)::int` },
    (list) => sql`
      with updated_delivery as ${deliveryUpdate}, updated_post as ${postUpdate}${traced} select ${list}`,
  );
  return (recorded?.count ?? 0) > 0;
}
