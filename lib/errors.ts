// Every refusal the service knows: the catalogue maps each code to its HTTP status, and types follow from it.

export const STATUS_OF = {
  // the door
  missing_token: 401,
  invalid_token: 401,
  revoked_token: 401,
  expired_token: 401,
  invalid_signature: 401,
  subscription_required: 402,
  tier_not_allowed: 403,
  route_not_found: 404,
  method_not_allowed: 405,
  // the request
  invalid_json: 400,
  invalid_request: 400,
  payload_too_large: 413,
  invalid_payload: 422,
  invalid_query: 422,
  invalid_path: 422,
  invalid_query_parameter: 400,
  idempotency_key_reused: 409,
  request_in_progress: 409,
  rate_limited: 429,
  provider_unavailable: 503,
  internal_error: 500,
  // records
  not_found: 404,
  missing_post_id: 400,
  missing_file_id: 400,
  // accounts and posts
  accounts_failed: 500,
  list_failed: 500,
  get_failed: 500,
  create_failed: 500,
  invalid_since: 400,
  invalid_until: 400,
  invalid_status: 400,
  validation_failed: 400,
  unknown_accounts: 400,
  invalid_music_url: 400,
  media_unreachable: 400,
  external_id_conflict: 409,
  external_id_immutable: 409,
  plan_changed: 409,
  post_in_flight: 409,
  post_not_draft: 409,
  post_not_editable: 409,
  too_many_post_ids: 400,
  prepare_failed: 500,
  commit_failed: 500,
  update_failed: 500,
  retry_failed: 500,
  delete_failed: 500,
  // editor
  project_not_found: 404,
  // files
  upload_failed: 400,
  file_start_failed: 500,
  file_finalize_failed: 500,
} as const;

export type Code = keyof typeof STATUS_OF;
export type FailureStatus = (typeof STATUS_OF)[Code];

/** One thing wrong with a request: where, what, and a code that stays the same when the words change. */
export interface Fault {
  path: string;
  message: string;
  code: string;
  [detail: string]: unknown;
}

export interface RefusalExtra {
  /** Overrides the status of the catalogue where an operation family lists another one. */
  status?: FailureStatus;
  issues?: { formErrors: string[]; fieldErrors: Record<string, string[]> };
  fields?: Fault[];
  retry_after_seconds?: number;
  headers?: Record<string, string>;
  /** For the log only. */
  cause?: unknown;
}

/** A clear no with a code, thrown from anywhere and rendered by the endpoint. */
export class Refusal extends Error {
  readonly code: Code;
  readonly extra: RefusalExtra;
  readonly status: FailureStatus;

  constructor(code: Code, message: string, extra: RefusalExtra) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.extra = extra;
    this.status = extra.status ?? STATUS_OF[code];
  }
}

export function refuse(code: Code, message: string, extra: RefusalExtra = {}): Refusal {
  return new Refusal(code, message, extra);
}

/** A backing service did not answer; the caller may try again. */
export function unavailable(what: string, cause: unknown): Refusal {
  return refuse(
    "provider_unavailable",
    `The ${what} did not answer. Try again shortly; with an Idempotency-Key a repeat is safe.`,
    {
      retry_after_seconds: 2,
      cause,
    },
  );
}

/** Finds a refusal inside the wrappers that libraries put around what a fetch threw. */
export function refusalOf(error: unknown): Refusal | null {
  for (let seen = error, depth = 0; seen instanceof Error && depth < 6; depth++) {
    if (seen instanceof Refusal) return seen;
    const wrapper = seen as { sourceError?: unknown; cause?: unknown };
    seen = (wrapper.sourceError ?? wrapper.cause) as unknown as Error;
  }
  return null;
}
