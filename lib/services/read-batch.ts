// Collects the statements that a request issues together, so that they leave as one HTTP request to the database.

/** The parts of a response that Neon's driver reads. */
export interface DriverResponse {
  ok: boolean;
  status: number;
  json(): Promise<unknown>;
  text(): Promise<string>;
}

/** Sends a body in the format of Neon's driver: `{query, params}`, or `{queries}` for a batch. */
type SendBody = (body: string) => Promise<DriverResponse>;

interface WaitingStatement {
  body: string;
  send: SendBody;
  resolve(response: Promise<DriverResponse>): void;
}

export interface ReadBatch {
  /** Statements wait from now on until the event loop continues; only for reads, which leave as one transaction. */
  open(): void;
  isOpen(): boolean;
  add(body: string, send: SendBody): Promise<DriverResponse>;
}

/** Between the check of a key and the query of its handler are about 16 microtasks; a statement that comes later leaves alone. */
const MAX_MICROTASKS = 100;

export function createReadBatch(): ReadBatch {
  let waiting: WaitingStatement[] | null = null;
  const close = async () => {
    // A timer would wait for a millisecond and more.
    for (let passed = 0; passed < MAX_MICROTASKS; passed++) await null;
    const statements = waiting ?? [];
    waiting = null;
    sendTogether(statements);
  };
  return {
    open() {
      if (waiting) return;
      waiting = [];
      void close();
    },
    isOpen: () => waiting !== null,
    add: (body, send) => new Promise((resolve) => waiting?.push({ body, send, resolve })),
  };
}

function sendTogether(statements: WaitingStatement[]): void {
  const [first] = statements;
  const sending = first && statements.length > 1 ? sendMerged(statements, first.send) : null;
  for (const [at, { body, send, resolve }] of statements.entries()) {
    // One statement that fails rolls back all, so each is sent again alone and gets its own error.
    resolve(sending ? sending.then((responses) => responses?.[at] ?? send(body)) : send(body));
  }
}

/** What the body of a batch begins with. Bodies are joined as text, because parsing them takes longer than the rest. */
const BATCH_START = '{"queries":[';

/** Null when a statement failed. */
async function sendMerged(statements: WaitingStatement[], send: SendBody): Promise<DriverResponse[] | null> {
  const parts = statements.map(({ body }) =>
    body.startsWith(BATCH_START)
      ? { queries: body.slice(BATCH_START.length, -"]}".length), count: (JSON.parse(body).queries as unknown[]).length }
      : { queries: body, count: null },
  );
  const response = await send(`${BATCH_START}${parts.map(({ queries }) => queries).join()}]}`);
  if (!response.ok) return null;
  const { results } = (await response.json()) as { results: unknown[] };
  let next = 0;
  return parts.map(({ count }) => {
    const own = results.slice(next, next + (count ?? 1));
    next += own.length;
    return toDriverResponse(200, () => (count === null ? own[0] : { results: own }));
  });
}

export function toDriverResponse(status: number, parse: () => unknown, text = ""): DriverResponse {
  return { ok: status >= 200 && status < 300, status, json: async () => parse(), text: async () => text };
}
