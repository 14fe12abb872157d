// The error responses of an operation in the OpenAPI document, and the headers that all responses carry.
import { ERROR_STATUS, type ErrorCode } from "../shared/errors.ts";
import type { AnySpec } from "./endpoint-spec.ts";
import { supportsIdempotency } from "./idempotency.ts";
import { type Json, type SharedComponents, toPascalCase } from "./openapi-components.ts";
import { type Documentation, describeError } from "./openapi-documentation.ts";
import { getQueryErrorCode, listQueryErrorCodes } from "./validation-errors.ts";

const TOKEN_ERRORS: ErrorCode[] = ["missing_token", "invalid_token", "revoked_token", "expired_token"];
const PLAN_ERRORS: ErrorCode[] = ["tier_not_allowed", "subscription_required"];
const MALFORMED_REQUEST_ERRORS: ErrorCode[] = ["invalid_request", "invalid_json"];
const KEY_CONFLICT_ERRORS: ErrorCode[] = ["idempotency_key_reused", "request_in_progress"];

/** Component names of codes that often occur together. */
const GROUP_NAMES: [string, ErrorCode[]][] = [
  ["Unauthorized", TOKEN_ERRORS],
  ["PlanNotAllowed", PLAN_ERRORS],
  ["MalformedRequest", MALFORMED_REQUEST_ERRORS],
  ["IdempotencyConflict", KEY_CONFLICT_ERRORS],
];

export const HEADERS: Record<string, Json> = {
  "X-Request-Id": {
    description: "Names this request in the log of the service. Quote it when you ask for support.",
    schema: { type: "string" },
  },
  "Idempotent-Replayed": {
    description: "On the stored response to an earlier request with the same Idempotency-Key.",
    schema: { const: "true" },
  },
  "Retry-After": { description: "Seconds, as `retry_after_seconds`.", schema: { type: "integer" } },
  "RateLimit-Policy": { description: "The rate limits of this operation.", schema: { type: "string" } },
  RateLimit: {
    description: "What remains of each rate limit, and the seconds until it is full again.",
    schema: { type: "string" },
  },
};

export function buildHeaders(spec: AnySpec, own: string[]): Json {
  const names = ["X-Request-Id", ...own, ...(reportsRateLimits(spec) ? ["RateLimit-Policy", "RateLimit"] : [])];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function reportsRateLimits(spec: AnySpec): boolean {
  return spec.limits !== undefined || spec.ownLimit !== undefined;
}

/** Every error of an operation by status: what its spec lists and what follows from the spec. */
export function buildErrorResponses(spec: AnySpec, shared: SharedComponents, documentation: Documentation): Json {
  const byStatus = Map.groupBy(listErrorCodes(spec), (code) => getErrorStatus(spec, code));
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        status,
        shared.add(
          "responses",
          [nameErrorResponse(spec, codes)],
          buildErrorResponse(spec, status, codes, documentation),
        ),
      ]),
  );
}

function buildErrorResponse(spec: AnySpec, status: number, codes: ErrorCode[], documentation: Documentation): Json {
  const failure = { $ref: "#/components/schemas/Failure" };
  const schema = { allOf: [failure, { type: "object", properties: { error_code: { enum: codes } } }] };
  return {
    description: describeCodes(codes, documentation),
    headers: buildHeaders(spec, status === 429 || status === 503 ? ["Retry-After"] : []),
    content: { "application/json": { schema } },
  };
}

/** A line per sentence: codes that mean the same, what they mean and what to do. */
function describeCodes(codes: ErrorCode[], documentation: Documentation): string {
  const byMeaning = Map.groupBy(codes, (code) => describeError(documentation, code));
  return [...byMeaning]
    .map(([meaning, same]) => `${same.map((code) => `\`${code}\``).join(", ")}${meaning ? `: ${meaning}` : ""}`)
    .join("\n\n");
}

/** `NotFound`, `TemplateNameConflictOrIdempotencyConflict`, `UnauthorizedWithRateLimit`. */
function nameErrorResponse(spec: AnySpec, codes: ErrorCode[]): string {
  const remaining = new Set(codes);
  const groups = GROUP_NAMES.filter(([, group]) => group.every((code) => remaining.has(code)));
  for (const [, group] of groups) for (const code of group) remaining.delete(code);
  const names = [...[...remaining].map(toPascalCase), ...groups.map(([name]) => name)];
  return names.join("Or") + (reportsRateLimits(spec) && !codes.includes("rate_limited") ? "WithRateLimit" : "");
}

function listErrorCodes(spec: AnySpec): Set<ErrorCode> {
  if (spec.auth === "public") return new Set([...(spec.errors ?? []), "provider_unavailable", spec.internalError]);
  const takesKey = supportsIdempotency(spec);
  const ignoresUnknownQuery = !spec.queryError && spec.query?.safeParse({ unknown: "" }).success;
  return new Set<ErrorCode>([
    ...TOKEN_ERRORS,
    "tier_not_allowed",
    "missing_permission",
    "test_key_required",
    "provider_unavailable",
    "internal_error",
    "subscription_required",
    ...(spec.errors ?? []),
    spec.internalError,
    ...Object.values<string>(spec.params ?? {}).map((noun) => `missing_${noun}_id` as ErrorCode),
    ...(spec.params ? [spec.malformedIdError ?? "not_found"] : []),
    ...(ignoresUnknownQuery ? [] : listQueryErrorCodes(spec.queryError)),
    ...(takesKey ? (["invalid_request", ...KEY_CONFLICT_ERRORS] as const) : []),
    ...(takesKey || spec.body ? (["invalid_json", "invalid_payload", "payload_too_large"] as const) : []),
    ...Object.values<ErrorCode>(spec.bodyErrors ?? {}),
    ...(spec.limits ? (["rate_limited"] as const) : []),
  ]);
}

/** An operation may give a code another status than the catalogue of errors. */
function getErrorStatus({ noPlanStatus, queryError, statuses }: AnySpec, code: ErrorCode): number {
  if (statuses?.[code]) return statuses[code];
  if (code === "subscription_required") return noPlanStatus ?? 402;
  const own = getQueryErrorCode([], queryError);
  return own.code === code && own.status ? own.status : ERROR_STATUS[code];
}

export const SUCCESS_SCHEMA = {
  type: "object",
  description: "The envelope of every success; `data` is that of the operation.",
  required: ["ok", "code", "message"],
  properties: {
    ok: { const: true, description: "Always true." },
    code: { type: "integer", description: "The HTTP status." },
    message: { type: "string", description: "For people; may change." },
  },
} as const;

export const ERROR_SCHEMA = {
  type: "object",
  description: "Every failure. Decide by `error_code`; `message` is for people and may change.",
  required: ["ok", "code", "message"],
  properties: {
    ok: { const: false, description: "Always false." },
    code: { type: "integer", description: "The HTTP status." },
    message: { type: "string", description: "What is wrong, what is allowed and what to do." },
    error_code: { type: "string", description: "Stable; each operation lists its own." },
    issues: {
      type: "object",
      description: "Of an invalid body or query: the messages by field.",
      properties: {
        formErrors: { type: "array", items: { type: "string" }, description: "Messages about the body as a whole." },
        fieldErrors: {
          type: "object",
          description: "Messages by top-level field.",
          additionalProperties: { type: "array", items: { type: "string" } },
        },
      },
    },
    fields: {
      type: "array",
      description: "Of posts: all errors at once, at most 100.",
      items: {
        type: "object",
        required: ["path", "message", "code"],
        properties: {
          path: { type: "string", description: "The field that is wrong, such as `media.urls.0`." },
          message: { type: "string", description: "What is allowed." },
          code: { $ref: "#/components/schemas/FieldCode", description: "Stable, for programs." },
          account_id: { type: "string", description: "The account whose rule is broken." },
          limit: { description: "The limit, in `unit`." },
          actual: { description: "The value that was sent or measured, in `unit`." },
          unit: { type: "string", description: "The unit of `limit` and `actual`." },
        },
      },
    },
    more: { type: "integer", description: "How many errors there are beside the first 100, which are listed." },
    retry_after_seconds: { type: "integer", description: "Wait this long before you retry; also in `Retry-After`." },
  },
  examples: [
    {
      ok: false,
      code: 400,
      message: "The caption has 2,412 characters; Instagram allows 2,200.",
      error_code: "validation_failed",
      fields: [
        {
          path: "caption",
          message: "Must be at most 2,200 characters for Instagram.",
          code: "caption_too_long",
          limit: 2200,
          actual: 2412,
          unit: "utf16",
        },
      ],
    },
  ],
} as const;
