// The life of a delivery as data: for each phase and event the next phase, what is stored, and when the delivery is due
// again. run-delivery.ts makes the calls, delivery-step.ts applies a row, and the guide "The life of a post" shows the table.
import type { Call, End, EventName, Phase, Row, Stage } from "./delivery-terms.ts";

type Rows = Partial<Record<EventName, Row>>;

const STAGE = "stage";
const FAILED: Row = { next: "failed", due: "never", trace: [STAGE, "failed"] };
const POSTED: Row = { next: "posted", due: "never", status: "posted", error: null, sets: ["published"] };
const UNLISTED: Row = {
  ...POSTED,
  next: "permalink",
  due: "after_permalink_pause",
  sets: ["published", "permalink_deadline"],
};
/** Published, and a reply or the first comment follows: the next part begins like a new delivery, with nothing of this one. */
const REPLY_FOLLOWS: Row = { next: "new", due: "at_once", status: "pending", error: null, sets: ["next_part"] };
const COMMENT_FOLLOWS: Row = { ...REPLY_FOLLOWS, status: "posted" };

/** `step` of the trace names the call by which the outcome is known. */
const buildPublishedRows = (step: string, attempts: 0 | 1): Rows => ({
  published: { ...POSTED, trace: [step, "posted"], attempts },
  published_unlisted: { ...UNLISTED, trace: [step, "posted"], attempts },
  reply_follows: { ...REPLY_FOLLOWS, trace: [step, "published"] },
  comment_follows: { ...COMMENT_FOLLOWS, trace: [step, "posted"] },
});
const CHECK_LATER: Row = {
  next: "armed",
  due: "after_reconcile_backoff",
  status: "retry",
  error: "checking",
  attempts: 1,
};
const UNKNOWN: Row = { next: "unknown", due: "never", trace: ["reconcile", "failed"] };

/** The invocation used up its budget: nothing more was sent, and another one continues from the same phase. */
const buildPostponedRow = (next: Phase): Row => ({ next, due: "now", trace: [STAGE, "postponed"] });

/** Before its time a failure is only noted: the delivery reports it when it is due, unless it has been put right by then. */
const buildEarlyRows = (phase: "unprepared" | "preparing"): Rows => ({
  claimed_too_often: { ...FAILED, error: "internal_error" },
  account_unusable: { next: "new", due: "when_due", trace: ["prepare", "postponed"], sets: ["begin_again"] },
  network_unavailable: { next: phase, due: "when_network_opens_until_due", trace: ["prepare", "postponed"] },
  network_busy: { next: phase, due: "when_network_opens_until_due", trace: ["prepare", "postponed"] },
  out_of_budget: buildPostponedRow(phase),
  begin_again: { next: "unprepared", due: "at_once", sets: ["begin_again"] },
  token_rejected: {
    next: "new",
    due: "when_due",
    trace: ["prepare", "postponed"],
    sets: ["begin_again"],
    disconnects: true,
  },
  failed: { next: phase, due: "in_a_minute_until_due", trace: ["prepare", "retry"], sets: ["risk"] },
});

/** Nothing can have been published, so an error ends the delivery or leads to another try. */
const buildUnsentRows = (phase: "new" | "started"): Rows => ({
  claimed_too_often: { ...FAILED, error: "internal_error" },
  deadline_passed: { ...FAILED, trace: ["deadline", "failed"], error: "deadline_exceeded" },
  account_moved: { ...FAILED, trace: ["open", "failed"], error: "account_moved" },
  account_disconnected: { next: "void", due: "never", trace: ["open", "failed"], error: "account_disconnected" },
  // A preparation or upload may expire during the pause.
  account_paused: {
    next: "new",
    due: "in_five_minutes",
    status: "retry",
    trace: ["open", "retry"],
    error: "account_paused",
    sets: ["begin_again"],
  },
  network_unavailable: {
    next: phase,
    due: "when_network_opens",
    status: "retry",
    trace: [STAGE, "retry"],
    error: "network_unavailable",
  },
  network_busy: {
    next: phase,
    due: "when_network_opens",
    status: "retry",
    trace: [STAGE, "retry"],
    error: "network_busy",
  },
  out_of_budget: buildPostponedRow(phase),
  begin_again: { next: "new", due: "at_once", sets: ["begin_again"] },
  token_rejected: {
    ...FAILED,
    trace: ["refresh", "failed"],
    error: "network_failure",
    attempts: 1,
    disconnects: true,
  },
  post_rejected: { ...FAILED, error: "network_failure", attempts: 1 },
  attempts_used_up: { ...FAILED, error: "attempts_used_up", attempts: 1 },
  // Failures that only time or the operator can end do not count as attempts of the customer's post.
  deferred: {
    next: phase,
    due: "after_rate_limit",
    status: "retry",
    trace: [STAGE, "retry"],
    error: "network_failure_retried",
  },
  failed: {
    next: phase,
    due: "after_backoff",
    status: "retry",
    trace: [STAGE, "retry"],
    error: "network_failure_retried",
    attempts: 1,
  },
});

/** The post may be published, so only the network's response ends the delivery, and nothing is sent meanwhile. */
const buildUnconfirmedRows = (phase: "armed" | "sent"): Rows => ({
  claimed_too_often: { ...UNKNOWN, error: "unknown_internal_error" },
  out_of_budget: buildPostponedRow(phase),
  begin_again: { next: "new", due: "at_once", sets: ["begin_again"] },
  token_rejected: { ...UNKNOWN, error: "unknown_network_failure", disconnects: true },
  check_failed: { ...CHECK_LATER, next: phase, trace: [STAGE, "unknown"] },
  check_failed_finally: { ...UNKNOWN, error: "unknown_network_failure" },
});

export const PHASES: Record<Phase, { stage: Stage; call: Call; on: Rows }> = {
  unprepared: {
    stage: "new",
    call: "start",
    on: {
      ...buildEarlyRows("unprepared"),
      // Stored with the next row: a start that is lost can be repeated.
      started: { next: "preparing", due: "at_once" },
      started_unsaved: { next: "preparing", due: "at_once" },
    },
  },
  preparing: {
    stage: "started",
    call: "poll",
    on: {
      ...buildEarlyRows("preparing"),
      part_uploaded: { next: "preparing", due: "at_once", progress: true },
      waited: { next: "preparing", due: "at_once" },
      processing: { next: "preparing", due: "after_interval_until_due", trace: ["prepare", "processing"] },
      ready: { next: "started", due: "when_due", trace: ["prepare", "ready"], sets: ["ready"] },
    },
  },
  new: {
    stage: "new",
    call: "start",
    on: {
      ...buildUnsentRows("new"),
      started: { next: "started", due: "at_once", trace: ["start", "started"] },
      // Stored with the next row: the start of a text, or of a part of a thread, costs little to repeat when it is lost.
      started_unsaved: { next: "started", due: "at_once" },
    },
  },
  started: {
    stage: "started",
    call: "poll",
    on: {
      ...buildUnsentRows("started"),
      part_uploaded: { next: "started", due: "at_once", progress: true },
      waited: { next: "started", due: "at_once" },
      processing: {
        next: "started",
        due: "after_interval",
        status: "pending",
        trace: ["poll", "processing"],
        error: null,
      },
      ready: { next: "publishing", due: "at_once", trace: ["arm", "armed"], sets: ["armed"] },
      no_room: { next: "started", due: "now", status: "pending", trace: ["arm", "processing"], error: null },
      ...buildPublishedRows("poll", 1),
    },
  },
  publishing: {
    stage: "armed",
    call: "publish",
    on: {
      ...buildPublishedRows("publish", 1),
      accepted: { next: "sent", due: "at_once", trace: ["sent", "sent"] },
      response_lost: { ...CHECK_LATER, trace: ["publish", "unknown"] },
      // The network rejected the call, or did not receive it: the failure is handled in the phase before.
      not_sent: { next: "started", due: "at_once", trace: ["not sent", "started"] },
      call_rejected: { next: "started", due: "at_once", trace: ["rejected", "started"] },
      // The response could not be stored.
      check_failed: { ...CHECK_LATER, trace: [STAGE, "unknown"] },
      check_failed_finally: { ...UNKNOWN, error: "unknown_network_failure" },
      out_of_budget: buildPostponedRow("armed"),
    },
  },
  armed: {
    stage: "armed",
    call: "reconcile",
    on: {
      ...buildUnconfirmedRows("armed"),
      ...buildPublishedRows("reconcile", 0),
      processing: {
        next: "armed",
        due: "after_interval",
        status: "pending",
        trace: ["reconcile", "processing"],
        error: null,
      },
      too_early: { ...CHECK_LATER, due: "after_grace", trace: ["reconcile", "unknown"], attempts: 0 },
      not_published: { next: "new", due: "at_once", trace: ["reconcile", "new"], sets: ["begin_again"] },
      not_published_resumable: { next: "started", due: "at_once", trace: ["reconcile", "started"] },
      not_published_in_time: { ...FAILED, trace: ["deadline", "failed"], error: "deadline_exceeded" },
      cannot_tell: { ...CHECK_LATER, trace: ["reconcile", "unknown"] },
      cannot_tell_finally: { ...UNKNOWN, error: "unknown_cannot_tell" },
      deadline_passed: { ...UNKNOWN, error: "unknown_not_confirmed" },
    },
  },
  sent: {
    stage: "sent",
    call: "poll",
    on: {
      ...buildUnconfirmedRows("sent"),
      part_uploaded: { next: "sent", due: "at_once", progress: true },
      waited: { next: "sent", due: "at_once" },
      processing: {
        next: "sent",
        due: "after_interval",
        status: "pending",
        trace: ["confirm", "processing"],
        error: null,
      },
      ...buildPublishedRows("confirm", 1),
      deadline_passed: { ...UNKNOWN, error: "unknown_not_finished" },
    },
  },
  permalink: {
    stage: "sent",
    call: "poll",
    on: {
      claimed_too_often: { next: "posted", due: "never", trace: ["permalink", "unavailable"] },
      deadline_passed: { next: "posted", due: "never", trace: ["permalink", "unavailable"] },
      published: { next: "posted", due: "never", trace: ["permalink", "found"], sets: ["permalink"] },
      published_unlisted: { next: "permalink", due: "after_permalink_pause", trace: ["permalink", "pending"] },
      // The post stays posted, whatever the lookup says.
      check_failed: { next: "permalink", due: "after_permalink_pause", trace: ["permalink", "pending"] },
    },
  },
};

/** Returns false for the ends of a delivery. */
export const isPhase = (next: Phase | End): next is Phase => next in PHASES;
