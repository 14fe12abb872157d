// Takes a published post down: removes it at each network that can, and says how a person does it at the others.
import type { Job, PublishedPost, Removal } from "../platforms/platform.ts";
import { TAKEDOWNS } from "../platforms/takedown.ts";
import { findPostStatus } from "../queries/posts.ts";
import { type PublishedDelivery, TAKEN_DOWN } from "../queries/published-deliveries.ts";
import type { RequestContext } from "../services/context.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { toResult } from "../shared/result.ts";
import {
  type AccountOutcome,
  callNetwork,
  changeEach,
  describeFailure,
  getDriver,
  type LeasedPost,
  leasePublishedPost,
} from "./change-published.ts";

type Result = Removal | "not_supported" | "failed";

export async function unpublishPost(context: RequestContext, postId: string, accountIds: readonly string[] | null) {
  const post = await leasePublishedPost(context, postId, accountIds, ["posted", "deleted"]);
  const results = await changeEach(context, post, "unpublish", (delivery) => removePost(context, post, delivery));
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
  const replies = capabilities?.thread ? (delivery.parts ?? []).flatMap(({ id }) => id ?? []) : [];
  const removeParts = async (job: Job, published: PublishedPost) => {
    for (const id of replies.toReversed()) await unpublish(job, { ...published, id });
    return unpublish(job, published);
  };
  const removed = await toResult(callNetwork(context, post, delivery, post.content, removeParts));
  if (!removed.ok) {
    return { result: "failed", message: describeFailure(removed.error, delivery), change: null, outcome: "refused" };
  }
  const message = removed.value === "unpublished" ? `${name} removed the post.` : `${name} no longer has the post.`;
  return { result: removed.value, message, change: TAKEN_DOWN, outcome: removed.value };
}
