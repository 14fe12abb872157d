// Why a delivery that is due has not been published: for the account states of posts that callers read.
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import { jsonList, required } from "./sql.ts";

const { id, accountId, status, stage, dueAt, nextAttemptAt } = postDeliveries;
const first = alias(postDeliveries, "first");
const firstPost = alias(posts, "first_post");

/** Later than this a post is overdue: by then the cron run of the next minute has enqueued what a lost message named. */
const OVERDUE_AFTER_SECONDS = 60;

/** By the clock of the post's scope: the expressions are built once, so that no caller hands in its time. */
const NOW = sql`clock_of(${posts.scopeId}, now())`;

const isOpen = sql`${nextAttemptAt} is not null and ${status} <> 'posted'`;

export const isOverdue = sql<boolean>`
  coalesce(${isOpen} and ${dueAt} < ${NOW} - ${sql.raw(`interval '${OVERDUE_AFTER_SECONDS} seconds'`)}, false)`;

/** The earlier delivery of the account that is published before this one, which is due; a list of at most one. */
export const waitingDelivery = jsonList(
  {
    postId: first.postId,
    isUnderWay: sql<boolean>`coalesce(${first.leaseUntil} > ${NOW}, false)`,
    nextAttemptAt: required(first.nextAttemptAt),
    deadlineAt: required(first.deadlineAt),
    errorMessage: first.errorMessage,
  },
  {
    // Posts of another scope, from before the account moved, are not named. A join could read all posts of the scope for one.
    from: sql`from (
        select ${first}.* from ${postDeliveries} ${first}
        where ${isOpen} and ${stage} = 'new' and ${dueAt} <= ${NOW} and ${first.accountId} = ${accountId}
          and ${first.nextAttemptAt} is not null and ${first.stage} not in ('sent', 'done')
          and (${first.dueAt}, ${first.id}) < (${dueAt}, ${id})
        order by ${first.dueAt}, ${first.id} limit 1) ${first}
      where (select ${firstPost.scopeId} from ${posts} ${firstPost} where ${firstPost.id} = ${first.postId}) = ${posts.scopeId}`,
  },
);
