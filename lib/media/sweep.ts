// Removes from the buckets what has to go: uploads that ended or expired, copies no file has, objects of deleted files.
import type { World } from "../call.ts";
import { describeError } from "../describe-error.ts";
import * as removals from "../queries/removals.ts";
import * as uploads from "../queries/uploads.ts";

/** Each takes one or two calls to the bucket; a run ends well before the next but one begins. */
const REMOVALS_PER_RUN = 500;
/** As many connections as a Worker may have open. */
const AT_ONCE = 6;
const RETRY_AFTER_MS = 15 * 60 * 1000;

/** How long an upload that came to nothing can be asked why. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1000;
const FORGOTTEN_PER_RUN = 1_000;

type Io = Pick<World, "db" | "bucket" | "clock" | "log">;

export async function sweep(io: Io): Promise<void> {
  const now = io.clock();
  const until = new Date(now.getTime() + RETRY_AFTER_MS);
  const due = await removals.claim(io.db, now, until, REMOVALS_PER_RUN);
  const waiting = due.values();
  // They share one list; each takes from it what nobody has taken yet.
  const done = await Promise.all(Array.from({ length: AT_ONCE }, () => work(io, waiting)));
  if (due.length > 0) await removals.settle(io.db, done.flat());
  await uploads.forget(io.db, new Date(now.getTime() - REMEMBERED_MS), FORGOTTEN_PER_RUN);
}

/** Those that are settled; one that fails is logged, and comes up again. */
async function work(io: Io, waiting: Iterable<removals.Claimed>): Promise<removals.Removal[]> {
  const done: removals.Removal[] = [];
  for (const removal of waiting) {
    try {
      if (!removal.kept) await removeObject(io, removal);
      done.push(removal);
    } catch (error) {
      io.log({ level: "error", removal: removal.objectKey, error: describeError(error) });
    }
  }
  return done;
}

/** Removes one object before a run comes by; whatever fails here is left to the run. */
export async function removeNow(io: Pick<Io, "db" | "bucket">, removal: removals.Removal): Promise<void> {
  await removeObject(io, removal);
  await removals.settle(io.db, [removal]);
}

/** Safe to repeat: an object that is gone already is no failure. */
async function removeObject(io: Pick<Io, "bucket">, removal: removals.Removal): Promise<void> {
  const { objectKey: key, multipartId } = removal;
  const bucket = await io.bucket();
  if (removal.bucket === "files") return bucket.unpublish(key);
  if (multipartId) await bucket.dropParts({ key, multipartId });
  await bucket.remove(key);
}
