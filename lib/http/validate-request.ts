// Validates a request against the spec of its endpoint: path, idempotency key, query and body, in this order.
import { zValidator } from "@hono/zod-validator";
import * as z from "zod";
import { type ApiError, apiError, type ErrorCode, type FieldError } from "../shared/errors.ts";
import { toFieldErrors } from "../shared/field-errors.ts";
import { findJsonErrors, type JsonLimits, limitJson } from "../shared/json-limits.ts";
import type { AnySpec } from "./endpoint-spec.ts";
import { fingerprint, readIdempotencyKey, supportsIdempotency } from "./idempotency.ts";
import type { PipelineStep } from "./pipeline-state.ts";
import { normalizeJsonBody } from "./read-body.ts";
import { getMaxItems, getMaxValues } from "./schema-limits.ts";
import {
  describeErrors,
  getBodyErrorCode,
  getQueryErrorCode,
  markDuplicateParams,
  summarizeErrors,
} from "./validation-errors.ts";

export function validateRequest(id: string, spec: AnySpec): PipelineStep[] {
  const takesKey = supportsIdempotency(spec);
  return [
    ...(Object.keys(spec.params ?? {}).length > 0 ? [validateParams(spec)] : []),
    ...(takesKey ? [validateIdempotencyKey(spec)] : []),
    validateQuery(spec),
    ...(takesKey || spec.body ? validateBody(spec) : []),
    ...(takesKey ? [fingerprintRequest(id)] : []),
  ];
}

/** An endpoint that declares no query, or no body, accepts none. */
const EMPTY_OBJECT = z.strictObject({});

const STORABLE = withinLimits();

/** Rejects what exceeds the limits before the schema that follows it runs. */
function withinLimits(limits?: JsonLimits) {
  return z.unknown().superRefine((value, context) => {
    for (const { path, message, code } of findJsonErrors(value, limits)) {
      context.addIssue({ code: "custom", path: path ? path.split(".") : [], message, params: { code } });
    }
  });
}

const TEXT_PARAM = z
  .string()
  .min(1)
  .refine((text) => findJsonErrors(text).length === 0);

function validateParams(spec: AnySpec): PipelineStep {
  const shape = Object.keys(spec.params ?? {}).map((name) => [
    name,
    spec.nonUuidParams?.includes(name) ? TEXT_PARAM : z.guid().toLowerCase(),
  ]);
  return zValidator("param", z.object(Object.fromEntries(shape)), (result) => {
    if (!result.success) throw toParamError(spec, result.data, String(result.error.issues[0]?.path[0]));
  });
}

function toParamError(spec: AnySpec, params: Record<string, unknown>, name: string): ApiError {
  const noun: string = spec.params[name];
  if (!params[name]) return apiError(`missing_${noun}_id` as ErrorCode, `The path must contain the id of the ${noun}.`);
  const code = spec.malformedIdError ?? "not_found";
  if (code === "invalid_path") return apiError(code, `${name} in the path must be the UUID of a ${noun}.`);
  const form = spec.nonUuidParams?.includes(name) ? "has characters that no id has" : "is not a UUID";
  return apiError(code, `${name} in the path ${form}, so that no ${noun} with this id is visible to the key.`);
}

function validateIdempotencyKey(spec: AnySpec): PipelineStep {
  return async (c, next) => {
    c.set("idempotencyKey", readIdempotencyKey(c.req.header("idempotency-key"), spec.idempotent === "required"));
    await next();
  };
}

function validateQuery(spec: AnySpec): PipelineStep {
  const schema: z.ZodType = spec.query ?? EMPTY_OBJECT;
  return zValidator("query", schema.pipe(STORABLE), (result) => {
    if (result.success) return;
    const errors = markDuplicateParams(toFieldErrors(result.error), result.data as Record<string, unknown>);
    const { code, ...status } = getQueryErrorCode(errors, spec.queryError);
    throw apiError(code, summarizeErrors("The query is not valid", errors), { ...describeErrors(errors), ...status });
  });
}

/** A list where the schema has none is a type error; only a long one is rejected before. */
const MIN_ITEMS = 100;

/** So that misspelled fields are named instead of counted. */
const UNKNOWN_FIELDS = 200;

function validateBody(spec: AnySpec): PipelineStep[] {
  const schema: z.ZodType = spec.body ?? EMPTY_OBJECT;
  const limits = {
    maxValues: getMaxValues(schema) + UNKNOWN_FIELDS,
    maxItemsPerList: Math.max(MIN_ITEMS, getMaxItems(schema)),
  };
  return [
    normalizeJsonBody((bytes) => limitBody(spec, bytes, limits)),
    zValidator("json", withinLimits(limits).pipe(schema), (result) => {
      if (!result.success) throw toBodyError(spec, toFieldErrors(result.error), result.data);
    }),
  ];
}

/** Returns the part of a body that is parsed. Throws for one that is too expensive to parse. */
function limitBody(spec: AnySpec, bytes: Uint8Array, limits: JsonLimits): Uint8Array {
  const limited = limitJson(bytes, limits);
  if ("error" in limited) throw toBodyError(spec, [limited.error], null);
  return limited.bytes;
}

function toBodyError(spec: AnySpec, errors: FieldError[], body: unknown): ApiError {
  const details = describeErrors(errors, spec.errorFormat);
  const code = getBodyErrorCode(errors, body, spec.bodyErrors ?? {});
  return apiError(code, summarizeErrors("The body is not valid", errors), details);
}

/** Taken of the JSON as it was sent, so that a new default in a schema does not change it. */
function fingerprintRequest(id: string): PipelineStep {
  return async (c, next) => {
    if (c.var.idempotencyKey) c.set("fingerprint", fingerprint(id, c.req.path, await c.req.json()));
    await next();
  };
}
