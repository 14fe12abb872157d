// The failures, in turn, and how long the service takes to recover from each.
import { setTimeout as sleep } from "node:timers/promises";
import { PLATFORMS } from "../../lib/shared/platforms.ts";
import type { TemporaryStack } from "../local/temporary-stack.ts";
import { KINDS, type Kind, type Ledger } from "./ledger.ts";
import type { Load } from "./load.ts";
import { removePreviousKey } from "./rotate-key.ts";

export type FailureName = "database" | "redis" | "bucket" | "networks" | "worker";

export interface PlannedFailure {
  name: FailureName;
  /** ms since the start of the load. */
  at: number;
  /** Its duration; a crashed Worker is restarted at once. */
  ms: number;
}

export interface Failure {
  name: FailureName;
  from: number;
  until: number;
  /** ms from the end of the failure to the first success of each kind; of a crash, from the crash. Null: none in time. */
  recovery: Partial<Record<Kind | "publish" | "publish everywhere", number | null>>;
  /** When the last kind had recovered. */
  recoveredAt: number;
}

const PROBE_PAUSE_MS = 100;
const RECOVERY_TIMEOUT_MS = 60_000;
const PUBLISHING_TIMEOUT_MS = 180_000;
/** Responses of a failing network, one after the other. */
const NETWORK_ANSWERS = ["drop_before", "500", "drop_after"] as const;

/**
 * `everyAccount`: waits until all accounts publish again, not only the first. A crashed Worker is restarted without the
 * previous token key.
 */
export function createFailures(
  { stack, worker, vars, setVars }: TemporaryStack,
  load: Load,
  ledger: Ledger,
  everyAccount: boolean,
) {
  let outages = 0;

  const cause: Record<FailureName, (ms: number) => Promise<void>> = {
    database: (ms) => stopService("database", ms),
    redis: (ms) => stopService("redis", ms),
    bucket: (ms) => stopService("bucket", ms),
    async networks(ms) {
      const answer = NETWORK_ANSWERS[outages++ % NETWORK_ANSWERS.length] ?? "500";
      for (const network of PLATFORMS) stack.networks.addScript({ network, answer, times: 1_000_000 });
      await sleep(ms);
      for (const network of PLATFORMS) stack.networks.addScript({ network, answer, times: 0 });
    },
    async worker() {
      await setVars(removePreviousKey(vars));
      await worker.crash();
    },
  };

  async function stopService(what: string, ms: number): Promise<void> {
    stack.calls.stop(what, ms);
    await sleep(ms);
  }

  /** Causes the failure at its time and waits until every kind of request succeeds again. */
  async function run({ name, at, ms }: PlannedFailure): Promise<Failure> {
    await sleep(Math.max(0, at - ledger.now()));
    const from = ledger.now();
    await cause[name](ms);
    const until = ledger.now();
    const since = name === "worker" ? from : until;
    const [times, publishing] = await Promise.all([
      Promise.all(KINDS.map((kind) => measureRecovery(kind, since))),
      measurePublishing(since),
    ]);
    const recovery = { ...Object.fromEntries(KINDS.map((kind, index) => [kind, times[index] ?? null])), ...publishing };
    return { name, from, until, recovery, recoveredAt: ledger.now() };
  }

  async function measureRecovery(kind: Kind, since: number): Promise<number | null> {
    const deadline = ledger.now() + RECOVERY_TIMEOUT_MS;
    while (ledger.now() < deadline) {
      if (await load.runOnce(kind)) return Math.round(ledger.now() - since);
      await sleep(PROBE_PAUSE_MS);
    }
    return null;
  }

  /**
   * The time until a new post is out on the first account and, in a long run, on the last: an account on which a crash
   * interrupted a publisher stays leased for a minute.
   */
  async function measurePublishing(since: number): Promise<Failure["recovery"]> {
    const deadline = ledger.now() + PUBLISHING_TIMEOUT_MS;
    const times = load.accountIds.map(async (accountId) => {
      const { caption, promise } = load.createPost(1, accountId);
      await promise;
      while (ledger.now() < deadline) {
        if (isPublished(caption)) return Math.round(ledger.now() - since);
        await sleep(PROBE_PAUSE_MS);
      }
      throw new Error("Not published in time.");
    });
    const publish = await Promise.any(times).catch(() => null);
    const all = Promise.all(times).catch(() => null);
    return everyAccount
      ? { publish, "publish everywhere": await all.then((found) => found && Math.max(...found)) }
      : { publish };
  }

  function isPublished(caption: string): boolean {
    return Object.values(stack.networks.published()).some((items) => items.some((item) => item.caption === caption));
  }

  return { run };
}
