// Separates a rejected reconcile request from a result about the post.
import { getFailure } from "./platform.ts";

/**
 * A network that rejects the request (board deleted, account restricted) reports nothing about the post and will reject
 * it again, so the result is `cannot_tell`. Results about the post, transient failures and dead tokens are rethrown.
 */
export async function inconclusiveIfRejected<Result>(
  request: Promise<Result>,
): Promise<Result | { state: "cannot_tell" }> {
  try {
    return await request;
  } catch (error) {
    const failed = getFailure(error);
    const final = failed?.class === "content" || failed?.class === "account";
    if (final && !failed.restart) return { state: "cannot_tell" };
    throw error;
  }
}
