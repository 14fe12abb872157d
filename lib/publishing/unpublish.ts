// Takes a published post down: removes it at each network that can, and says how a person does it at the others.
import type { Driver, Job } from "../platforms/platform.ts";
import type { PublishedPost, Removal } from "../platforms/published-post.ts";
import { TAKEDOWNS } from "../platforms/takedown.ts";
import { findPostStatus } from "../queries/posts.ts";
import { OUT, type PublishedDelivery, TAKEN_DOWN } from "../queries/published-deliveries.ts";
import type { RequestContext } from "../services/context.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { toResult } from "../shared/result.ts";
import {
  type AccountOutcome,
  callNetwork,
  forEachDelivery,
  getDriver,
  type LeasedPost,
  leasePublishedPost,
  recordOutcome,
  toRefused,
} from "./change-published.ts";

type Result = Removal | "not_supported" | "failed";

export async function unpublishPost(context: RequestContext, postId: string, accountIds: readonly string[] | null) {
  const post = await leasePublishedPost(context, postId, accountIds, [...OUT, "deleted"]);
  const results = await forEachDelivery(post, async (delivery) =>
    recordOutcome(context, post, delivery, "unpublish", await removePost(context, post, delivery)),
  );
  return { id: post.id, status: await findPostStatus(context.db, post.id), results };
}

async function removePost(
  context: RequestContext,
  post: LeasedPost,
  delivery: PublishedDelivery,
): Promise<AccountOutcome<Result>> {
  const { platform } = delivery.account;
  const { name } = PLATFORM_DETAILS[platform];
  if (delivery.status === "deleted") {
    return { result: "already_gone", message: "The post was taken down before.", change: null, outcome: null };
  }
  const { unpublish, capabilities } = getDriver(delivery) ?? {};
  if (!unpublish) {
    const why = delivery.account.type === "hosted" ? "Posts of hosted accounts" : `${name} posts`;
    const message = `${why} cannot be removed by this service. ${TAKEDOWNS[platform].removedByHand}`;
    return { result: "not_supported", message, change: null, outcome: null };
  }
  // The replies of a thread and a first comment that is a reply are posts of their own; other comments go with the post.
  const replies = (capabilities?.thread ? (delivery.parts ?? []) : []).filter((part) => part.status === "posted");
  const removal = createRemoval(
    unpublish,
    replies.flatMap(({ id }) => id ?? []),
  );
  const removed = await toResult(callNetwork(context, post, delivery, post.content, removal));
  if (!removed.ok) {
    return toRefused(removed.error, delivery);
  }
  const done = removed.value === "unpublished" ? `${name} removed the post.` : `${name} no longer has the post.`;
  const left = replies.filter(({ id }) => id === null).length;
  const byHand = ` ${name} never named the ids of ${left} of its replies, so they may still be there. ${TAKEDOWNS[platform].removedByHand}`;
  const message = left > 0 ? done + byHand : done;
  return { result: removed.value, message, change: TAKEN_DOWN, outcome: removed.value };
}

/** Removes the replies, the last one first, then the post. A repetition continues with what is left. */
function createRemoval(unpublish: NonNullable<Driver["unpublish"]>, replies: readonly string[]) {
  const left = [...replies];
  let removedReplies: Removal = "already_gone";
  return async (job: Job, post: PublishedPost): Promise<Removal> => {
    for (let id = left.at(-1); id !== undefined; id = left.at(-1)) {
      if ((await unpublish(job, { ...post, id })) === "unpublished") removedReplies = "unpublished";
      left.pop();
    }
    const removed = await unpublish(job, post);
    return removed === "unpublished" ? removed : removedReplies;
  };
}
