// The delays of deliveries that are due, for the account states of posts.
import { sql } from "drizzle-orm";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import { jsonRows, required } from "./sql.ts";

const { id, accountId, status, stage, dueAt, nextAttemptAt, deadlineAt } = postDeliveries;

/** A post is overdue after this: by then the next cron run has enqueued a delivery whose message was lost. */
const OVERDUE_AFTER_SECONDS = 60;

/** The time of the post's scope. SQL computes it, so that the expressions need no parameter. */
const NOW = sql`clock_of(${posts.scopeId}, now())`;

/** A posted delivery is open until its permalink is known. */
const isOpen = sql`${nextAttemptAt} is not null and ${status} <> 'posted'`;

export const isOverdue = sql<boolean>`
  coalesce(${isOpen} and ${dueAt} < ${NOW} - ${sql.raw(`interval '${OVERDUE_AFTER_SECONDS} seconds'`)}, false)`;

/**
 * The earlier delivery of the account that is published before this one, which is due; a list of at most one. The fields are the keys
 * and decoders of what `waiting_delivery` returns (migration 0018).
 */
export const waitingDelivery = jsonRows(
  {
    postId: postDeliveries.postId,
    isUnderWay: sql<boolean>`is_under_way`,
    nextAttemptAt: required(nextAttemptAt),
    deadlineAt: required(deadlineAt),
    errorMessage: postDeliveries.errorMessage,
  },
  sql`case when ${isOpen} and ${stage} = 'new' and ${dueAt} <= ${NOW}
    then waiting_delivery(${accountId}, ${dueAt}, ${id}, ${posts.scopeId}) else '[]' end`,
);
