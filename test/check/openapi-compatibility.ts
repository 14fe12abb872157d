// Finds facts of an older OpenAPI document that a client may rely on and a newer one lacks: an operation, a parameter, a field of
// a request or of a successful response, a status of success, a field that is always there, or a value that has become required.

/** Facts that a client relies on, by kind; each entry names the operation first. */
interface Surface {
  operations: Set<string>;
  parameters: Set<string>;
  requestFields: Set<string>;
  responseFields: Set<string>;
  /** Required fields of responses. */
  alwaysPresent: Set<string>;
  statuses: Set<string>;
  required: Set<string>;
}

/** `before` and `after` are the facts of openapi-facts.ts. One line for each break. */
export function listBreaks(before: Map<string, string>, after: Map<string, string>): string[] {
  const [old, now] = [collectSurface(before), collectSurface(after)];
  const missing = (kind: keyof Surface) =>
    [...old[kind]].filter((entry) => !now[kind].has(entry)).map((entry) => `${kind}: ${entry} is missing`);
  // A field that did not exist may be required only where its parent did not exist either.
  const isNewDemand = (entry: string) => !old.required.has(entry) && hasParent(old, entry);
  return [
    ...missing("operations"),
    ...missing("parameters"),
    ...missing("requestFields"),
    ...missing("responseFields"),
    ...missing("alwaysPresent"),
    ...missing("statuses"),
    ...[...now.required].filter(isNewDemand).map((entry) => `required: ${entry} was optional or unknown`),
  ];
}

function hasParent(surface: Surface, entry: string): boolean {
  const [operation = "", field = ""] = entry.split(" body ");
  if (!surface.operations.has(operation)) return false;
  const parent = field.split(".").slice(0, -1).join(".");
  return parent === "" || surface.requestFields.has(`${operation} body ${parent}`);
}

export function countSurface(facts: Map<string, string>): Record<keyof Surface, number> {
  const entries = Object.entries(collectSurface(facts)).map(([kind, set]) => [kind, set.size]);
  return Object.fromEntries(entries) as Record<keyof Surface, number>;
}

function collectSurface(facts: Map<string, string>): Surface {
  const surface: Surface = {
    operations: new Set(),
    parameters: new Set(),
    requestFields: new Set(),
    responseFields: new Set(),
    alwaysPresent: new Set(),
    statuses: new Set(),
    required: new Set(),
  };
  for (const [path, value] of facts) {
    const [, root, route = "", method = "", part = "", ...rest] = path.split("/");
    if (root !== "paths") continue;
    const operation = `${method.toUpperCase()} ${route.replaceAll("~1", "/")}`;
    if (part === "operationId") surface.operations.add(operation);
    if (part === "parameters" && rest[0]?.includes(":")) {
      surface.parameters.add(`${operation} ${rest[0]}`);
      if (rest[1] === "required" && value === "true") surface.required.add(`${operation} body ${rest[0]}`);
    }
    if (part === "requestBody") addRequestField(surface, operation, rest, value);
    if (part === "responses" && rest[0]?.startsWith("2")) {
      surface.statuses.add(`${operation} ${rest[0]}`);
      const response = `${operation} ${rest[0]}`;
      const field = toFieldPath(rest.slice(1));
      if (field) surface.responseFields.add(`${response} ${field}`);
      const name = readRequiredName(rest, value);
      if (name) surface.alwaysPresent.add(`${response} ${field ? `${field}.` : ""}${name}`);
    }
  }
  return surface;
}

function addRequestField(surface: Surface, operation: string, path: string[], value: string): void {
  const field = toFieldPath(path);
  if (field) surface.requestFields.add(`${operation} body ${field}`);
  const name = readRequiredName(path, value);
  if (name) surface.required.add(`${operation} body ${field ? `${field}.` : ""}${name}`);
}

/** The name that an item of `required` holds. */
function readRequiredName(path: string[], value: string): string | null {
  return path.at(-2) === "required" && path.at(-1) !== "length" ? (JSON.parse(value) as string) : null;
}

/** The names of fields on the way, without the keywords between them: alternatives and items of lists are not told apart. */
function toFieldPath(path: string[]): string {
  const names: string[] = [];
  for (let at = 0; at < path.length - 1; at++) {
    if (path[at] === "properties") names.push(path[++at] ?? "");
  }
  return names.join(".");
}
