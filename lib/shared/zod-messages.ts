// Default messages of schema errors, where a schema declares none: what the value must be, and whether it is missing.
import * as z from "zod";

type Issue = z.core.$ZodRawIssue;

const TYPE_NAMES: Record<string, string> = {
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
    const must = describeRequirement(issue);
    if (!must) return undefined;
    return issue.input === undefined ? `Required: must ${must}.` : `Must ${must}.`;
  },
});

function describeRequirement(issue: Issue): string | undefined {
  if (issue.code === "invalid_type") return TYPE_NAMES[issue.expected] && `be ${TYPE_NAMES[issue.expected]}`;
  if (issue.code === "invalid_value") return `be ${listValues(issue.values)}`;
  if (issue.code === "invalid_format") return issue.format === "guid" ? "be a UUID" : undefined;
  if (issue.code === "too_small") return describeSize(issue, issue.minimum, issue.inclusive ? "at least" : "more than");
  if (issue.code === "too_big") return describeSize(issue, issue.maximum, issue.inclusive ? "at most" : "less than");
  return undefined;
}

function listValues(values: readonly unknown[]): string {
  const listed = values.map((value) => JSON.stringify(value)).join(", ");
  return values.length === 1 ? listed : `one of ${listed}`;
}

function describeSize(issue: Issue, limit: number | bigint, bound: string): string {
  const amount = limit.toLocaleString("en-US");
  const many = Number(limit) === 1 ? "" : "s";
  if (issue.origin === "string") return `be ${bound} ${amount} character${many} long`;
  if (issue.origin === "array") return `have ${bound} ${amount} item${many}`;
  return `be ${bound} ${amount}`;
}
