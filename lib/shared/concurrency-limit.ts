// Limits how many tasks of one request run at a time; the others wait in order.

export type ConcurrencyLimiter = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createConcurrencyLimiter(limit: number): ConcurrencyLimiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((enter) => waiting.push(enter));
    else running += 1;
    try {
      return await work();
    } finally {
      // The next waiting task takes this slot.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
