// The requests of the load and their responses.

export const KINDS = ["read", "post", "upload", "search", "render"] as const;
export type Kind = (typeof KINDS)[number];

/** One request and how it ended; times are in ms since the start of the load. */
export interface SentRequest {
  kind: Kind;
  label: string;
  from: number;
  until: number;
  /** Null when there was no response. */
  status: number | null;
  code: string | null;
}

/** One post that a client wants, however many requests it takes. */
export interface WantedPost {
  caption: string;
  /** Null for a post that is requested once, without an Idempotency-Key. */
  key: string | null;
  requests: number;
  created: number;
  /** The ids of all 201 responses. */
  ids: Set<string>;
}

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger() {
  const startedAt = performance.now();
  return {
    now: (): number => performance.now() - startedAt,
    requests: [] as SentRequest[],
    posts: [] as WantedPost[],
  };
}

export function isSuccess({ status }: SentRequest): boolean {
  return status !== null && status < 300;
}
