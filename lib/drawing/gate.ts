// Lets a few pieces of one request in at a time; the rest wait for their turn in order.

export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function gateFor(most: number): Gate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async (work) => {
    if (inside >= most) await new Promise<void>((enter) => waiting.push(enter));
    else inside += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place.
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
