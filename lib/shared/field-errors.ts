// Converts the errors of a Zod schema to a flat list: path, message and code.
import type * as z from "zod";
import type { FieldError } from "./errors.ts";
import type { FieldCode } from "./field-codes.ts";
import "./zod-messages.ts";

type Issue = z.core.$ZodIssue;

/** A field name of the caller that is longer is not quoted in full. */
const MAX_QUOTED_KEY = 100;

/** One problem per path; each unknown key is a problem at its own path. */
export function toFieldErrors(error: z.core.$ZodError): FieldError[] {
  const seen = new Set<string>();
  return error.issues.flatMap(expandIssue).filter(({ path }) => !seen.has(path) && seen.add(path));
}

function expandIssue(issue: Issue): FieldError[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key.slice(0, MAX_QUOTED_KEY)].join("."),
      message: "Unknown field. Remove it or check its spelling.",
      code: "unknown_field",
    }));
  }
  if (issue.code === "invalid_key") {
    const [reason = issue] = issue.issues;
    return [{ path: issue.path.join("."), message: reason.message, code: issue.code }];
  }
  const nested = issue.code === "invalid_union" ? expandUnion(issue) : [];
  if (nested.length > 0) return nested;
  const custom = issue.code === "custom" ? (issue.params?.code as FieldCode | undefined) : undefined;
  return [{ path: issue.path.join("."), message: issue.message, code: custom ?? issue.code }];
}

/** Zod's message for a union that was given none. */
const DEFAULT_UNION_MESSAGE = "Invalid input";

/** The problems of the branch that matched deepest, which is probably the intended one; none when no branch matched deeper than its root and the union has a message of its own. */
function expandUnion(issue: Extract<Issue, { code: "invalid_union" }>): FieldError[] {
  const [closest = []] = [...issue.errors].sort((a, b) => (b[0]?.path.length ?? 0) - (a[0]?.path.length ?? 0));
  if (!closest[0]?.path.length && issue.message !== DEFAULT_UNION_MESSAGE) return [];
  return closest.flatMap(expandIssue).map((error) => ({
    ...error,
    path: [...issue.path, error.path].filter((part) => part !== "").join("."),
  }));
}
