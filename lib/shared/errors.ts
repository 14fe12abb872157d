// Every error that the API returns: the catalogue maps each code to its HTTP status, and the types follow from it.

import type { FieldCode } from "./field-codes.ts";

export const ERROR_STATUS = {
  // authentication and routing
  missing_token: 401,
  invalid_token: 401,
  revoked_token: 401,
  expired_token: 401,
  invalid_signature: 401,
  subscription_required: 402,
  tier_not_allowed: 403,
  missing_permission: 403,
  test_key_required: 403,
  route_not_found: 404,
  method_not_allowed: 405,
  // request
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
  missing_approval_id: 400,
  missing_file_id: 400,
  missing_slideshow_id: 400,
  missing_template_id: 400,
  missing_pack_id: 400,
  missing_image_id: 400,
  // the log of requests
  missing_request_id: 400,
  requests_list_failed: 500,
  request_get_failed: 500,
  subscription_lookup_failed: 500,
  advance_in_progress: 409,
  sandbox_advance_failed: 500,
  sandbox_reset_failed: 500,
  workspace_get_failed: 500,
  workspace_update_failed: 500,
  // events and webhooks
  events_expired: 410,
  events_list_failed: 500,
  missing_webhook_id: 400,
  missing_delivery_id: 400,
  too_many_webhooks: 409,
  webhook_disabled: 409,
  webhook_create_failed: 500,
  webhooks_list_failed: 500,
  webhook_get_failed: 500,
  webhook_update_failed: 500,
  webhook_delete_failed: 500,
  webhook_rotate_failed: 500,
  webhook_test_failed: 500,
  webhook_deliveries_failed: 500,
  webhook_redeliver_failed: 500,
  webhook_replay_failed: 500,
  // analytics
  missing_target_id: 400,
  missing_refresh_id: 400,
  analytics_conflict: 409,
  analytics_failed: 500,
  // accounts and posts
  missing_account_id: 400,
  missing_link_id: 400,
  account_hosted: 409,
  account_disconnected: 409,
  provider_error: 502,
  account_options_failed: 500,
  platform_unavailable: 400,
  accounts_failed: 500,
  account_disconnect_failed: 500,
  connect_link_create_failed: 500,
  connect_link_get_failed: 500,
  connect_link_delete_failed: 500,
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
  no_slots: 422,
  slots_get_failed: 500,
  slots_set_failed: 500,
  external_id_conflict: 409,
  external_id_immutable: 409,
  plan_changed: 409,
  post_conflict: 409,
  post_in_flight: 409,
  post_not_draft: 409,
  approval_ended: 409,
  own_draft: 403,
  approval_failed: 500,
  post_not_editable: 409,
  post_not_published: 409,
  too_many_post_ids: 400,
  prepare_failed: 500,
  commit_failed: 500,
  update_failed: 500,
  retry_failed: 500,
  delete_failed: 500,
  unpublish_failed: 500,
  edit_published_failed: 500,
  // editor
  missing_project_id: 400,
  project_not_found: 404,
  editor_locked: 409,
  editor_conflict: 409,
  no_audio_source: 422,
  invalid_document: 422,
  transcription_failed: 502,
  editor_projects_list_failed: 500,
  editor_project_create_failed: 500,
  editor_project_get_failed: 500,
  editor_project_update_failed: 500,
  editor_project_delete_failed: 500,
  editor_transcript_failed: 500,
  editor_captions_failed: 500,
  // folders
  missing_folder_id: 400,
  invalid_folder_media_type: 422,
  item_not_found: 404,
  folder_name_conflict: 409,
  folder_move_conflict: 409,
  folder_too_deep: 409,
  folder_create_failed: 500,
  folder_list_failed: 500,
  folder_get_failed: 500,
  folder_update_failed: 500,
  folder_delete_failed: 500,
  folder_ancestors_failed: 500,
  folder_items_add_failed: 500,
  folder_items_list_failed: 500,
  folder_items_remove_failed: 500,
  // slideshows
  missing_slide_id: 400,
  product_not_found: 404,
  forbidden_product_access: 403,
  template_not_found: 404,
  pack_not_found: 404,
  no_slides: 422,
  slide_undrawable: 422,
  slideshow_changed: 409,
  slideshow_conflict: 409,
  slideshow_not_draft: 409,
  generation_failed: 502,
  slideshow_create_failed: 500,
  slideshow_generate_failed: 500,
  slideshow_get_failed: 500,
  slideshows_list_failed: 500,
  slideshow_render_failed: 500,
  slideshow_duplicate_failed: 500,
  slide_regenerate_failed: 500,
  // files
  missing_upload_id: 400,
  upload_failed: 400,
  file_in_use: 409,
  file_start_failed: 500,
  file_finalize_failed: 500,
  file_list_failed: 500,
  file_get_failed: 500,
  file_delete_failed: 500,
  multipart_start_failed: 500,
  multipart_parts_failed: 500,
  multipart_complete_failed: 500,
  multipart_abort_failed: 500,
  // templates
  template_name_conflict: 409,
  invalid_template_config: 422,
  forbidden_template: 403,
  template_create_failed: 500,
  template_get_failed: 500,
  templates_list_failed: 500,
  template_update_failed: 500,
  template_delete_failed: 500,
  template_from_slideshow_failed: 500,
  // packs
  forbidden_pack: 403,
  pack_full: 409,
  invalid_image: 422,
  image_unreachable: 400,
  pack_create_failed: 500,
  pack_get_failed: 500,
  packs_list_failed: 500,
  pack_update_failed: 500,
  pack_delete_failed: 500,
  pack_image_add_failed: 500,
  pack_image_delete_failed: 500,
  // research
  trends_brief_failed: 500,
  transcript_not_found: 404,
  viral_library_failed: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;
export type ErrorStatus = (typeof ERROR_STATUS)[ErrorCode];

/** One problem of a request: where, what, and a stable code for programs. */
export interface FieldError {
  path: string;
  message: string;
  code: FieldCode;
  [detail: string]: unknown;
}

export interface ApiErrorOptions {
  /** Overrides the status of the catalogue, for operations that document another one. */
  status?: ErrorStatus;
  issues?: { formErrors: string[]; fieldErrors: Record<string, string[]> };
  fields?: FieldError[];
  /** The number of errors beside those in `issues` or `fields`. */
  more?: number;
  retry_after_seconds?: number;
  /** Further members of the envelope that programs read. */
  details?: Record<string, string | null>;
  headers?: Record<string, string>;
  /** Logged, never returned. */
  cause?: unknown;
}

/** An error for the caller: thrown anywhere, turned into the response by the endpoint. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly extra: ApiErrorOptions;
  readonly status: ErrorStatus;

  constructor(code: ErrorCode, message: string, extra: ApiErrorOptions) {
    super(message, { cause: extra.cause });
    this.code = code;
    this.extra = extra;
    this.status = extra.status ?? ERROR_STATUS[code];
  }
}

export function apiError(code: ErrorCode, message: string, extra: ApiErrorOptions = {}): ApiError {
  return new ApiError(code, message, extra);
}

/** A backing service did not respond; the caller may retry. */
export function unavailableError(what: string, cause: unknown): ApiError {
  const busy = cause instanceof Error && cause.name === "BusyError";
  const reason = busy
    ? `The service was too busy to read the response of the ${what}.`
    : `The ${what} did not respond.`;
  const message = `${reason} Retry shortly; a retry with the same Idempotency-Key is safe.`;
  return apiError("provider_unavailable", message, { retry_after_seconds: 2, cause });
}

/** Finds an ApiError among the causes that libraries wrap around an error thrown by fetch; null when there is none. */
export function toApiError(error: unknown): ApiError | null {
  for (let seen = error, depth = 0; seen instanceof Error && depth < 6; depth++) {
    if (seen instanceof ApiError) return seen;
    const wrapper = seen as { sourceError?: unknown; cause?: unknown };
    seen = (wrapper.sourceError ?? wrapper.cause) as unknown as Error;
  }
  return null;
}
