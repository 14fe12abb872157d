// What Zod found wrong, told in the two shapes that answers use: `issues`, and the flat `fields` of the posting endpoints.
import type * as z from "zod";
import type { Fault, RefusalExtra } from "./errors.ts";

type Issue = z.core.$ZodIssue;

/** One fault per offending path; an unknown key is a fault at its own path. */
export function faultsOf(error: z.ZodError): Fault[] {
  const faults = error.issues.flatMap(spread);
  const seen = new Set<string>();
  return faults.filter(({ path }) => !seen.has(path) && seen.add(path));
}

function spread(issue: Issue): Fault[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key].join("."),
      message: "Unknown field. Remove it or check its spelling.",
      code: "unknown_field",
    }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The branch that came furthest is the one the caller meant.
    const nearest = [...issue.errors].sort((a, b) => (b[0]?.path.length ?? 0) - (a[0]?.path.length ?? 0))[0] ?? [];
    const inner = nearest.flatMap(spread);
    if (inner.length > 0) {
      return inner.map((fault) => ({
        ...fault,
        path: [...issue.path, fault.path].filter((part) => part !== "").join("."),
      }));
    }
  }
  const custom = issue.code === "custom" ? (issue.params?.code as string | undefined) : undefined;
  return [{ path: issue.path.join("."), message: issue.message, code: custom ?? issue.code }];
}

/** `formErrors` are about the body as a whole, `fieldErrors` about one top-level field each. */
export function issuesOf(faults: Fault[]): NonNullable<RefusalExtra["issues"]> {
  const formErrors: string[] = [];
  const fieldErrors: Record<string, string[]> = {};
  for (const { path, message } of faults) {
    const [top, ...rest] = path.split(".");
    if (!top) formErrors.push(message);
    else {
      fieldErrors[top] ??= [];
      fieldErrors[top].push(rest.length > 0 ? `${rest.join(".")}: ${message}` : message);
    }
  }
  return { formErrors, fieldErrors };
}

const DEPTH_AT_MOST = 32;

/** What Postgres cannot hold, or no request needs: NUL, half a surrogate pair, nesting without end. */
export function unstorable(value: unknown, path: string, depth: number): Fault[] {
  if (typeof value === "string") return malformed(value) ? [{ path, ...MALFORMED }] : [];
  if (typeof value !== "object" || value === null) return [];
  if (depth >= DEPTH_AT_MOST) {
    return [{ path, message: `Nested deeper than ${DEPTH_AT_MOST} levels.`, code: "nested_too_deep" }];
  }
  return Object.entries(value).flatMap(([key, inner]) =>
    malformed(key) ? [{ path, ...MALFORMED }] : unstorable(inner, path ? `${path}.${key}` : key, depth + 1),
  );
}

const MALFORMED = { message: "Must be well-formed Unicode without NUL.", code: "malformed_text" };

function malformed(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}
