// Removes objects from storage: of ended and expired uploads, of deleted files, and copies without a file row.

import { backoffMs } from "../jobs/backoff.ts";
import { runJobs } from "../jobs/run-jobs.ts";
import {
  type ClaimedDeletion,
  claimDeletions,
  type FailedDeletion,
  finishDeletions,
  type ObjectDeletion,
} from "../queries/object-deletions.ts";
import { deleteExpiredUploads } from "../queries/uploads.ts";
import type { Services } from "../services/context.ts";
import { DAY_MS } from "../shared/durations.ts";

/** Each deletion takes one or two storage requests, so a run ends before the cron has started two more. */
const DELETIONS_PER_RUN = 500;
/** A Worker may have six connections open. */
const CONCURRENCY = 6;
const LEASE_MS = 15 * 60_000;
/** A deletion is never given up: what nobody can read any more must not stay in storage. */
const BACKOFF = { firstMs: 15 * 60_000, mostMs: DAY_MS } as const;

/** The failure reason of an upload without a file is kept for this long. */
const KEEP_UNFINISHED_MS = 30 * DAY_MS;
const PRUNED_PER_RUN = 1_000;

type CleanupServices = Pick<Services, "db" | "storage" | "clock" | "log" | "budget">;

export async function runCleanup(services: CleanupServices): Promise<void> {
  const { db, clock } = services;
  const now = clock();
  const done: ObjectDeletion[] = [];
  const failed: FailedDeletion[] = [];
  await runJobs<ClaimedDeletion>(services, {
    name: "deletion",
    concurrency: CONCURRENCY,
    batch: DELETIONS_PER_RUN,
    maxClaims: DELETIONS_PER_RUN,
    claim(limit) {
      const leaseUntil = new Date(now.getTime() + LEASE_MS);
      return claimDeletions(db, { now, leaseToken: crypto.randomUUID(), leaseUntil, limit });
    },
    getId: ({ objectKey }) => objectKey,
    // A deletion that storage rejects is claimed again, and ends no worker.
    countClaims: () => 1,
    async run(deletion) {
      try {
        if (!deletion.kept) await removeObject(services, deletion);
        done.push(deletion);
        return { outcome: deletion.kept ? "kept" : "done" };
      } catch (error) {
        failed.push({ ...deletion, retryAt: new Date(now.getTime() + backoffMs(deletion.claims, 0, BACKOFF)) });
        throw error;
      }
    },
  });
  if (done.length + failed.length > 0) await finishDeletions(db, done, failed);
  await deleteExpiredUploads(db, new Date(now.getTime() - KEEP_UNFINISHED_MS), PRUNED_PER_RUN);
}

/** Removes one object immediately; when it throws, a later run retries. */
export async function removeObjectNow(
  services: Pick<CleanupServices, "db" | "storage">,
  deletion: ObjectDeletion,
): Promise<void> {
  await removeObject(services, deletion);
  await finishDeletions(services.db, [deletion]);
}

/** Safe to repeat: removing a missing object is not an error. */
async function removeObject(services: Pick<CleanupServices, "storage">, deletion: ObjectDeletion): Promise<void> {
  const { objectKey: key, multipartId } = deletion;
  const storage = await services.storage();
  if (deletion.bucket === "files") return storage.deletePublic(key);
  if (multipartId) await storage.abortMultipart({ key, multipartId });
  await storage.deleteUpload(key);
}
