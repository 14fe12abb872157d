// Collects the statements that a request issues together, so that they leave as one HTTP request to the database.

interface WaitingGroup<Query> {
  queries: Query[];
  runAlone(): Promise<unknown[]>;
  resolve(results: Promise<unknown[]>): void;
}

export interface ReadBatch<Query> {
  /** Statements wait from now on until the event loop continues; only for reads, which leave as one transaction. */
  open(): void;
  isOpen(): boolean;
  /** The results of the queries. `runAlone` sends them if nothing else waits, or if a statement of the batch fails. */
  add(queries: Query[], runAlone: () => Promise<unknown[]>): Promise<unknown[]>;
}

/** Between the check of a key and the query of its handler are about 12 microtasks; a statement that comes later leaves alone. */
const MAX_MICROTASKS = 40;

interface Transport<Query> {
  /** Sends queries as one transaction. */
  runAll(queries: Query[]): Promise<unknown[]>;
  /** Whether the database has answered with this error, which may be that of one query. */
  isAnswer(error: unknown): boolean;
}

export function createReadBatch<Query>(transport: Transport<Query>): ReadBatch<Query> {
  let waiting: WaitingGroup<Query>[] | null = null;
  const close = async () => {
    // A timer would wait for a millisecond and more.
    for (let passed = 0; passed < MAX_MICROTASKS; passed++) await null;
    const groups = waiting ?? [];
    waiting = null;
    sendTogether(groups, transport);
  };
  return {
    open() {
      if (waiting) return;
      waiting = [];
      void close();
    },
    isOpen: () => waiting !== null,
    add: (queries, runAlone) => new Promise((resolve) => waiting?.push({ queries, runAlone, resolve })),
  };
}

function sendTogether<Query>(groups: WaitingGroup<Query>[], { runAll, isAnswer }: Transport<Query>): void {
  const sending = groups.length > 1 ? runAll(groups.flatMap(({ queries }) => queries)) : null;
  let start = 0;
  for (const { queries, runAlone, resolve } of groups) {
    const [from, to] = [start, start + queries.length];
    start = to;
    // One statement that fails rolls back all, so each is sent again alone and gets its own error.
    const retry = (error: unknown) => (isAnswer(error) ? runAlone() : Promise.reject(error));
    resolve(sending ? sending.then((results) => results.slice(from, to), retry) : runAlone());
  }
}
