// The terms of the table of deliveries: phases, ends, events, times, errors, and the shape of a row.
import type { ClaimedDelivery } from "../queries/deliveries.ts";

/** The stage in the row, which a worker that takes over continues from. */
export type Stage = ClaimedDelivery["stage"];

/**
 * The position of a delivery. `unprepared` and `preparing` come before its time, `publishing` exists only in the worker
 * that makes the call (a crash leaves `armed`), and a `permalink` is looked up after the post is published.
 */
export type Phase = "unprepared" | "preparing" | "new" | "started" | "publishing" | "armed" | "sent" | "permalink";

/**
 * The ends of a delivery. `unknown` is stored as failed with its stage, so that a retry reconciles before it sends. Once the
 * post is out, what fails is its part: a delivery whose reply fails is partial, and one whose first comment fails is posted.
 */
export type End = "posted" | "failed" | "void" | "unknown";

/** The calls of a publisher; `publish` is the only irreversible call. */
export type Call = "start" | "poll" | "publish" | "reconcile";

export type EventName =
  // Found before a call.
  | "claimed_too_often"
  | "deadline_passed"
  | "account_unusable"
  | "account_moved"
  | "account_paused"
  | "account_disconnected"
  | "network_unavailable"
  | "network_busy"
  | "no_room"
  // Reported by a call.
  | "started"
  | "started_unsaved"
  | "part_uploaded"
  | "waited"
  | "processing"
  | "ready"
  | "accepted"
  | "published"
  | "published_unlisted"
  | "reply_follows"
  | "comment_follows"
  | "too_early"
  | "not_published"
  | "not_published_resumable"
  | "not_published_in_time"
  | "cannot_tell"
  | "cannot_tell_finally"
  // Failures of a call.
  | "response_lost"
  | "not_sent"
  | "call_rejected"
  | "check_failed"
  | "check_failed_finally"
  | "begin_again"
  | "token_rejected"
  | "post_rejected"
  | "deferred"
  | "failed"
  | "attempts_used_up"
  | "out_of_budget";

/** When the delivery is due again; delivery-step.ts has a rule for each. `at_once` continues in the same attempt. */
export type Due =
  | "at_once"
  | "now"
  | "when_due"
  | "after_interval"
  | "after_interval_until_due"
  | "in_a_minute_until_due"
  | "when_network_opens_until_due"
  | "when_network_opens"
  | "in_five_minutes"
  | "after_backoff"
  | "after_rate_limit"
  | "after_reconcile_backoff"
  | "after_grace"
  | "after_permalink_pause"
  | "never";

/** Names a message of delivery-errors.ts. */
export type ErrorName =
  | "internal_error"
  | "deadline_exceeded"
  | "account_moved"
  | "account_paused"
  | "account_disconnected"
  | "network_unavailable"
  | "network_busy"
  | "network_failure"
  | "network_failure_retried"
  | "attempts_used_up"
  | "checking"
  | "unknown_internal_error"
  | "unknown_not_confirmed"
  | "unknown_not_finished"
  | "unknown_cannot_tell"
  | "unknown_network_failure";

/** Groups of columns that a row sets; delivery-step.ts has the values. */
export type Columns =
  | "begin_again"
  | "armed"
  | "ready"
  | "risk"
  | "published"
  | "next_part"
  | "permalink"
  | "permalink_deadline";

/** The consequences of an event. */
export interface Row {
  next: Phase | End;
  due: Due;
  /** `step` and `outcome` of the trace; `stage` stands for the stage of the call. Without it the change is stored later. */
  trace?: readonly [step: string, outcome: string];
  status?: "pending" | "retry" | "posted";
  /** The error that the caller reads; null clears the last error. */
  error?: ErrorName | null;
  /** Stores the handle and extends the lease, without a line in the trace. */
  progress?: true;
  /** Stores the number of attempts, with this one counted (1) or not (0). */
  attempts?: 0 | 1;
  sets?: readonly Columns[];
  /** The account has to be connected again. */
  disconnects?: true;
}
