// Lets a few of all requests of an isolate work at a time; the rest wait for their turn in order.
import type { Gate } from "./gate.ts";

/*
 * The runtime ends a request as hung that waits for nothing but a promise of another one, and one whose caller has gone
 * never comes to its `finally`. So each looks for its turn by a timer of its own, and who shows no sign of life is gone.
 */
const LOOK_EVERY_MS = 5;
const SIGN_EVERY_MS = 500;
const GONE_AFTER_MS = 5_000;

export function turnsFor(most: number): Gate {
  /** In the order of coming: the first `most` are at work. */
  let line: { seenAt: number }[] = [];

  function isTurnOf(one: { seenAt: number }): boolean {
    const now = Date.now();
    one.seenAt = now;
    line = line.filter(({ seenAt }) => now - seenAt < GONE_AFTER_MS);
    return line.indexOf(one) < most;
  }

  return async (work) => {
    const one = { seenAt: Date.now() };
    line.push(one);
    const signs = setInterval(() => {
      one.seenAt = Date.now();
    }, SIGN_EVERY_MS);
    try {
      while (!isTurnOf(one)) await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
      return await work();
    } finally {
      clearInterval(signs);
      line = line.filter((other) => other !== one);
    }
  };
}
