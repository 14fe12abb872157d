// The errors of a delivery that the caller reads: what went wrong, who has to act, and how.
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { type Delivery, type DeliveryEvent, getCurrentPart, OUTCOME_UNKNOWN } from "./delivery-events.ts";
import type { ErrorName } from "./delivery-terms.ts";

export interface DeliveryError {
  code: string;
  message: string;
}

interface Facts {
  delivery: Delivery;
  event: DeliveryEvent;
  /** When the next attempt would be, also after the deadline; null when there is none. */
  nextAttempt: Date | null;
}

export const DELIVERY_ERRORS: Record<ErrorName, (facts: Facts) => DeliveryError> = {
  internal_error: () => ({
    code: "internal_error",
    message: `${ENDED_EVERY_WORKER} Retry the post later, or contact support with the id of the post.`,
  }),
  deadline_exceeded: ({ delivery }) => ({ code: "deadline_exceeded", message: describeDeadline(delivery) }),
  account_moved: ({ delivery }) => ({
    code: "account_moved",
    message: `The account ${delivery.account.username} no longer belongs to the workspace of this post. Create the post again with a key of the account's workspace.`,
  }),
  account_paused: ({ delivery }) => ({
    code: "account_paused",
    message: `The account ${delivery.account.username} is paused. To publish the post, resume the account in the dashboard before ${delivery.deadlineAt.toISOString()}.`,
  }),
  account_disconnected: ({ delivery }) => ({
    code: "account_disconnected",
    message: `${nameSubject(delivery)} was cancelled because the ${nameNetwork(delivery)} account ${delivery.account.username} was ${delivery.account.status} when it was due. Reconnect the account, then ${getCurrentPart(delivery) ? "retry the post" : "create the post again"}.`,
  }),
  network_unavailable: ({ delivery }) => ({
    code: "network_unavailable",
    message: `${delivery.account.platform} fails most requests at the moment. We continue automatically.`,
  }),
  network_busy: ({ delivery }) => ({
    code: "network_busy",
    message: `More posts are due on ${delivery.account.platform} than it takes at once. We continue automatically.`,
  }),
  network_failure: ({ event }) => toError(event),
  network_failure_retried: ({ delivery, event, nextAttempt }) => {
    const { code, message } = toError(event);
    return { code, message: `${message}${describeNextAttempt(nextAttempt, delivery)}` };
  },
  attempts_used_up: ({ delivery, event }) => {
    const { code, message } = toError(event);
    const attempts = delivery.attempts + 1;
    return {
      code,
      message: `${message} Failed after ${attempts} attempts. Retry the post when the network is available again.`,
    };
  },
  checking: ({ delivery, event }) => ({
    code: OUTCOME_UNKNOWN,
    message: `${describeCheck(delivery, event)}${CHECKING} whether the post was published and do not send it again until then.`,
  }),
  unknown_internal_error: ({ delivery }) => toUnknown(delivery, ENDED_EVERY_WORKER),
  unknown_not_confirmed: ({ delivery }) =>
    toUnknown(delivery, `${delivery.account.platform} did not confirm the post.`),
  unknown_not_finished: ({ delivery }) =>
    toUnknown(delivery, `${delivery.account.platform} accepted the post but did not finish publishing it.`),
  unknown_cannot_tell: ({ delivery }) =>
    toUnknown(
      delivery,
      `${nameNetwork(delivery)} cannot report whether the post was published (${delivery.account.username}).`,
    ),
  unknown_network_failure: ({ delivery, event }) => toUnknown(delivery, toError(event).message),
};

const ENDED_EVERY_WORKER = "This service could not finish the delivery: each attempt ended with an internal error.";

/** What the current call publishes, at the start of a sentence. */
function nameSubject(delivery: Delivery): string {
  const part = getCurrentPart(delivery);
  if (!part) return "The post";
  return part.kind === "comment" ? "The first comment" : `Reply ${delivery.part} of the thread`;
}

function nameNetwork({ account }: Delivery): string {
  return PLATFORM_DETAILS[account.platform].name;
}

function toError({ failure }: DeliveryEvent): DeliveryError {
  if (!failure) throw new Error("The event carries no failure.");
  return { code: failure.code, message: failure.message };
}

function toUnknown(delivery: Delivery, why: string): DeliveryError {
  const account = `${delivery.account.username} on ${nameNetwork(delivery)}`;
  const subject = nameSubject(delivery).replace(/^[TR]/, (letter) => letter.toLowerCase());
  const message = `${why} Check the account ${account}. If ${subject} is not there, retry ${getCurrentPart(delivery) ? "the post" : "it"} with resend: true.`;
  return { code: OUTCOME_UNKNOWN, message };
}

function describeCheck(delivery: Delivery, { name, failure }: DeliveryEvent): string {
  if (failure) return failure.message;
  return name === "cannot_tell"
    ? `${nameNetwork(delivery)} does not report whether the post was published.`
    : "The network's response was lost.";
}

const NEXT_ATTEMPT = " The next attempt is at ";
const CHECKING = " We are checking with the network";

function describeNextAttempt(at: Date | null, { deadlineAt }: Delivery): string {
  if (!at) return "";
  const next = at.toISOString();
  if (at < deadlineAt) return `${NEXT_ATTEMPT}${next}. No action is needed.`;
  return ` The next attempt would be at ${next}, after the deadline at ${deadlineAt.toISOString()}. Retry the post after ${next}.`;
}

const ANNOUNCEMENT = new RegExp(`${NEXT_ATTEMPT}|${CHECKING}`);

/** The last reported error is the reason. */
function describeDeadline(delivery: Delivery): string {
  const { account, stage, deadlineAt, errorMessage } = delivery;
  const unstarted = `It was queued behind other posts of the account ${account.username}.`;
  const unfinished = `${nameNetwork(delivery)} did not finish processing it.`;
  // The stored message also announced an attempt or a check that no longer takes place.
  const [why = ""] = (errorMessage ?? (stage === "new" ? unstarted : unfinished)).split(ANNOUNCEMENT);
  const advice = why.includes("Retry the post") ? "" : " Retry the post.";
  return `${nameSubject(delivery)} was not published by its deadline, ${deadlineAt.toISOString()}. ${why}${advice}`;
}
