// Messages of the API as people read them: with times of the workspace's clock, and without names of fields.
import { replaceInstants } from "../../lib/shared/shown-instant.ts";
import { formatInstant } from "./format.ts";

const NOT_VISIBLE = /visible to the key\.$/;
const NOT_VALID = /^The body is not valid: ([\w.]+):/;

export function formatMessage(message: string, timeZone: string): string {
  return replaceInstants(message, (at) => formatInstant(at, timeZone))
    .replace(NOT_VISIBLE, "in this workspace. It may have been deleted.")
    .replace(NOT_VALID, (_, path: string) => `${nameField(path.split("."))}:`);
}

/** The name of a field of a request as words. */
export function nameField(path: PropertyKey[]): string {
  if (path[0] === "scheduled_at") return "When";
  const words = path.map(String).join(" ").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Problem {
  message: string;
  code?: string | undefined;
}

export function describeProblem({ message, code }: Problem, timeZone: string): string {
  if (code === "in_the_past") return "This time is in the past. Choose a later one.";
  return formatMessage(message, timeZone);
}

interface RejectedRequest {
  message: string;
  fields?: readonly Problem[] | undefined;
}

/** Of several problems the message is the one of the API, which names the field of each. */
export function describeRejection({ message, fields = [] }: RejectedRequest, timeZone: string): string {
  return describeProblem({ message, code: fields.length === 1 ? fields[0]?.code : undefined }, timeZone);
}
