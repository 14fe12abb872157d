// Validation errors in the shape and with the code that the response needs. The posting endpoints use the flat list `fields`,
// the others `issues`.
import type { ApiErrorOptions, ErrorCode, ErrorStatus, FieldError } from "../shared/errors.ts";

/** Reports a query parameter that was sent more than once as such, instead of its values. */
export function markDuplicateParams(errors: FieldError[], given: Record<string, unknown>): FieldError[] {
  const duplicate = { message: "Must be sent only once.", code: "repeated" } as const;
  return errors.map((error) =>
    Array.isArray(given[error.path]) && error.code !== "unknown_field" ? { ...error, ...duplicate } : error,
  );
}

const MAX_REPORTED = 100;

/** The first 100 errors in the shape of the endpoint, and how many there are beside them. */
export function describeErrors(
  errors: FieldError[],
  format: "issues" | "fields" = "issues",
): Pick<ApiErrorOptions, "issues" | "fields" | "more"> {
  const reported = errors.slice(0, MAX_REPORTED);
  const more = errors.length > MAX_REPORTED ? { more: errors.length - MAX_REPORTED } : {};
  return format === "fields" ? { fields: reported, ...more } : { issues: toIssues(reported), ...more };
}

/** `formErrors` are about the body as a whole, `fieldErrors` about one top-level field each. */
export function toIssues(errors: FieldError[]): NonNullable<ApiErrorOptions["issues"]> {
  const formErrors: string[] = [];
  // Without a prototype: a field may be called `constructor`.
  const fieldErrors: Record<string, string[]> = Object.create(null);
  for (const { path, message } of errors) {
    const [top, ...rest] = path.split(".");
    if (!top) formErrors.push(message);
    else {
      fieldErrors[top] ??= [];
      fieldErrors[top].push(rest.length > 0 ? `${rest.join(".")}: ${message}` : message);
    }
  }
  return { formErrors, fieldErrors };
}

/** The code of an invalid body: that of a field, or of its first error, when the field was sent and no other is invalid. */
export function getBodyErrorCode(errors: FieldError[], json: unknown, codes: Record<string, ErrorCode>): ErrorCode {
  const [top = "", ...others] = new Set(errors.map(({ path }) => path.split(".")[0]));
  const wasSent = typeof json === "object" && json !== null && Object.hasOwn(json, top);
  const known = wasSent && others.length === 0 ? new Map(Object.entries(codes)) : null;
  return known?.get(`${top}:${errors[0]?.code}`) ?? known?.get(top) ?? "invalid_payload";
}

/** A code with another status than the catalogue's. */
interface CodeWithStatus {
  code: ErrorCode;
  status: ErrorStatus;
}

export type QueryErrorCodes = ErrorCode | CodeWithStatus | Record<string, ErrorCode>;

/** The error of an invalid query, which may depend on the first invalid parameter. */
export function getQueryErrorCode(
  errors: FieldError[],
  declared: QueryErrorCodes | undefined,
): { code: ErrorCode; status?: ErrorStatus } {
  if (typeof declared !== "object") return { code: declared ?? "invalid_query" };
  return hasStatus(declared) ? declared : { code: declared[errors[0]?.path ?? ""] ?? "invalid_query" };
}

/** Every code that an invalid query may return. */
export function listQueryErrorCodes(declared: QueryErrorCodes | undefined): ErrorCode[] {
  return typeof declared === "object" && !hasStatus(declared)
    ? Object.values(declared)
    : [getQueryErrorCode([], declared).code];
}

function hasStatus(declared: CodeWithStatus | Record<string, ErrorCode>): declared is CodeWithStatus {
  return typeof declared.status === "number";
}

/** One sentence that quotes the first error and counts the others. */
export function summarizeErrors(opening: string, errors: { path: string; message: string }[]): string {
  const [first, ...rest] = errors;
  if (!first) return `${opening}.`;
  const more = rest.length > 0 ? ` (and ${rest.length} more)` : "";
  return `${opening}: ${first.path ? `${first.path}: ` : ""}${first.message}${more}`;
}
