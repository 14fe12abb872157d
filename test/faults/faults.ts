// Which faults can strike an operation of a publisher, by what kind of operation it is.

/** One thing that a publisher asked of the outside, in the order asked. */
export interface Operation {
  on: "database" | "network" | "media";
  name: string;
  /** How many of this name came before it. */
  nth: number;
  /** Changes nothing, so whether it took effect makes no difference. */
  reads: boolean;
}

/** `killed`: nothing of this publisher runs any more. The rest happens to a publisher that lives on. */
export const DATABASE_FAULTS = ["killed before", "killed after", "away", "answer lost"] as const;

export const NETWORK_FAULTS = [
  "killed before",
  "killed after",
  "killed, call lands late",
  "refused",
  "signed out",
  "429",
  "500",
  "500 after effect",
  "stalled",
  "dropped before",
  "dropped after",
  "times out, call lands late",
  "silent from here on",
  "gone from here on",
] as const;

export const MEDIA_FAULTS = ["killed before", "500", "dropped before"] as const;

export type Fault = (typeof DATABASE_FAULTS)[number] | (typeof NETWORK_FAULTS)[number] | (typeof MEDIA_FAULTS)[number];

/** These make no difference to a call that only reads. */
const OF_EFFECTS: ReadonlySet<Fault> = new Set([
  "killed after",
  "killed, call lands late",
  "500 after effect",
  "dropped after",
  "times out, call lands late",
  "silent from here on",
]);

/** The checkpoint before the irreversible call. */
const ARMED = "checkpoint armed";

/** These go on until the delivery ends; before the irreversible call they would show nothing that a test of retries does not. */
export const LASTING: ReadonlySet<Fault> = new Set(["silent from here on", "gone from here on"]);

export interface Plan {
  operation: Operation;
  fault: Fault;
}

/** Every operation of a run without faults, struck in every way; of many alike the first and the last. */
export function plansOf(operations: readonly Operation[]): Plan[] {
  const armedAt = operations.findIndex(({ name }) => name === ARMED);
  return operations
    .filter((one) => isEdge(operations, one))
    .flatMap((one) => plansOfOne(one).filter(({ fault }) => !LASTING.has(fault) || operations.indexOf(one) > armedAt));
}

const OF_TWINS: ReadonlySet<Fault> = new Set(["killed before", "dropped before", "dropped after"]);

/** Only a lost outcome can be taken for that of the same post which went out before. */
export function isForTwins({ operation, fault }: Plan, operations: readonly Operation[]): boolean {
  const armedAt = operations.findIndex(({ name }) => name === ARMED);
  return operation.on === "network" && operations.indexOf(operation) > armedAt && OF_TWINS.has(fault);
}

function isEdge(operations: readonly Operation[], one: Operation): boolean {
  const alike = operations.filter(({ on, name }) => on === one.on && name === one.name);
  return one === alike[0] || one === alike.at(-1);
}

function plansOfOne(operation: Operation): Plan[] {
  const { on, reads } = operation;
  const all = on === "database" ? DATABASE_FAULTS : on === "network" ? NETWORK_FAULTS : MEDIA_FAULTS;
  return all
    .filter((fault) => !(on === "network" && reads && OF_EFFECTS.has(fault)))
    .map((fault) => ({ operation, fault }));
}
