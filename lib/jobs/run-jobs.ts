// Runs due jobs of one kind: claims them, a few at a time, until none is due or the invocation has used what it may.
import pLimit from "p-limit";
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { toResult, unwrap } from "../shared/result.ts";
import { MAX_CLAIMS } from "./backoff.ts";

export interface JobKind<Job> {
  /** For the log. */
  name: string;
  /** Concurrent jobs: an invocation may have six connections that wait for response headers. */
  concurrency: number;
  /** Jobs that may be claimed and not have ended; `concurrency` by default. */
  batch?: number;
  /** Claims of one invocation; the rest is left to another one. */
  maxClaims: number;
  /** No claim begins later than this after the first one. */
  maxMs?: number;
  /** Takes up to `limit` due jobs. Fewer mean that no more are due. */
  claim(limit: number): Promise<Job[]>;
  getId(job: Job): string;
  /** Claims of the job since its last progress, this one included; 1 where they are not counted. */
  countClaims(job: Job): number;
  /** Stores the outcome before it returns. When it throws, the lease ends by itself. */
  run(job: Job): Promise<JobEnd>;
}

export interface JobEnd {
  /** For the log: `done`, `failed`, `retry`; null when the job has logged its own steps. */
  outcome: string | null;
  /** Why it is not done. */
  reason?: string | null | undefined;
  /** It made another job due, so that claiming again may find one. */
  hasMadeDue?: boolean;
}

type JobServices = Pick<Services, "clock" | "budget" | "log" | "onJob">;

export async function runJobs<Job>(services: JobServices, kind: JobKind<Job>): Promise<void> {
  const { clock, budget } = services;
  const limit = pLimit(kind.concurrency);
  const running = new Set<Promise<void>>();
  const until = clock().getTime() + (kind.maxMs ?? Number.POSITIVE_INFINITY);
  let claims = 0;
  let isMoreDue = true;

  const start = (job: Job): Promise<void> => {
    const work = limit(async () => {
      if (await runJob(services, kind, job)) isMoreDue = true;
    }).finally(() => running.delete(work));
    running.add(work);
    return work;
  };

  for (;;) {
    const free = Math.min((kind.batch ?? kind.concurrency) - running.size, kind.maxClaims - claims);
    const isExhausted = clock().getTime() > until || budget.remainingRequests() === 0;
    if (isMoreDue && free > 0 && !isExhausted) {
      // This claim may miss jobs that another job makes due from now on.
      isMoreDue = false;
      const claimed = await toResult(kind.claim(free));
      // Ending the invocation would abort the open requests of running jobs.
      if (!claimed.ok) await Promise.all(running);
      const jobs = unwrap(claimed);
      claims += jobs.length;
      if (jobs.length === free) isMoreDue = true;
      for (const job of jobs) {
        // A job that ended earlier workers must not end its neighbours.
        const isSuspect = kind.countClaims(job) > MAX_CLAIMS.shared;
        if (isSuspect) await Promise.all(running);
        const work = start(job);
        if (isSuspect) await work;
      }
    } else if (running.size > 0) await Promise.race(running);
    else return;
  }
}

/** One line per job. Returns whether the job made another one due. */
async function runJob<Job>({ clock, log, onJob }: JobServices, kind: JobKind<Job>, job: Job): Promise<boolean> {
  const startedAt = clock().getTime();
  const ended = await toResult(kind.run(job));
  const line = { job: kind.name, id: kind.getId(job) };
  onJob?.(line);
  const durationMs = clock().getTime() - startedAt;
  if (!ended.ok) {
    log({ level: "error", ...line, outcome: "error", error: formatError(ended.error), duration_ms: durationMs });
    return false;
  }
  const { outcome, reason = null, hasMadeDue = false } = ended.value;
  if (outcome !== null) log({ level: "info", ...line, outcome, reason, duration_ms: durationMs });
  return hasMadeDue;
}
