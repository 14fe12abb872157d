// The refresher: claims refreshes it was nudged about, and reads their accounts page by page until they are done.
import type { World } from "../call.ts";
import { describeError } from "../describe-error.ts";
import { type Failure, failureOf } from "../platforms/platform.ts";
import { nudgeDue } from "../publishing/nudge.ts";
import * as refreshes from "../queries/analytics-refreshes.ts";
import { asAccount } from "./connection.ts";
import { endingOf, failedFor, goesOn, overdue } from "./endings.ts";
import { eyesFor } from "./eyes.ts";
import { handleOf } from "./identifier.ts";
import { readers } from "./readers/index.ts";
import type { Page } from "./readers/reader.ts";
import { LEASE_MS, PAGES_AT_MOST, REFRESHES_AT_ONCE } from "./timing.ts";

type Io = Pick<World, "db" | "env" | "fetch" | "clock" | "log" | "nudgeRefreshes">;

const FAULT: Failure = { class: "transient", code: "fault", message: "A fault on our side." };

export async function refreshDue(io: Io, ids: string[]): Promise<void> {
  const now = io.clock();
  const leaseUntil = new Date(now.getTime() + LEASE_MS);
  const claimed = await refreshes.claim(io.db, {
    now,
    leaseUntil,
    leaseToken: crypto.randomUUID(),
    ids,
    limit: REFRESHES_AT_ONCE,
  });
  await Promise.all(claimed.map((refresh) => worked(io, refresh)));
  // What had no room here gets an invocation of its own.
  const left = ids.filter((id) => !claimed.some((refresh) => refresh.id === id));
  if (claimed.length === REFRESHES_AT_ONCE && left.length > 0) io.nudgeRefreshes(left, 0);
}

async function worked(io: Io, claimed: refreshes.Claimed): Promise<void> {
  try {
    const ending = await read(io, claimed);
    if (!ending || !(await refreshes.settle(io.db, claimed, ending, io.clock()))) return;
    const next = { id: claimed.id, dueAt: ending.nextAttemptAt };
    nudgeDue({ now: io.clock(), nudge: io.nudgeRefreshes }, [next]);
  } catch (error) {
    // Not even the outcome could be written: the lease runs out and the next refresher goes on from the last page.
    io.log({ level: "error", refresh: claimed.id, error: describeError(error) });
  }
}

/** Null when the last page completed the refresh, or the lease was lost on the way. */
async function read(io: Io, claimed: refreshes.Claimed): Promise<refreshes.Ending | null> {
  const { target } = claimed;
  if (io.clock() >= claimed.deadlineAt) return overdue(claimed);
  const eyes = eyesFor(claimed, readers[target.platform]);
  if (typeof eyes === "string") return failedFor("account_not_connected", eyes, claimed.attempts);
  try {
    for (let page = 0; page < PAGES_AT_MOST; page++) {
      const kept = await keep(io, claimed, await pageOf(io, claimed, eyes, page === 0));
      if (!kept || claimed.cursor === null) return null;
    }
    return goesOn(io.clock());
  } catch (error) {
    const failed = failureOf(error);
    if (!failed) io.log({ level: "error", refresh: claimed.id, error: describeError(error) });
    return endingOf(claimed, failed ?? FAULT, io.clock(), Math.random());
  }
}

/** A cursor of an earlier attempt may have lost its meaning; then the account is read from its newest post again. */
async function pageOf(
  io: Io,
  claimed: refreshes.Claimed,
  eyes: refreshes.Claimed["accounts"][number],
  resumed: boolean,
): Promise<Page> {
  const { target, cursor } = claimed;
  const handle = handleOf(target.platform, target.identifier) ?? target.identifier;
  const pageFrom = (from: string | null) =>
    asAccount(io, eyes, (connection) => {
      const job = { network: io.env.networks[target.platform], connection, handle, own: eyes.own };
      return readers[target.platform].read({ ...job, fetch: io.fetch, now: io.clock }, from);
    });
  try {
    return await pageFrom(cursor);
  } catch (error) {
    if (!resumed || cursor === null || failureOf(error)?.class !== "content") throw error;
    claimed.postsSeen = 0;
    return pageFrom(null);
  }
}

/** Writes as much of a page as the target's policy wants; false when the lease was lost. */
async function keep(io: Io, claimed: refreshes.Claimed, { posts, cursor }: Page): Promise<boolean> {
  const room = claimed.target.maxPosts - claimed.postsSeen;
  const wanted = [...new Map(posts.map((post) => [post.platformPostId, post])).values()].slice(0, room);
  const seen = claimed.postsSeen + wanted.length;
  const next = seen >= claimed.target.maxPosts ? null : cursor;
  const now = io.clock();
  const page = { posts: wanted, seen, cursor: next };
  const kept = await refreshes.keepPage(io.db, claimed, page, now, new Date(now.getTime() + LEASE_MS));
  Object.assign(claimed, { postsSeen: seen, cursor: next, attempts: 0 });
  return kept;
}
