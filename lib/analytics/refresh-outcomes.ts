// The outcome of an attempt at a refresh: continued, retried, or failed with a message for the customer.
import { backoffMs } from "../jobs/backoff.ts";
import type { Failure } from "../platforms/platform.ts";
import { TOKEN_NOT_YET_ACCEPTED } from "../publishing/account-token.ts";
import type { ClaimedRefresh, RefreshOutcome } from "../queries/analytics-refreshes.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { MAX_ATTEMPTS } from "./timing.ts";

type RefreshState = Pick<ClaimedRefresh, "attempts" | "deadlineAt" | "error" | "target">;

/** Rate limits increase the backoff up to this attempt but never end the refresh before its deadline. */
const MAX_BACKOFF_ATTEMPTS = 5;

/** Failures whose own message says more than the class. */
const OWN_ERROR_CODES = ["account_busy", "fault", TOKEN_NOT_YET_ACCEPTED];

/** The page limit of one invocation is reached; the next invocation continues immediately. */
export function continueRefresh(now: Date): RefreshOutcome {
  return { status: "processing", attempts: 0, nextAttemptAt: now, errorCode: null, error: null };
}

export function failRefresh(code: string, error: string, attempts: number): RefreshOutcome {
  return { status: "failed", attempts, nextAttemptAt: null, errorCode: code, error };
}

const NEXT_ATTEMPT = " The next attempt is at ";

export function expireRefresh({ attempts, error }: RefreshState): RefreshOutcome {
  const [reason = ""] = (error ?? "").split(NEXT_ATTEMPT);
  return failRefresh("overdue", `The refresh did not finish in time. ${reason}`.trim(), attempts);
}

export function decideOutcome(
  refresh: RefreshState,
  networkFailure: Failure,
  now: Date,
  random: number,
): RefreshOutcome {
  const attempts = refresh.attempts + 1;
  const backoffUntil = now.getTime() + backoffMs(attempts, random);
  if (networkFailure.class === "rate_limited") {
    const retryAt = new Date(Math.max(networkFailure.retryAt?.getTime() ?? 0, backoffUntil));
    return retryRefresh(refresh, { ...networkFailure, retryAt }, retryAt, Math.min(attempts, MAX_BACKOFF_ATTEMPTS));
  }
  const retryable = networkFailure.class === "transient" || networkFailure.class === "unanswered";
  if (retryable && attempts < MAX_ATTEMPTS)
    return retryRefresh(refresh, networkFailure, new Date(backoffUntil), attempts);
  return failRefresh(networkFailure.code, describeFailure(refresh, networkFailure), attempts);
}

function retryRefresh(refresh: RefreshState, networkFailure: Failure, at: Date, attempts: number): RefreshOutcome {
  const reason = describeFailure(refresh, networkFailure);
  if (at >= refresh.deadlineAt)
    return failRefresh(
      networkFailure.code,
      `${reason} The next attempt would be after the deadline of this refresh. Start a new refresh later.`,
      attempts,
    );
  const error = `${reason}${NEXT_ATTEMPT}${at.toISOString()}.`;
  return { status: "pending", attempts, nextAttemptAt: at, errorCode: networkFailure.code, error };
}

function describeFailure({ target }: RefreshState, { class: kind, code, message, retryAt }: Failure): string {
  const network = PLATFORM_DETAILS[target.platform].name;
  const name = target.identifier;
  if (OWN_ERROR_CODES.includes(code)) return message;
  if (code === "account_unknown") return `${network} has no account ${name}. Check the spelling.`;
  switch (kind) {
    case "rate_limited":
      return `${network} is rate limiting requests until ${retryAt?.toISOString()} (${code}).`;
    case "auth":
      return `${network} rejected the account's token (${code}). Reconnect the account, then refresh.`;
    case "account":
      if (target.platform === "tiktok" && code.startsWith("scope_")) {
        return `TikTok does not let us read the posts of ${name} (${code}); publishing needs no such permission. Connect the account again and allow reading. If TikTok does not ask about it, this service lacks the permission video.list, which its operator can add.`;
      }
      return `${network} does not let us read the posts of ${name} (${code}). Connect the account again and allow reading.`;
    case "content":
      return `${network} rejected the request for the posts of ${name} (${code}). Contact support.`;
    default:
      return `${network} did not respond (${code}).`;
  }
}
