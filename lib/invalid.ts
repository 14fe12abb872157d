// What Zod found wrong, told in the two shapes that answers use: `issues`, and the flat `fields` of the posting endpoints.
import type * as z from "zod";
import type { Code, FailureStatus, Fault, RefusalExtra } from "./errors.ts";
import "./wording.ts";

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
  if (issue.code === "invalid_key") {
    const [why = issue] = issue.issues;
    return [{ path: issue.path.join("."), message: why.message, code: issue.code }];
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The branch that came furthest is the one the caller meant; where none came far, the union's own words tell of all.
    const nearest = [...issue.errors].sort((a, b) => (b[0]?.path.length ?? 0) - (a[0]?.path.length ?? 0))[0] ?? [];
    const inner = nearest.flatMap(spread);
    if (inner.length > 0 && (nearest[0]?.path.length || issue.message === UNWORDED)) {
      return inner.map((fault) => ({
        ...fault,
        path: [...issue.path, fault.path].filter((part) => part !== "").join("."),
      }));
    }
  }
  const custom = issue.code === "custom" ? (issue.params?.code as string | undefined) : undefined;
  return [{ path: issue.path.join("."), message: issue.message, code: custom ?? issue.code }];
}

/** What Zod says of a union that was given no message. */
const UNWORDED = "Invalid input";

/** What is wrong with a query parameter that came twice is that, not what its values are. */
export function repeated(faults: Fault[], given: Record<string, unknown>): Fault[] {
  const told = { message: "Given more than once. Send it once.", code: "repeated" };
  return faults.map((fault) =>
    Array.isArray(given[fault.path]) && fault.code !== "unknown_field" ? { ...fault, ...told } : fault,
  );
}

/** `formErrors` are about the body as a whole, `fieldErrors` about one top-level field each. */
export function issuesOf(faults: Fault[]): NonNullable<RefusalExtra["issues"]> {
  const formErrors: string[] = [];
  // Without a prototype: a field may be called `constructor`.
  const fieldErrors: Record<string, string[]> = Object.create(null);
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

/** The code of a bad body: a field's own when that field was sent and nothing else is wrong. */
export function bodyCode(faults: Fault[], json: unknown, own: Record<string, Code>): Code {
  const [top = "", ...others] = new Set(faults.map(({ path }) => path.split(".")[0]));
  const sent = typeof json === "object" && json !== null && Object.hasOwn(json, top);
  return (sent && others.length === 0 && Object.hasOwn(own, top) ? own[top] : undefined) ?? "invalid_payload";
}

/** A code that a family of operations answers with another status than the rest. */
interface CodeWithStatus {
  code: Code;
  status: FailureStatus;
}

export type BadQuery = Code | CodeWithStatus | Record<string, Code>;

/** What a bad query answers, which the first parameter that is wrong may decide. */
export function queryCode(faults: Fault[], bad: BadQuery | undefined): { code: Code; status?: FailureStatus } {
  if (typeof bad !== "object") return { code: bad ?? "invalid_query" };
  return isOfStatus(bad) ? bad : { code: bad[faults[0]?.path ?? ""] ?? "invalid_query" };
}

/** Every code that a bad query may answer. */
export function queryCodes(bad: BadQuery | undefined): Code[] {
  return typeof bad === "object" && !isOfStatus(bad) ? Object.values(bad) : [queryCode([], bad).code];
}

function isOfStatus(bad: CodeWithStatus | Record<string, Code>): bad is CodeWithStatus {
  return typeof bad.status === "number";
}

/** All of them in one sentence, which quotes the first. */
export function sentence(opening: string, faults: { path: string; message: string }[]): string {
  const [first, ...rest] = faults;
  if (!first) return `${opening}.`;
  const more = rest.length > 0 ? ` (and ${rest.length} more)` : "";
  return `${opening}: ${first.path ? `${first.path}: ` : ""}${first.message}${more}`;
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
