// The error responses of the served OpenAPI document. What any operation may answer (keys, plans, permissions, limits, failures
// of the service) stands once, as the ranges 4XX and 5XX; an operation lists the statuses that have codes of its own.
import { STATUS_CODES } from "node:http";
import { type Json, toPascalCase } from "../../lib/http/openapi-components.ts";
import { nameFreely } from "./compact-names.ts";

/** Codes that follow from the key, the plan, the limits or the form of a request, whatever the operation is. */
const COMMON_CODES =
  /^(missing|invalid|revoked|expired)_token$|^(subscription_required|tier_not_allowed|missing_permission)$|^missing_\w+_id$|^invalid_(json|request|payload|path|query|query_parameter)$|^not_found$|^(idempotency_key_reused|request_in_progress|payload_too_large|rate_limited)$/;

/** Other statuses than these have codes of single operations only. */
const SERVICE_FAILURES = new Set(["500", "503"]);

/** Each operation refers to most of these, so their names are a good part of the document. */
const SHORT_NAMES: Record<string, string> = { "422": "Invalid" };

interface ErrorCodes {
  properties: { error_code: { enum: string[] } };
}

/** Errors are named by their status and described by their codes, whose meaning the guide of errors gives. */
export function shareErrorResponses(operations: Json[], components: Json): void {
  const before = components.responses as Record<string, Json>;
  const ranges = new Map<string, Map<string, Set<string>>>();
  const uses = new Map<string, { status: string; value: Json; places: Json[] }>();
  for (const operation of operations) {
    const responses = operation.responses as Record<string, Json>;
    for (const status of Object.keys(responses).filter((key) => Number(key) >= 400)) {
      const codes = readErrorCodes(resolve(responses[status] as Json, before)).toSorted();
      if (SERVICE_FAILURES.has(status) || codes.every((code) => COMMON_CODES.test(code))) {
        delete responses[status];
        const range = `${status[0]}XX`;
        responses[range] = { $ref: `#/components/responses/${range}` };
        addCodes(ranges, range, status, codes);
      } else {
        const value = describeError(STATUS_CODES[status] ?? status, codes);
        const key = `${status} ${JSON.stringify(value)}`;
        const use = uses.get(key) ?? { status, value, places: [] };
        uses.set(key, use);
        use.places.push(responses);
      }
    }
  }
  components.responses = { ...describeRanges(ranges), ...nameSharedErrors([...uses.values()]) };
}

function addCodes(ranges: Map<string, Map<string, Set<string>>>, range: string, status: string, codes: string[]): void {
  const statuses = ranges.get(range) ?? new Map<string, Set<string>>();
  ranges.set(range, statuses);
  statuses.set(status, new Set([...(statuses.get(status) ?? []), ...codes]));
}

/** Replaces equal responses by references, those of most operations first, and returns the components. */
function nameSharedErrors(uses: { status: string; value: Json; places: Json[] }[]): Record<string, Json> {
  const components: Record<string, Json> = {};
  for (const { status, value, places } of uses.toSorted((a, b) => b.places.length - a.places.length)) {
    if (places.length === 1) {
      (places[0] as Json)[status] = value;
      continue;
    }
    const name = nameFreely(toPascalCase(SHORT_NAMES[status] ?? STATUS_CODES[status] ?? status), components);
    components[name] = value;
    for (const responses of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return components;
}

/** A code may have two statuses: `subscription_required` is 402, and 403 in some families. */
function describeRanges(ranges: Map<string, Map<string, Set<string>>>): Record<string, Json> {
  return Object.fromEntries(
    [...ranges].toSorted().map(([range, statuses]) => {
      const codes = [...new Set([...statuses.values()].flatMap((codes) => [...codes]))].toSorted();
      const headers = { "Retry-After": { $ref: "#/components/headers/Retry-After" } };
      return [range, { ...describeError(`Of any operation. ${listStatuses(statuses)}.`, codes), headers }];
    }),
  );
}

/** `401: expired_token, invalid_token; 402: subscription_required`; the many codes of 500 are those that are left. */
function listStatuses(statuses: Map<string, Set<string>>): string {
  return [...statuses]
    .toSorted(([a], [b]) => Number(a === "500") - Number(b === "500") || Number(a) - Number(b))
    .map(([status, codes]) => `${status}: ${status === "500" ? "all others" : listCodes([...codes])}`)
    .join("; ");
}

/** The codes of empty ids differ in the noun alone. */
function listCodes(codes: string[]): string {
  const ids = codes.filter((code) => /^missing_\w+_id$/.test(code));
  const others = codes.filter((code) => !ids.includes(code)).toSorted();
  return [...others, ...(ids.length > 0 ? ["missing_..._id"] : [])].join(", ");
}

function describeError(description: string, codes: string[]): Json {
  const own = { properties: { error_code: { enum: codes } } };
  return {
    description,
    content: { "application/json": { schema: { allOf: [{ $ref: "#/components/schemas/Failure" }, own] } } },
  };
}

function resolve(response: Json, responses: Record<string, Json>): Json {
  const name = String(response.$ref ?? "")
    .split("/")
    .at(-1);
  return responses[name ?? ""] ?? response;
}

function readErrorCodes(response: Json): string[] {
  const { content } = response as { content: Record<string, { schema: { allOf: [Json, ErrorCodes] } }> };
  return content["application/json"]?.schema.allOf[1].properties.error_code.enum ?? [];
}
