// Calls the networks for posts that are out: leases the deliveries, makes one call per account, and records each answer.
import pLimit from "p-limit";
import { drivers } from "../platforms/index.ts";
import { type Driver, type Failure, failure, getFailure, type Job } from "../platforms/platform.ts";
import type { PublishedPost } from "../platforms/published-post.ts";
import { NOT_SUPPORTED } from "../platforms/takedown.ts";
import type { DeliveryChange } from "../queries/deliveries.ts";
import { markAccountDisconnected } from "../queries/deliveries.ts";
import {
  leasePublished,
  type PublishedDelivery,
  recordPublishedChange,
  type PublishedPost as StoredPublishedPost,
} from "../queries/published-deliveries.ts";
import type { RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import type { DeliveryStatus } from "../shared/post-status.ts";
import { toResult } from "../shared/result.ts";
import { pause, retry } from "../shared/retry.ts";
import { alertOperator, toCustomerFailure } from "./app-failures.ts";
import { buildJob } from "./publish-context.ts";
import { LEASE_MS } from "./timing.ts";
import { withAccountToken } from "./with-account-token.ts";

/** An invocation may have six connections that wait for a response. */
const MAX_CONCURRENT = 5;
/** The calls of one request end by then: before the lease, and before a client gives up. */
const MAX_CALLS_MS = 40_000;
/** A call may be repeated, because doing it twice is the same as once. */
const PAUSES_MS = [300, 1_500];
const RECORD_PAUSES_MS = [200, 1_000];

export interface LeasedPost extends StoredPublishedPost {
  leaseToken: string;
  /** Aborts the calls that take too long. */
  signal: AbortSignal;
}

/** What came of one account. `change` is stored; null when the network shows what it showed before. */
export interface AccountOutcome<Result extends string> {
  result: Result;
  message: string;
  change: DeliveryChange | null;
  /** The line of the trace; null when no network was called. */
  outcome: string | null;
}

/** Throws 404, 400 for an account that is not in the post, and 409 when nothing is out or when it is not the time for it. */
export async function leasePublishedPost(
  { db, key, ids, now, clock }: RequestContext,
  postId: string,
  accountIds: readonly string[] | null,
  /** The states of deliveries that the request is about. */
  wanted: readonly DeliveryStatus[],
): Promise<LeasedPost> {
  const leaseToken = ids();
  const leaseUntil = new Date(clock().getTime() + LEASE_MS);
  const post = await leasePublished(db, key.scope, { postId, accountIds, leaseToken, leaseUntil, now });
  if (!post) throw apiError("not_found", "No post with this id is visible to the key.");
  assertKnown(post, accountIds);
  assertOut(post, wanted, now);
  const deliveries = post.deliveries.filter(({ status }) => wanted.includes(status));
  return { ...post, deliveries, leaseToken, signal: AbortSignal.timeout(MAX_CALLS_MS) };
}

function assertKnown({ deliveries }: StoredPublishedPost, accountIds: readonly string[] | null): void {
  const unknown = (accountIds ?? []).filter((id) => !deliveries.some(({ accountId }) => accountId === id));
  if (unknown.length === 0) return;
  throw apiError("unknown_accounts", `The post has no account ${unknown.join(", ")} that is visible to the key.`);
}

const TO_COME: readonly string[] = ["pending", "scheduled", "retry"];

function assertOut({ status, deliveries }: StoredPublishedPost, wanted: readonly DeliveryStatus[], now: Date): void {
  const find = (obstacle: PublishedDelivery["obstacle"]) =>
    deliveries.filter((delivery) => delivery.obstacle === obstacle);
  if (find("call").length > 0) {
    const message = "The post is being published, checked or changed on an account. Retry in a minute.";
    throw apiError("post_in_flight", message, { retry_after_seconds: 60 });
  }
  const toCome = find("part_to_come").map(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? 0);
  if (toCome.length > 0) {
    const retryAt = new Date(Math.max(now.getTime() + 60_000, ...toCome));
    const message = `The post is out on an account, and a reply of its thread or its first comment is still to follow. Retry after ${retryAt.toISOString()}.`;
    throw apiError("post_in_flight", message, {
      retry_after_seconds: Math.ceil((retryAt.getTime() - now.getTime()) / 1_000),
    });
  }
  if (find("part_unknown").length > 0) {
    const message =
      "The post is out on an account, and it is not known whether a reply of its thread or its first comment is. Send POST /posts/retry, which asks the network, and retry a minute later.";
    throw apiError("post_in_flight", message, { retry_after_seconds: 60 });
  }
  if (!deliveries.some((delivery) => wanted.includes(delivery.status))) {
    const message = `Nothing of this post is out: it is ${status}. A post that waits is deleted with POST /posts/delete; where the outcome is unknown, POST /posts/retry asks the network first.`;
    throw apiError("post_not_published", message);
  }
  if (deliveries.some((delivery) => TO_COME.includes(delivery.status))) {
    const message =
      "The post is still to be published on an account. Wait until it has ended there, or name the accounts that have it in account_ids.";
    throw apiError("post_in_flight", message, { retry_after_seconds: 60 });
  }
}

/** Runs the change of each account, a few at a time, and returns what came of them in the same order. */
export function forEachDelivery<Value>(
  { deliveries }: LeasedPost,
  run: (delivery: PublishedDelivery) => Promise<Value>,
): Promise<Value[]> {
  const limit = pLimit(MAX_CONCURRENT);
  return Promise.all(deliveries.map((delivery) => limit(() => run(delivery))));
}

/** Records what came of one account, which ends its lease, and returns its entry of the response. */
export async function recordOutcome<Result extends string>(
  context: RequestContext,
  post: LeasedPost,
  delivery: PublishedDelivery,
  step: "unpublish" | "edit",
  { result, message, change, outcome }: AccountOutcome<Result>,
) {
  const trace = outcome === null ? null : { step, outcome, ...(change ? {} : { message }) };
  const record = { delivery, held: post, change, trace, now: context.clock() };
  const stored = delivery.isLeased ? await storeOutcome(context, record) : true;
  return {
    account_id: delivery.accountId,
    platform: delivery.account.platform,
    result,
    message: stored ? message : `${message} ${NOT_STORED}`,
    url: change?.publishedUrl ?? delivery.publishedUrl,
  };
}

const NOT_STORED = "This could not be stored: repeat the request, which is safe.";

/** False if it could not be stored; the lease then ends by itself, and a repeated request finds out again. */
async function storeOutcome(
  { db, log }: RequestContext,
  record: Parameters<typeof recordPublishedChange>[1],
): Promise<boolean> {
  const stored = await toResult(
    retry(
      () => recordPublishedChange(db, record),
      (_error, tries) => pauseBefore(RECORD_PAUSES_MS, tries),
    ),
  );
  if (!stored.ok) log({ level: "error", delivery: record.delivery.id, error: formatError(stored.error) });
  return stored.ok && stored.value;
}

function pauseBefore(pauses: readonly number[], tries: number): boolean | Promise<true> {
  const ms = pauses[tries - 1];
  return ms === undefined ? false : pause(ms);
}

/** The driver of a connected account; null for a hosted account, whose publisher has no such call. */
export function getDriver({ account }: PublishedDelivery): Driver | null {
  return account.type === "hosted" ? null : drivers[account.platform];
}

/** Ends the leases of a request that changes nothing. */
export async function releaseEach(context: RequestContext, post: LeasedPost): Promise<void> {
  const now = context.clock();
  const record = { held: post, change: null, trace: null, now };
  await Promise.all(
    post.deliveries
      .filter(({ isLeased }) => isLeased)
      .map((delivery) => storeOutcome(context, { delivery, ...record })),
  );
}

/** Makes a call that may be repeated, with a valid token. Throws the failure as the customer reads it. */
export async function callNetwork<Value>(
  context: RequestContext,
  post: LeasedPost,
  delivery: PublishedDelivery,
  content: StoredPublishedPost["content"],
  call: (job: Job, published: PublishedPost) => Promise<Value>,
): Promise<Value> {
  const account = { ...delivery.account };
  const { name } = PLATFORM_DETAILS[account.platform];
  if (account.status !== "active" && account.status !== "paused") {
    const message = `The ${name} account ${account.username} is disconnected. Connect it again, then repeat the request.`;
    throw failure({ class: "account", code: "account_disconnected", message });
  }
  const work = () =>
    withAccountToken(context, account, async () => {
      const claimed = { id: delivery.id, post: content, files: [] };
      const job = await buildJob(context, claimed, account, post.signal);
      return call(job, await findPublished(job, delivery));
    });
  try {
    return await retry(work, (error, tries) => mayRetry(error, post.signal) && pauseBefore(PAUSES_MS, tries));
  } catch (error) {
    const failed = getFailure(error);
    alertOperator(context, error, account, { delivery: delivery.id });
    if (!failed) context.log({ level: "error", delivery: delivery.id, error: formatError(error) });
    if (failed?.class === "auth") await markAccountDisconnected(context.db, account, failed.message, context.clock());
    throw error;
  }
}

function mayRetry(error: unknown, signal: AbortSignal): boolean {
  const failed = getFailure(error);
  return !signal.aborted && (failed?.class === "transient" || failed?.class === "unanswered") && !failed.operator;
}

/** Asks the network for the id of a post that it published without naming it. */
async function findPublished(job: Job, delivery: PublishedDelivery): Promise<PublishedPost> {
  const known = { publishedAt: delivery.publishedAt ?? job.now(), handle: delivery.handle ?? {} };
  if (delivery.platformPostId) return { id: delivery.platformPostId, ...known };
  const driver = getDriver(delivery);
  const polled = delivery.handle ? await driver?.poll(job, delivery.handle) : null;
  if (polled?.state === "published" && polled.platformPostId) return { id: polled.platformPostId, ...known };
  const { name } = PLATFORM_DETAILS[delivery.account.platform];
  const message = `${name} has not named the id of the post yet. Repeat the request later, or change the post at ${name}.`;
  throw failure({ class: "rate_limited", code: "id_unknown", message });
}

/** The outcome of an account whose network did not make the change. */
export function toRefused(error: unknown, delivery: PublishedDelivery): AccountOutcome<"failed" | "not_supported"> {
  const result = getFailure(error)?.code === NOT_SUPPORTED ? "not_supported" : "failed";
  return { result, message: describeFailure(error, delivery), change: null, outcome: "refused" };
}

/** The failure in words to the caller, with the time from which on a repetition helps. */
function describeFailure(error: unknown, { account }: PublishedDelivery): string {
  const failed: Failure | null = toCustomerFailure(getFailure(error), account);
  if (!failed) return "This service had an internal error. Repeat the request; support finds the reason by its id.";
  const { class: kind, message, retryAt } = failed;
  if (kind === "rate_limited" && retryAt) return `${message} Repeat the request after ${retryAt.toISOString()}.`;
  if (kind === "transient" || kind === "unanswered") return `${message} Repeat the request, which is safe.`;
  return message;
}
