// What schema failures say where a schema has no words of its own: what the field must be, and whether it is missing.
import * as z from "zod";

type Issue = z.core.$ZodRawIssue;

const KINDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  null: "null",
};

z.config({
  customError(issue) {
    const must = mustOf(issue);
    if (!must) return undefined;
    return issue.input === undefined ? `Required: must ${must}.` : `Must ${must}.`;
  },
});

function mustOf(issue: Issue): string | undefined {
  if (issue.code === "invalid_type") return KINDS[issue.expected] && `be ${KINDS[issue.expected]}`;
  if (issue.code === "invalid_value") return `be ${oneOf(issue.values)}`;
  if (issue.code === "invalid_format") return issue.format === "uuid" ? "be a UUID" : undefined;
  if (issue.code === "too_small") return sized(issue, issue.minimum, issue.inclusive ? "at least" : "more than");
  if (issue.code === "too_big") return sized(issue, issue.maximum, issue.inclusive ? "at most" : "less than");
  return undefined;
}

function oneOf(values: readonly unknown[]): string {
  const told = values.map((value) => JSON.stringify(value)).join(", ");
  return values.length === 1 ? told : `one of ${told}`;
}

function sized(issue: Issue, limit: number | bigint, bound: string): string {
  const amount = limit.toLocaleString("en-US");
  const many = Number(limit) === 1 ? "" : "s";
  if (issue.origin === "string") return `be ${bound} ${amount} character${many} long`;
  if (issue.origin === "array") return `have ${bound} ${amount} item${many}`;
  return `be ${bound} ${amount}`;
}
