// Checks scheduled posts an hour before they are due: token, quota and rules, so that there is time to put right what fails.
import { createScopeEnqueuer } from "../jobs/enqueue-webhooks.ts";
import { runJobs } from "../jobs/run-jobs.ts";
import { drivers } from "../platforms/index.ts";
import { type Failure, failure, getFailure, type Job } from "../platforms/platform.ts";
import { findPostViolations } from "../platforms/post-violations.ts";
import { type ClaimedDelivery, markAccountDisconnected } from "../queries/deliveries.ts";
import { claimRiskChecks, saveDeliveryRisk } from "../queries/risk-checks.ts";
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { retry } from "../shared/retry.ts";
import { alertOperator } from "./app-failures.ts";
import { openSession } from "./network-session.ts";
import { getPublisher } from "./publish-context.ts";
import { LEASE_MS } from "./timing.ts";

/** A little more than an hour, because the check runs once a minute. */
export const CHECK_AHEAD_MS = 65 * 60_000;
export const RECHECK_MS = 10 * 60_000;
/** Of one run; what is left is checked by the next ones, the earliest first. */
const MAX_PER_RUN = 120;
const MAX_CONCURRENT = 6;

export async function checkScheduled(services: Services): Promise<void> {
  const now = services.clock();
  const at = (ms: number) => new Date(now.getTime() + ms);
  const enqueueScope = createScopeEnqueuer(services);
  await runJobs<ClaimedDelivery>(services, {
    name: "check",
    concurrency: MAX_CONCURRENT,
    batch: MAX_PER_RUN,
    maxClaims: MAX_PER_RUN,
    claim: (limit) =>
      claimRiskChecks(services.db, {
        ...{ now, dueBy: at(CHECK_AHEAD_MS), recheckBefore: at(-RECHECK_MS), limit, sandbox: services.sandbox },
      }),
    getId: ({ id }) => id,
    countClaims: ({ claims }) => claims,
    async run(delivery) {
      if (services.budget.remainingRequests() === 0) return { outcome: "skipped" };
      const risk = await findRisk(services, delivery);
      if (risk || delivery.risk) await saveDeliveryRisk(services.db, delivery.id, now, risk);
      if (risk && delivery.hasWebhooks) enqueueScope(delivery.scopeId);
      return { outcome: risk ? "at_risk" : "done", reason: risk?.code };
    },
  });
}

/** Finds the error that would end the post now; returns the earlier finding if the network does not say. */
async function findRisk(services: Services, claimed: ClaimedDelivery): Promise<ClaimedDelivery["risk"]> {
  const { account } = claimed;
  const publisher = getPublisher(services, account);
  // Errors of the account itself are read from its row.
  if (account.type === "hosted" || account.status !== "active" || !claimed.inScope) return null;
  // Nothing is published, so nothing is leased.
  const session = openSession(services, publisher, claimed, AbortSignal.timeout(LEASE_MS));
  const check = async () => checkPost(await session.getJob(), account.platform);
  try {
    await retry(check, session.refreshAfter);
    return null;
  } catch (error) {
    const failed = getFailure(error);
    alertOperator(services, error, account, { delivery: claimed.id });
    if (!failed) services.log({ level: "error", delivery: claimed.id, error: formatError(error) });
    if (failed?.class === "auth") {
      await markAccountDisconnected(services.db, session.getAccount(), failed.message, services.clock());
      return null;
    }
    if (!failed || !isLasting(failed, claimed.dueAt)) return claimed.risk;
    return { code: "check_failed", reason: failed.message, tokenVersion: session.getAccount().tokenVersion };
  }
}

async function checkPost(job: Job, platform: ClaimedDelivery["account"]["platform"]): Promise<void> {
  const driver = drivers[platform];
  const [first] = findPostViolations(driver, job.content, driver.capabilities, "The account");
  if (first) throw failure({ class: "content", code: first.code, message: first.message });
  await driver.check?.(job);
}

/** Returns true if the failure lasts until the post is due. A quota counts as used up until shortly before. */
function isLasting({ class: kind, operator, retryAt }: Failure, dueAt: Date): boolean {
  if (kind === "rate_limited") return retryAt !== undefined && retryAt.getTime() > dueAt.getTime() - RECHECK_MS;
  return !operator && (kind === "content" || kind === "account");
}
