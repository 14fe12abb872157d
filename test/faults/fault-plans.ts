// The faults that can be injected into each type of operation of a publishing worker.

/** An operation of a worker on an external service. */
export interface Operation {
  on: "database" | "network" | "media" | "queue";
  name: string;
  /** Number of earlier operations with this name. */
  nth: number;
  /** Read only, so faults after the effect do not apply. */
  reads: boolean;
}

/** `killed`: the worker stops. With the other faults it continues. `budget used up`: it may send nothing from here on. */
export const DATABASE_FAULTS = [
  "killed before",
  "killed after",
  "unavailable",
  "response lost",
  "budget used up",
] as const;

export const NETWORK_FAULTS = [
  "killed before",
  "killed after",
  "killed, request arrives late",
  "rejected",
  "token revoked",
  "429",
  "500",
  "500 after effect",
  "stalled",
  "dropped before",
  "dropped after",
  "times out, request arrives late",
  "responses lost from here on",
  "unreachable from here on",
  "budget used up",
] as const;

export const MEDIA_FAULTS = ["killed before", "500", "dropped before"] as const;

/** The message of the invocation arrives once more: while the first one `waits` at this operation, or goes on. */
export const COPY_FAULTS = ["copied, first waits", "copied, both run"] as const;

export type Fault =
  | (typeof DATABASE_FAULTS)[number]
  | (typeof NETWORK_FAULTS)[number]
  | (typeof MEDIA_FAULTS)[number]
  | (typeof COPY_FAULTS)[number];

/** Faults that make no difference to a read. */
const EFFECT_FAULTS: ReadonlySet<Fault> = new Set([
  "killed after",
  "killed, request arrives late",
  "500 after effect",
  "dropped after",
  "times out, request arrives late",
  "responses lost from here on",
]);

/** The checkpoint before the irreversible call. */
const ARMED_CHECKPOINT = "checkpoint armed";

/** Faults that last until the delivery ends; injected only after arming, since retries before it have their own tests. */
export const LASTING_FAULTS: ReadonlySet<Fault> = new Set(["responses lost from here on", "unreachable from here on"]);

export interface Plan {
  operation: Operation;
  fault: Fault;
}

/** Plans every fault for every operation of a run without faults; of operations with one name, the first and the last. */
const MOST_BASELINES = 3;

/**
 * Repeats a run without faults in which something was tried again, because a call ran out of time on a busy machine: the faults
 * planned for the repetition never come.
 */
export async function runBaseline<Result>(
  run: () => Promise<Result>,
  listOperations: (result: Result) => readonly Operation[],
): Promise<Result> {
  for (let runs = 1; ; runs++) {
    const result = await run();
    if (runs === MOST_BASELINES || !listOperations(result).some(({ name }) => name === "ends retry")) return result;
  }
}

export function planFaults(operations: readonly Operation[]): Plan[] {
  const armedAt = operations.findIndex(({ name }) => name === ARMED_CHECKPOINT);
  return operations
    .filter((one) => one.on !== "queue" && isEdge(operations, one))
    .flatMap((one) =>
      planFaultsFor(one).filter(({ fault }) => !LASTING_FAULTS.has(fault) || operations.indexOf(one) > armedAt),
    );
}

/**
 * For a worker with several deliveries: it is killed at every operation, the first and the last of each name, and its
 * message arrives once more at each that changes something.
 */
export function planKillsAndCopies(operations: readonly Operation[]): Plan[] {
  return operations
    .filter((one) => isEdge(operations, one))
    .flatMap((operation) => listKillsAndCopies(operation).map((fault) => ({ operation, fault })));
}

function listKillsAndCopies({ on, reads }: Operation): Fault[] {
  if (on === "database") return ["killed before", "killed after", ...COPY_FAULTS];
  if (on === "queue") return ["killed before", "killed after"];
  return on === "media" || reads ? ["killed before"] : ["killed before", "killed after", "copied, first waits"];
}

/** True when the worker had begun to publish the post: after arming, it sent something that is not a read. */
export function hasSentAfterArming(operations: readonly Operation[], { operation, fault }: Plan): boolean {
  const armedAt = operations.findIndex(({ name }) => name === ARMED_CHECKPOINT);
  const usedUpAt = operations.findIndex((one) => fault === "budget used up" && isSameOperation(one, operation));
  const sent = operations.slice(0, usedUpAt < 0 ? undefined : usedUpAt);
  return armedAt >= 0 && sent.some(({ on, reads }, at) => at > armedAt && on === "network" && !reads);
}

export function isSameOperation(one: Operation, other: Operation): boolean {
  return one.on === other.on && one.name === other.name && one.nth === other.nth;
}

const TWIN_FAULTS: ReadonlySet<Fault> = new Set(["killed before", "dropped before", "dropped after"]);

/** True when the fault loses an outcome, which could be confused with that of an identical earlier post. */
export function appliesToTwins({ operation, fault }: Plan, operations: readonly Operation[]): boolean {
  const armedAt = operations.findIndex(({ name }) => name === ARMED_CHECKPOINT);
  return operation.on === "network" && operations.indexOf(operation) > armedAt && TWIN_FAULTS.has(fault);
}

function isEdge(operations: readonly Operation[], one: Operation): boolean {
  const alike = operations.filter(({ on, name }) => on === one.on && name === one.name);
  return one === alike[0] || one === alike.at(-1);
}

function planFaultsFor(operation: Operation): Plan[] {
  const { on, reads } = operation;
  const all = on === "database" ? DATABASE_FAULTS : on === "network" ? NETWORK_FAULTS : MEDIA_FAULTS;
  return all
    .filter((fault) => !(on === "network" && reads && EFFECT_FAULTS.has(fault)))
    .map((fault) => ({ operation, fault }));
}
