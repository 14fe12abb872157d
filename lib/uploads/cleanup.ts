// Removes objects from storage: of ended and expired uploads, of deleted files, and copies without a file row.

import * as deletions from "../queries/object-deletions.ts";
import * as uploads from "../queries/uploads.ts";
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";

/** Each deletion takes one or two storage requests, so a run ends before the cron has started two more. */
const DELETIONS_PER_RUN = 500;
/** A Worker may have six connections open. */
const CONCURRENCY = 6;
const RETRY_AFTER_MS = 15 * 60 * 1000;

/** How long the failure reason of an upload without a file is kept. */
const KEEP_UNFINISHED_MS = 30 * 24 * 60 * 60 * 1000;
const PRUNED_PER_RUN = 1_000;

type CleanupServices = Pick<Services, "db" | "storage" | "clock" | "log">;

export async function runCleanup(services: CleanupServices): Promise<void> {
  const now = services.clock();
  const until = new Date(now.getTime() + RETRY_AFTER_MS);
  const due = await deletions.claim(services.db, now, until, DELETIONS_PER_RUN);
  const queue = due.values();
  // All workers take deletions from one shared iterator.
  const done = await Promise.all(Array.from({ length: CONCURRENCY }, () => processDeletions(services, queue)));
  if (due.length > 0) await deletions.finish(services.db, done.flat());
  await uploads.deleteExpired(services.db, new Date(now.getTime() - KEEP_UNFINISHED_MS), PRUNED_PER_RUN);
}

/** Returns the completed deletions. A failed one is logged and retried by a later run. */
async function processDeletions(
  services: CleanupServices,
  queue: Iterable<deletions.ClaimedDeletion>,
): Promise<deletions.ObjectDeletion[]> {
  const done: deletions.ObjectDeletion[] = [];
  for (const deletion of queue) {
    try {
      if (!deletion.kept) await removeObject(services, deletion);
      done.push(deletion);
    } catch (error) {
      services.log({ level: "error", deletion: deletion.objectKey, error: formatError(error) });
    }
  }
  return done;
}

/** Removes one object immediately; when it throws, a later run retries. */
export async function removeObjectNow(
  services: Pick<CleanupServices, "db" | "storage">,
  deletion: deletions.ObjectDeletion,
): Promise<void> {
  await removeObject(services, deletion);
  await deletions.finish(services.db, [deletion]);
}

/** Safe to repeat: removing a missing object is not an error. */
async function removeObject(
  services: Pick<CleanupServices, "storage">,
  deletion: deletions.ObjectDeletion,
): Promise<void> {
  const { objectKey: key, multipartId } = deletion;
  const storage = await services.storage();
  if (deletion.bucket === "files") return storage.deletePublic(key);
  if (multipartId) await storage.abortMultipart({ key, multipartId });
  await storage.deleteUpload(key);
}
