// A model of one delivery for property tests: the row, a network that follows the publishers' contract, a clock, and workers
// that may end at any moment. The interpreter and the table are the real ones.
import type { Failure, FailureClass, Handle, Publisher } from "../../lib/platforms/platform.ts";
import {
  type CallFacts,
  type Delivery,
  type DeliveryEvent,
  findObstacle,
  openDelivery,
  toArmEvent,
  toCallEnd,
  toFailureEvents,
  toPollEvent,
  toPublishEvent,
  toReconcileEvent,
} from "../../lib/publishing/delivery-events.ts";
import type { Step } from "../../lib/publishing/delivery-step.ts";
import { PHASES } from "../../lib/publishing/delivery-table.ts";
import { type AttemptPorts, runDelivery } from "../../lib/publishing/run-delivery.ts";
import { DEADLINE_AFTER_DUE_MS, PREPARE_AHEAD_MS } from "../../lib/publishing/timing.ts";
import type { ClaimedDelivery } from "../../lib/queries/deliveries.ts";
import type { DeliveryPart } from "../../lib/shared/post-content.ts";

/** One random choice per moment at which something can happen; the numbers are in [0, 1). */
export interface Chance {
  next(): number;
}

type Polled = Awaited<ReturnType<Publisher["poll"]>>;

/** This service knows so much from the network about the post; it decides what may be done next. */
type Knowledge = "not sent" | "may be published" | "published";

export interface Model {
  row: ClaimedDelivery;
  now: Date;
  /** Of the post, of each reply and of the comment, in their order. */
  known: Knowledge[];
  /** Every call of `publish`: of which part, and what was known before it of all of them. */
  publishCalls: { part: number; known: Knowledge[] }[];
  /** The row has said at some time that the call may be made. */
  wasArmed: boolean;
  attempts: number;
  /** What was stored, in the words of the trace. */
  steps: string[];
}

const DUE_AT = new Date("2026-03-01T12:00:00.000Z");

export function createModel(isScheduled: boolean, kinds: readonly DeliveryPart["kind"][] = []): Model {
  const startsAt = isScheduled ? new Date(DUE_AT.getTime() - PREPARE_AHEAD_MS) : DUE_AT;
  const row = {
    id: "delivery",
    status: isScheduled ? "scheduled" : "pending",
    stage: "new",
    handle: null,
    attempts: 0,
    claims: 0,
    errorCode: null,
    errorMessage: null,
    publishedAt: null,
    armedAt: null,
    dueAt: DUE_AT,
    readyAt: null,
    risk: null,
    holdsAccount: false,
    deadlineAt: new Date(DUE_AT.getTime() + DEADLINE_AFTER_DUE_MS),
    inScope: true,
    post: { media: null, overrides: [], thread: null },
    ...{ part: 0, platformPostId: null, publishedUrl: null, postHandle: null },
    parts:
      kinds.length > 0 ? kinds.map((kind) => ({ kind, status: "waiting", id: null, url: null, error: null })) : null,
    account: { id: "account", platform: "instagram", type: "byo", status: "active", username: "user", tokenVersion: 1 },
    nextAttemptAt: startsAt,
  };
  return {
    row: row as unknown as ClaimedDelivery,
    now: startsAt,
    known: ["not sent", ...kinds.map((): Knowledge => "not sent")],
    publishCalls: [],
    wasArmed: false,
    attempts: 0,
    steps: [],
  };
}

export const isOpen = ({ row }: Model): boolean => getNext(row) !== null;

export const getNext = (row: ClaimedDelivery): Date | null =>
  (row as unknown as { nextAttemptAt: Date | null }).nextAttemptAt;

/** The worker ends without another statement or call. */
const CRASH = new Error("the worker ended");

/** Claims the row at its time and runs one attempt; whatever the worker keeps in memory is lost afterwards. */
export async function runAttempt(model: Model, chance: Chance): Promise<void> {
  model.attempts += 1;
  // At times no worker runs for hours.
  if (chance.next() < 0.03) model.now = new Date(model.now.getTime() + chance.next() * 30 * 3_600_000);
  const claimed: ClaimedDelivery = {
    ...model.row,
    claims: model.row.claims + 1,
    holdsAccount: model.now >= model.row.dueAt && model.row.stage !== "sent",
    status: model.row.status === "scheduled" && model.now >= model.row.dueAt ? "pending" : model.row.status,
  };
  model.row = { ...claimed, holdsAccount: false };
  try {
    await runDelivery(createPorts(model, chance), openDelivery(claimed));
  } catch (error) {
    if (error !== CRASH) throw error;
    // The lease ends, and the row is claimed again.
    model.now = new Date(model.now.getTime() + 60_000);
  }
}

function createPorts(model: Model, chance: Chance): AttemptPorts {
  const pick = <Value>(...values: Value[]): Value => values[Math.floor(chance.next() * values.length)] as Value;
  const mayCrash = () => {
    if (chance.next() < 0.06) throw CRASH;
  };
  const getFacts = (): CallFacts => ({
    now: model.now,
    random: chance.next(),
    isOutOfBudget: chance.next() < 0.03,
    canArm: chance.next() < 0.95,
  });
  const passTime = () => {
    model.now = new Date(model.now.getTime() + Math.floor(chance.next() * 5_000));
  };

  const know = ({ part }: Delivery, knowledge: Knowledge) => {
    model.known[part] = knowledge;
  };

  async function call(delivery: Delivery) {
    mayCrash();
    passTime();
    if (chance.next() < 0.02) return null;
    const events = callNetwork(delivery);
    mayCrash();
    return { events, account: model.row.account };
  }

  function callNetwork(delivery: Delivery): DeliveryEvent[] {
    const kind = PHASES[delivery.phase].call;
    const isPublish = kind === "publish";
    if (isPublish) {
      model.publishCalls.push({ part: delivery.part, known: [...model.known] });
      know(delivery, "may be published");
      // The call has left: the worker may end before it reads the response.
      mayCrash();
    }
    if (chance.next() < 0.35) return fail(delivery, randomFailure(isPublish || delivery.phase === "sent"));
    if (kind === "start") {
      const name = delivery.part > 0 ? "started_unsaved" : pick("started", "started_unsaved");
      return [{ name, handle: randomHandle() }];
    }
    if (isPublish) {
      const url = pick("https://example.com/p", null);
      const sent = pick(
        { state: "sent" as const, handle: randomHandle() },
        { state: "published" as const, platformPostId: "1", url },
      );
      if (sent.state === "published") know(delivery, "published");
      return [toPublishEvent(delivery, sent)];
    }
    return [kind === "poll" ? poll(delivery) : reconcile(delivery)];
  }

  function poll(delivery: Delivery): DeliveryEvent {
    const processing = { state: "processing" as const, afterMs: pick(0, 30_000, 600_000), handle: randomHandle() };
    const published = { state: "published" as const, platformPostId: "1", url: pick("https://example.com/p", null) };
    const wasSent = delivery.phase === "sent" || delivery.phase === "permalink";
    // Before `publish` nothing is published, and afterwards nothing is ready to be.
    const polled = pick<Polled>(processing, wasSent ? published : { state: "ready" });
    if (polled.state === "published" && delivery.phase !== "permalink") know(delivery, "published");
    const event = toPollEvent(delivery, polled, model.now);
    return toArmEvent(delivery, event, getFacts());
  }

  function reconcile(delivery: Delivery): DeliveryEvent {
    const result = pick(
      { state: "published" as const, platformPostId: "1", url: "https://example.com/p" },
      { state: "processing" as const, afterMs: 60_000 },
      { state: "not_published" as const },
      { state: "not_published" as const, handle: randomHandle() },
      { state: "cannot_tell" as const },
    );
    if (result.state === "published") know(delivery, "published");
    const event = toReconcileEvent(delivery, result, model.now);
    if (event.name.startsWith("not_published")) know(delivery, "not sent");
    return event;
  }

  function fail(delivery: Delivery, failure: Failure | null): DeliveryEvent[] {
    const end = toCallEnd(delivery.phase, failure);
    if (end?.name === "response_lost") return [end];
    if (end) know(delivery, "not sent");
    if (failure?.restart && delivery.phase !== "permalink") know(delivery, "not sent");
    const failing: Delivery = end ? { ...delivery, phase: "started" } : delivery;
    return [...(end ? [end] : []), ...toFailureEvents(failing, failure, getFacts())];
  }

  /** `restart` says that the network ended what was sent; a null failure is an error of this service. */
  function randomFailure(canRestart: boolean): Failure | null {
    const classes: FailureClass[] = [
      "transient",
      "transient",
      "unanswered",
      "rate_limited",
      "auth",
      "content",
      "account",
    ];
    const failure: Failure = {
      class: pick(...classes),
      code: "network_error",
      message: "The network reported an error.",
    };
    const retryAt = chance.next() < 0.3 ? new Date(model.now.getTime() + chance.next() * 100_000_000) : undefined;
    const restart = canRestart && chance.next() < 0.2 ? true : undefined;
    return chance.next() < 0.1 ? null : { ...failure, retryAt, restart };
  }

  return {
    call,
    getFacts,
    logError: () => undefined,
    recover: async () => {
      throw CRASH;
    },
    async findObstacles(delivery) {
      const chanceOfOther = chance.next();
      const claimed = chanceOfOther < 0.01 ? { ...delivery, inScope: false } : delivery;
      const status = pick(
        ...Array.from({ length: 60 }, () => "active" as const),
        "paused" as const,
        "revoked" as const,
      );
      const obstacle = findObstacle({ ...claimed, account: { ...claimed.account, status } }, model.now);
      return obstacle ? [obstacle] : [];
    },
    async store(delivery: Delivery, step: Step) {
      mayCrash();
      if (chance.next() < 0.04) throw new Error("the database does not respond");
      if (step.isProgress || step.trace) {
        const { phase: _, ...stored } = { ...delivery, ...step.change };
        model.steps.push(step.trace ? `${step.trace.step}: ${step.trace.outcome}` : "progress");
        if (step.change.stage === "armed") model.wasArmed = true;
        model.row = { ...(stored as ClaimedDelivery), claims: 0, holdsAccount: false };
      }
      // The statement ran, but its response is lost.
      if (chance.next() < 0.02) throw new Error("the response of the database is lost");
      mayCrash();
      return [];
    },
  };

  function randomHandle(): Handle {
    return { id: Math.floor(chance.next() * 1_000) };
  }
}
