// Claims due refreshes and reads their accounts page by page.
import { enqueueDue } from "../jobs/enqueue.ts";
import { type Failure, getFailure } from "../platforms/platform.ts";
import type { TokenServices } from "../publishing/account-token.ts";
import { withAccountToken } from "../publishing/with-account-token.ts";
import * as refreshes from "../queries/analytics-refreshes.ts";
import { parseHandle } from "../schemas/analytics-handle.ts";
import type { Services } from "../services/context.ts";
import { MAX_REFRESHES_PER_MESSAGE } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { chooseAccount } from "./choose-account.ts";
import { readers } from "./readers/index.ts";
import type { Page } from "./readers/reader-contract.ts";
import { continueRefresh, decideOutcome, expireRefresh, failRefresh } from "./refresh-outcomes.ts";
import { LEASE_MS, MAX_PAGES } from "./timing.ts";

type Context = TokenServices & Pick<Services, "log" | "enqueueRefreshes">;

const INTERNAL_FAILURE: Failure = { class: "transient", code: "fault", message: "An internal error occurred." };

export async function runRefreshes(context: Context, ids: string[]): Promise<void> {
  const now = context.clock();
  const leaseUntil = new Date(now.getTime() + LEASE_MS);
  const claimed = await refreshes.claim(context.db, {
    now,
    leaseUntil,
    leaseToken: crypto.randomUUID(),
    ids,
    limit: MAX_REFRESHES_PER_MESSAGE,
  });
  await Promise.all(claimed.map((refresh) => runRefresh(context, refresh)));
  // The rest is left to another invocation.
  const left = ids.filter((id) => !claimed.some((refresh) => refresh.id === id));
  if (claimed.length === MAX_REFRESHES_PER_MESSAGE && left.length > 0) context.enqueueRefreshes(left, 0);
}

async function runRefresh(context: Context, claimed: refreshes.ClaimedRefresh): Promise<void> {
  try {
    const outcome = await readAccount(context, claimed);
    if (!outcome || !(await refreshes.finish(context.db, claimed, outcome, context.clock()))) return;
    const next = { id: claimed.id, dueAt: outcome.nextAttemptAt };
    enqueueDue(context.enqueueRefreshes, [next], context.clock());
  } catch (error) {
    // The outcome could not be written: the lease expires and the next invocation continues after the last stored page.
    context.log({ level: "error", refresh: claimed.id, error: formatError(error) });
  }
}

/** Null when the last page completed the refresh, or when the lease was lost. */
async function readAccount(
  context: Context,
  claimed: refreshes.ClaimedRefresh,
): Promise<refreshes.RefreshOutcome | null> {
  const { target } = claimed;
  if (context.clock() >= claimed.deadlineAt) return expireRefresh(claimed);
  const account = chooseAccount(claimed, readers[target.platform]);
  if (typeof account === "string") return failRefresh("account_not_connected", account, claimed.attempts);
  try {
    for (let page = 0; page < MAX_PAGES; page++) {
      const stored = await storePage(context, claimed, await readPage(context, claimed, account, page === 0));
      if (!stored || claimed.cursor === null) return null;
    }
    return continueRefresh(context.clock());
  } catch (error) {
    const networkFailure = getFailure(error);
    if (!networkFailure) context.log({ level: "error", refresh: claimed.id, error: formatError(error) });
    return decideOutcome(claimed, networkFailure ?? INTERNAL_FAILURE, context.clock(), Math.random());
  }
}

/** The cursor of an earlier attempt may have expired; then reading starts again at the newest post. */
async function readPage(
  context: Context,
  claimed: refreshes.ClaimedRefresh,
  account: refreshes.ClaimedRefresh["accounts"][number],
  resumed: boolean,
): Promise<Page> {
  const { target, cursor } = claimed;
  const handle = parseHandle(target.platform, target.identifier) ?? target.identifier;
  const readFrom = (from: string | null) =>
    withAccountToken(context, account, (connection) => {
      const job = { network: context.env.networks[target.platform], connection, handle, own: account.own };
      return readers[target.platform].read({ ...job, fetch: context.fetch, now: context.clock }, from);
    });
  try {
    return await readFrom(cursor);
  } catch (error) {
    if (!resumed || cursor === null || getFailure(error)?.class !== "content") throw error;
    claimed.postsSeen = 0;
    return readFrom(null);
  }
}

/** Stores the posts of a page up to the target's `maxPosts`; false when the lease was lost. */
async function storePage(
  context: Context,
  claimed: refreshes.ClaimedRefresh,
  { posts, cursor }: Page,
): Promise<boolean> {
  const remaining = claimed.target.maxPosts - claimed.postsSeen;
  const wanted = [...new Map(posts.map((post) => [post.platformPostId, post])).values()].slice(0, remaining);
  const seen = claimed.postsSeen + wanted.length;
  const next = seen >= claimed.target.maxPosts ? null : cursor;
  const now = context.clock();
  const page = { posts: wanted, seen, cursor: next };
  const stored = await refreshes.savePage(context.db, claimed, page, now, new Date(now.getTime() + LEASE_MS));
  Object.assign(claimed, { postsSeen: seen, cursor: next, attempts: 0 });
  return stored;
}
