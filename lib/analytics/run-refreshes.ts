// Claims due refreshes and reads their accounts page by page.
import { MAX_CLAIMS } from "../jobs/backoff.ts";
import { enqueueDue } from "../jobs/enqueue.ts";
import { createScopeEnqueuer } from "../jobs/enqueue-webhooks.ts";
import { type Lease, withLease } from "../jobs/lease.ts";
import { type JobEnd, runJobs } from "../jobs/run-jobs.ts";
import { type Failure, getFailure } from "../platforms/platform.ts";
import type { TokenServices } from "../publishing/account-token.ts";
import { alertOperator } from "../publishing/app-failures.ts";
import { fetchPublic } from "../publishing/fetch-public.ts";
import { withAccountToken } from "../publishing/with-account-token.ts";
import {
  type ClaimedRefresh,
  claimRefreshes,
  extendRefreshLease,
  finishRefresh,
  type RefreshOutcome,
  savePageOfPosts,
} from "../queries/analytics-refreshes.ts";
import { listPublishedPosts } from "../queries/published-posts.ts";
import { parseHandle } from "../schemas/analytics-handle.ts";
import type { Services } from "../services/context.ts";
import { MAX_REFRESHES_PER_MESSAGE } from "../services/context.ts";
import { resolveNetwork } from "../services/network-app.ts";
import { formatError } from "../shared/format-error.ts";
import { listUnreported, METRICS, type MissingNumbers } from "../shared/metrics.ts";
import { chooseAccount } from "./choose-account.ts";
import { readers } from "./readers/index.ts";
import type { Page } from "./readers/reader-contract.ts";
import { continueRefresh, decideOutcome, expireRefresh, failRefresh } from "./refresh-outcomes.ts";
import { LEASE_MS, MAX_PAGES } from "./timing.ts";

type Context = TokenServices & Pick<Services, "log" | "budget" | "enqueueRefreshes" | "enqueueWebhooks">;

const ENDED_WORKERS =
  "The refresh was interrupted several times. Start a new refresh later, or contact support with the id of the target.";

const INTERNAL_FAILURE: Failure = { class: "transient", code: "fault", message: "An internal error occurred." };

export async function runRefreshes(context: Context, ids: string[]): Promise<void> {
  const claimed = new Set<string>();
  const enqueueScope = createScopeEnqueuer(context);
  await runJobs<ClaimedRefresh>(context, {
    name: "refresh",
    concurrency: MAX_REFRESHES_PER_MESSAGE,
    maxClaims: MAX_REFRESHES_PER_MESSAGE,
    async claim(limit) {
      const now = context.clock();
      const leaseUntil = new Date(now.getTime() + LEASE_MS);
      const due = await claimRefreshes(context.db, { ids, now, leaseUntil, leaseToken: crypto.randomUUID(), limit });
      for (const { id } of due) claimed.add(id);
      return due;
    },
    getId: ({ id }) => id,
    countClaims: ({ claims }) => claims,
    async run(refresh) {
      const end = await runRefresh(context, refresh);
      if (refresh.hasWebhooks) enqueueScope(refresh.scopeId);
      return end;
    },
  });
  // The rest is left to another invocation.
  const left = ids.filter((id) => !claimed.has(id));
  if (claimed.size === MAX_REFRESHES_PER_MESSAGE && left.length > 0) context.enqueueRefreshes(left, 0);
}

/** When the outcome cannot be written, the lease expires and the next invocation continues after the last stored page. */
function runRefresh(context: Context, claimed: ClaimedRefresh): Promise<JobEnd> {
  const extend = (until: Date) => extendRefreshLease(context.db, claimed, until);
  return withLease(context, claimed, { leaseMs: LEASE_MS, extend }, async (lease) => {
    const outcome = await readAccount(context, claimed, lease);
    if (!outcome) return { outcome: lease.isHeld() ? "done" : "lost" };
    if (!(await finishRefresh(context.db, claimed, outcome, context.clock()))) return { outcome: "lost" };
    const next = { id: claimed.id, dueAt: outcome.nextAttemptAt };
    enqueueDue(context.enqueueRefreshes, [next], context.clock());
    return { outcome: outcome.status === "failed" ? "failed" : "retry", reason: outcome.errorCode };
  });
}

/** Null when the last page completed the refresh, or when the lease was lost. */
async function readAccount(context: Context, claimed: ClaimedRefresh, lease: Lease): Promise<RefreshOutcome | null> {
  const { target } = claimed;
  if (claimed.claims > MAX_CLAIMS.alone) return failRefresh("fault", ENDED_WORKERS, claimed.attempts);
  if (context.clock() >= claimed.deadlineAt) return expireRefresh(claimed);
  const account = chooseAccount(claimed, readers[target.platform]);
  if (typeof account === "string") return failRefresh("account_not_connected", account, claimed.attempts);
  try {
    for (let page = 0; page < MAX_PAGES; page++) {
      const stored = await storePage(context, claimed, await readPage(context, claimed, account, page === 0), lease);
      if (!stored || claimed.cursor === null) return null;
    }
    return continueRefresh(context.clock());
  } catch (error) {
    const networkFailure = getFailure(error);
    alertOperator(context, error, account, { refresh: claimed.id });
    if (!networkFailure) context.log({ level: "error", refresh: claimed.id, error: formatError(error) });
    return decideOutcome(claimed, networkFailure ?? INTERNAL_FAILURE, context.clock(), Math.random());
  }
}

/** The cursor of an earlier attempt may have expired; then reading starts again at the newest post. */
async function readPage(
  context: Context,
  claimed: ClaimedRefresh,
  account: ClaimedRefresh["accounts"][number],
  resumed: boolean,
): Promise<Page> {
  const { target, cursor } = claimed;
  const handle = parseHandle(target.platform, target.identifier) ?? target.identifier;
  const readFrom = (from: string | null) =>
    withAccountToken(context, account, async (connection) => {
      const network = await resolveNetwork(context.env, target.platform, account.app);
      const io = {
        fetch: context.fetch,
        fetchMedia: (url: string, init: RequestInit) => fetchPublic(context, url, init),
        now: context.clock,
      };
      const listPublished = (limit: number) => listPublishedPosts(context.db, account.id, limit);
      const job = { ...io, network, connection, handle, own: account.own, listPublished };
      return readers[target.platform].read(job, from);
    });
  try {
    return await readFrom(cursor);
  } catch (error) {
    if (!resumed || cursor === null || getFailure(error)?.class !== "content") throw error;
    claimed.postsSeen = 0;
    return readFrom(null);
  }
}

/** A number that is refused was last given when the refresh before read it. */
function describeMissing(target: ClaimedRefresh["target"], found: MissingNumbers): MissingNumbers {
  const { platform, missingNumbers, lastRefreshedAt } = target;
  const missing = { ...listUnreported(platform), ...found };
  for (const metric of METRICS) {
    const number = missing[metric];
    if (number?.coverage !== "refused") continue;
    const before = missingNumbers?.[metric];
    const refreshedAt = before ? before.refreshedAt : lastRefreshedAt?.toISOString();
    if (refreshedAt) missing[metric] = { ...number, refreshedAt };
  }
  return missing;
}

/** Stores the posts of a page up to the target's `maxPosts`; false when the lease was lost. */
async function storePage(
  context: Context,
  claimed: ClaimedRefresh,
  { posts, cursor, missing = {} }: Page,
  lease: Lease,
): Promise<boolean> {
  const { platform } = claimed.target;
  const maxPosts = Math.min(claimed.target.maxPosts, readers[platform].maxPosts ?? Number.POSITIVE_INFINITY);
  const remaining = maxPosts - claimed.postsSeen;
  const wanted = [...new Map(posts.map((post) => [post.platformPostId, post])).values()].slice(0, remaining);
  const seen = claimed.postsSeen + wanted.length;
  const next = seen >= maxPosts ? null : cursor;
  const page = { posts: wanted, seen, cursor: next, missing: describeMissing(claimed.target, missing) };
  const stored = await savePageOfPosts(context.db, claimed, page, context.clock(), lease.renew());
  Object.assign(claimed, { postsSeen: seen, cursor: next, attempts: 0 });
  return stored;
}
