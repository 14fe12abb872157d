// The calls of an attempt to its network: each returns what happened, as events of the table.
import type { Lease } from "../jobs/lease.ts";
import { getFailure, type Job, type Publisher, parentUnknown } from "../platforms/platform.ts";
import type { Services } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { toResult } from "../shared/result.ts";
import type { TokenServices } from "./account-token.ts";
import { alertOperator, toCustomerFailure } from "./app-failures.ts";
import { reserveDailyUpload } from "./daily-uploads.ts";
import {
  type CallFacts,
  type Delivery,
  type DeliveryEvent,
  findObstacle,
  hasNetworkResponded,
  isEarly,
  isSent,
  toAdmissionEvent,
  toArmEvent,
  toCallEnd,
  toFailureEvents,
  toPollEvent,
  toPublishEvent,
  toReconcileEvent,
} from "./delivery-events.ts";
import { isPhase, PHASES } from "./delivery-table.ts";
import type { Call, Phase, Row } from "./delivery-terms.ts";
import { admitToNetwork, countAttempt } from "./network-limits.ts";
import { openSession, type Session } from "./network-session.ts";
import { toPartJob } from "./part-job.ts";
import { getPublisher } from "./publish-context.ts";
import type { AttemptPorts } from "./run-delivery.ts";
import { READY_FOR_MS } from "./timing.ts";

export type NetworkServices = TokenServices & Pick<Services, "redis" | "log" | "wait" | "budget" | "sandbox">;

/** Opens the session of the delivery with the first call. */
export function openNetwork(
  services: NetworkServices,
  { lease, getFacts }: { lease: Lease; getFacts: () => CallFacts },
): Pick<AttemptPorts, "findObstacles" | "call"> {
  let session: Session | null = null;

  /** The events of a failed call; null without a lease. */
  async function handleFailure(delivery: Delivery, error: unknown): Promise<DeliveryEvent[] | null> {
    if (!lease.isHeld()) return null;
    const end = toCallEnd(delivery.phase, getFailure(error));
    if (end?.name === "response_lost") return [end];
    const ended = end ? [end] : [];
    const refreshed = await toResult(session?.refreshAfter(error) ?? Promise.resolve(false));
    if (refreshed.ok && refreshed.value) return ended;
    const cause = refreshed.ok ? error : refreshed.error;
    const failed = toCustomerFailure(getFailure(cause), delivery.account);
    if (!failed) services.log({ level: "error", delivery: delivery.id, error: formatError(cause) });
    alertOperator(services, cause, delivery.account, { delivery: delivery.id });
    // After a rejected call nothing is published, as before it.
    const failing: Delivery = end ? { ...delivery, phase: "started" } : delivery;
    return [...ended, ...toFailureEvents(failing, failed, getFacts())];
  }

  return {
    async findObstacles(delivery) {
      const publisher = getPublisher(services, delivery.account);
      session = openSession(services, publisher, delivery, lease.signal);
      const obstacle = findObstacle(delivery, services.clock());
      if (obstacle) return [obstacle];
      if (isSent(delivery.phase)) return [];
      const event = toAdmissionEvent(await admitToNetwork(services, delivery.account));
      return event ? [event] : [];
    },

    async call(delivery) {
      if (!session) throw new Error("A delivery is called only after its obstacles were looked for.");
      let events: DeliveryEvent[] | null;
      try {
        const job = toPartJob(await session.getJob(), delivery);
        const makeCall = CALLS[PHASES[delivery.phase].call];
        const event = await makeCall({ services, publisher: session.publisher, job, delivery, getFacts });
        events = [checkEvent(delivery, event)];
      } catch (error) {
        events = await handleFailure(delivery, error);
      }
      if (events) countEnd(services, delivery, events);
      return events && { events, account: session.getAccount() };
    },
  };
}

/** Counts the end of an attempt for the circuit breaker of the network; preparations and permalinks do not count. */
function countEnd(services: NetworkServices, { phase, account }: Delivery, events: DeliveryEvent[]): void {
  const last = events.at(-1);
  if (!last || isEarly(phase) || phase === "permalink" || findLastRow(phase, events)?.due === "at_once") return;
  const hasResponded = hasNetworkResponded(last);
  if (hasResponded !== null) countAttempt(services, account, hasResponded);
}

/** Returns the row of the last event: each event moves the delivery to the phase in which the next one is looked up. */
function findLastRow(phase: Phase, events: readonly DeliveryEvent[]): Row | undefined {
  let row: Row | undefined;
  for (const { name } of events) {
    const current = row && isPhase(row.next) ? row.next : phase;
    row = PHASES[current].on[name];
  }
  return row;
}

interface CallRequest {
  services: NetworkServices;
  publisher: Publisher;
  job: Job;
  delivery: Delivery;
  getFacts: () => CallFacts;
}

const CALLS: Record<Call, (request: CallRequest) => Promise<DeliveryEvent>> = {
  async start({ services, publisher, job, delivery }) {
    if (delivery.part === 0) await reserveDailyUpload(services, delivery);
    if (job.part && job.part.parent.id === null) throw parentUnknown(PLATFORM_DETAILS[delivery.account.platform].name);
    // A post that is sent again on the caller's word has a handle that says so.
    const isSaved = delivery.part === 0 && job.content.media !== null;
    const name = isSaved ? "started" : "started_unsaved";
    return { name, handle: { ...delivery.handle, ...(await publisher.start(job)) } };
  },

  async poll({ services, publisher, job, delivery, getFacts }) {
    if (isReady(delivery, services.clock())) return toArmEvent(delivery, { name: "ready" }, getFacts());
    const polled = await publisher.poll(job, delivery.handle ?? {});
    const event = toPollEvent(delivery, polled, services.clock());
    // Waiting here for a moment costs less than storing the state in between.
    if (event.name === "processing" && (await services.wait(event.afterMs ?? 0))) return { ...event, name: "waited" };
    return toArmEvent(delivery, event, getFacts());
  },

  publish: async ({ publisher, job, delivery }) =>
    toPublishEvent(delivery, await publisher.publish(job, delivery.handle ?? {})),

  reconcile: async ({ services, publisher, job, delivery }) =>
    toReconcileEvent(delivery, await publisher.reconcile(job, delivery.handle ?? {}), services.clock()),
};

/** Prepared so shortly before that nothing can have expired. */
function isReady({ phase, readyAt }: Delivery, now: Date): boolean {
  return phase === "started" && readyAt !== null && now.getTime() - readyAt.getTime() < READY_FOR_MS;
}

/** Throws for an event that the table does not have: the driver broke its contract. */
function checkEvent({ phase, account }: Delivery, event: DeliveryEvent): DeliveryEvent {
  if (PHASES[phase].on[event.name]) return event;
  throw new Error(`${account.platform} reported ${event.name} in phase ${phase}.`);
}
