// Time of a model: it passes only while nothing real is under way, so that a busy machine does not change the figures.
import { setImmediate as nextTurn } from "node:timers/promises";

/** Events within so many milliseconds happen at once, so that the database works in parallel. */
const TICK_MS = 5;
/** Turns of the event loop without real work, after which all that can go on without time has done so. */
const IDLE_TURNS = 3;

export interface VirtualClock {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Time stands still until the work ends. */
  track<Result>(work: Promise<Result>): Promise<Result>;
  /** Lets time pass until the work ends. */
  runUntil<Result>(work: Promise<Result>): Promise<Result>;
}

export function createVirtualClock(start: number): VirtualClock {
  /** Callbacks that wait for each tick. */
  const waiting = new Map<number, (() => void)[]>();
  let now = start;
  let real = 0;

  async function waitUntilIdle(): Promise<void> {
    for (let turns = 0; turns < IDLE_TURNS; turns++) {
      await nextTurn();
      if (real > 0) turns = -1;
    }
  }

  async function pass(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await waitUntilIdle();
      if (isOver() || waiting.size === 0) continue;
      const next = Math.min(...waiting.keys());
      const due = waiting.get(next) ?? [];
      waiting.delete(next);
      now = Math.max(now, next);
      for (const resume of due) resume();
    }
  }

  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((resolve) => {
        const at = Math.ceil((now + ms) / TICK_MS) * TICK_MS;
        waiting.set(at, [...(waiting.get(at) ?? []), resolve]);
      }),
    async track(work) {
      real += 1;
      try {
        return await work;
      } finally {
        real -= 1;
      }
    },
    async runUntil(work) {
      let isOver = false;
      const ended = work.finally(() => {
        isOver = true;
      });
      await Promise.all([pass(() => isOver), ended.catch(() => undefined)]);
      return ended;
    },
  };
}
