// Retries of failed deliveries: those whose outcome is unknown are reconciled before anything is sent.
import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import type { PostStatus } from "../shared/post-status.ts";
import type { Scope } from "../shared/scope.ts";
import type { WorkKind } from "../shared/work-kinds.ts";
import { getWorkKind } from "./due-accounts.ts";
import { RESTARTED } from "./post-updates.ts";
import type { FirstAttempt } from "./posts.ts";
import { inScope } from "./scope.ts";
import { rawQuery } from "./sql.ts";

const { accountId, status } = postDeliveries;

export interface RetryRequest {
  postIds: string[];
  accountIds: string[] | null;
  /** Clears the handle and stage, so that a delivery whose outcome is unknown is sent again. */
  resend: boolean;
  firstAttempt: FirstAttempt;
  now: Date;
}

export interface RequeuedPost {
  postId: string;
  status: PostStatus;
  deliveries: { id: string; accountId: string; kind: WorkKind; isUnknown: boolean }[];
}

/** The post, a reply of its thread, or its first comment. */
const hasFailed = sql`(${status} in ('failed', 'partial')
  or ${status} = 'posted' and ${postDeliveries.parts} @> '[{"kind": "comment", "status": "failed"}]')`;

const requeued = alias(postDeliveries, "requeued_delivery");
const isUnknown = sql<boolean>`(${postDeliveries.stage} in ('armed', 'sent'))`;

/**
 * Makes failed deliveries due again; one whose outcome is unknown keeps its stage, so that it is reconciled first. Only the
 * deliveries are locked, by their update: of two retries the second waits, and then finds them no longer failed.
 */
export async function requeueFailedPosts(db: Db, scope: Scope, request: RetryRequest): Promise<RequeuedPost[]> {
  const { postIds } = request;
  const visible = db
    .select({ id: posts.id, status: posts.status })
    .from(posts)
    .where(and(inArray(posts.id, postIds), inScope(posts, scope), isNotNull(posts.status)));
  // Which outcomes were unknown is read from the rows before the update.
  const unknown = db
    .select({ id: postDeliveries.id })
    .from(postDeliveries)
    .where(and(inArray(postDeliveries.postId, postIds), isUnknown));
  return rawQuery(
    db,
    {
      postId: sql<string>`visible_posts.id`,
      status: sql<PostStatus>`visible_posts.status`,
      deliveries: sql<RequeuedPost["deliveries"]>`coalesce((${selectRequeued}), '[]')`,
    },
    (list) => sql`
      with visible_posts as ${visible}, unknown_deliveries as ${unknown},
        requeued_deliveries as ${requeueDeliveries(db, scope, request)}
      select ${list} from visible_posts`,
  );
}

const selectRequeued = sql`
  select jsonb_agg(jsonb_build_object('id', ${requeued.id}, 'accountId', ${requeued.accountId},
    'kind', ${getWorkKind(requeued)}, 'isUnknown', ${requeued.id} in (select id from unknown_deliveries)))
  from requeued_deliveries ${requeued} join ${posts} on ${posts.id} = ${requeued.postId}
  where ${requeued.postId} = visible_posts.id`;

function requeueDeliveries(db: Db, scope: Scope, { accountIds, resend, firstAttempt, now }: RetryRequest) {
  const { id, postId, stage, handle, part, parts } = postDeliveries;
  const restart = { stage: "new", handle: sql`case when ${isUnknown} then '{"resent": true}'::jsonb end` } as const;
  const reconcile = {
    stage: sql`case when ${isUnknown} then ${stage} else 'new' end`,
    handle: sql`case when ${isUnknown} then ${handle} end`,
  };
  return db
    .update(postDeliveries)
    .set({
      ...firstAttempt,
      ...RESTARTED,
      ...(resend ? restart : reconcile),
      // A post whose first comment is sent again stays posted; of a thread only what is missing is sent.
      status: sql`case when ${status} = 'posted' then 'posted' else ${firstAttempt.status} end`,
      parts: sql`case when ${part} > 0 then jsonb_set(${parts}, array[(${part} - 1)::text],
        ${parts}->(${part} - 1) || '{"status": "waiting", "error": null}') else ${parts} end`,
      updatedAt: now,
    })
    .from(sql`visible_posts, ${accounts}`)
    .where(
      and(
        sql`${postId} = visible_posts.id and visible_posts.status in ('failed', 'partial', 'posted')`,
        and(hasFailed, eq(accounts.id, accountId), inScope(accounts, scope)),
        accountIds ? inArray(accountId, accountIds) : undefined,
      ),
    )
    .returning({ id, postId, accountId, stage });
}
