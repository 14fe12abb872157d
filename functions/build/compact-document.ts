// The served form of the OpenAPI document: the same API in about half the bytes. What it says twice becomes a component, long
// texts are on the reference page, recorded responses are files of their own, and what holds for every operation (headers, the
// codes of a family's unexpected errors) stands once or in the guides. test/reference/compact.test.ts compares the two.
import { STATUS_CODES } from "node:http";

type Json = Record<string, unknown>;

interface CompactDocument {
  document: Json;
  /** Recorded responses by file name: not as `externalValue`, which generators of clients would fetch one by one. */
  examples: Map<string, unknown>;
}

/** What any response may carry, whatever its operation. */
const COMMON_HEADERS = ["X-Request-Id", "Idempotent-Replayed", "RateLimit-Policy", "RateLimit"];

/** Below this saving in bytes, a repeated schema reads better where it is. */
const LEAST_SAVING = 40;

export function compactDocument(full: Json): CompactDocument {
  const document = structuredClone(full) as { paths: Record<string, Record<string, Json>>; components: Json } & Json;
  const examples = new Map<string, unknown>();
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const operation of operations) {
    shortenOperation(operation);
    dropFalse((operation.parameters as Json[]) ?? []);
    for (const [status, response] of Object.entries(operation.responses as Record<string, Json>)) {
      if (Number(status) >= 400) continue;
      dropCommonHeaders(response);
      dropEnvelopeType(response);
      moveExamples(response, `${operation.operationId}-${status}`, examples);
    }
  }
  dropFalse(Object.values(document.components.parameters as Record<string, Json>));
  shareErrorResponses(operations, document.components);
  for (const name of COMMON_HEADERS) delete (document.components.headers as Json)[name];
  shareFields(document.components.schemas as Record<string, Json>);
  return { document, examples };
}

/** The first sentence and the rate limits. */
function shortenOperation(operation: Json): void {
  const paragraphs = String(operation.description ?? "").split("\n\n");
  const limits = paragraphs.filter((text) => text.startsWith("Rate limits of "));
  const [first = ""] = paragraphs;
  operation.description = [...new Set([firstSentence(first), ...limits])].join("\n\n");
}

function firstSentence(text: string): string {
  return /^.*?[^.\d]\.(?= [A-Z]|$)/s.exec(text)?.[0] ?? text;
}

/** A parameter is optional unless it says otherwise. */
function dropFalse(parameters: Json[]): void {
  for (const parameter of parameters) if (parameter.required === false) delete parameter.required;
}

/** The first part of the envelope, `Success`, is an object already. */
function dropEnvelopeType({ content }: Json): void {
  const { schema } = (content as Record<string, { schema: { allOf?: Json[] } }>)["application/json"] ?? {};
  delete schema?.allOf?.[1]?.type;
}

/** The headers of a success are those of every operation that takes the same parameters or has limits: the guides name them. */
function dropCommonHeaders(response: Json): void {
  const others = Object.entries(response.headers as Json).filter(([name]) => !COMMON_HEADERS.includes(name));
  if (others.length > 0) response.headers = Object.fromEntries(others);
  else delete response.headers;
}

function moveExamples(response: Json, name: string, examples: Map<string, unknown>): void {
  const content = (response.content as Record<string, Json> | undefined)?.["application/json"];
  const recorded = Object.entries((content?.examples ?? {}) as Record<string, { value: unknown }>);
  for (const [index, [, { value }]] of recorded.entries()) {
    examples.set(`${name}${index === 0 ? "" : `-${index + 1}`}.json`, value);
  }
  delete content?.examples;
}

/** Errors are named by their status and described by their codes, whose meaning the guide of errors gives. */
function shareErrorResponses(operations: Json[], components: Json): void {
  const before = components.responses as Record<string, Json>;
  const families = collectInternalErrors(operations, before);
  const uses = new Map<string, { status: string; value: Json; places: Json[] }>();
  for (const operation of operations) {
    const responses = operation.responses as Record<string, Json>;
    for (const status of listErrorStatuses(operation)) {
      const response = resolve(responses[status] as Json, before);
      const codes = status === "500" ? families.get(toFamily(operation)) : readErrorCodes(response);
      const value = describeError(status, [...(codes ?? [])].sort());
      const key = `${status} ${JSON.stringify(value)}`;
      const use = uses.get(key) ?? { status, value, places: [] };
      uses.set(key, use);
      use.places.push(responses);
    }
  }
  const after: Record<string, Json> = {};
  const shared = [...uses.values()].filter(({ places }) => places.length > 1);
  for (const { status, value, places } of shared.toSorted((a, b) => b.places.length - a.places.length)) {
    const name = nameFreely(toPascalCase(SHORT_NAMES[status] ?? STATUS_CODES[status] ?? status), after);
    after[name] = value;
    for (const responses of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  for (const { status, value, places } of uses.values()) {
    if (places.length === 1) (places[0] as Json)[status] = value;
  }
  components.responses = after;
}

/** Each operation refers to most of these, so their names are a good part of the document. */
const SHORT_NAMES: Record<string, string> = {
  "402": "NoPlan",
  "413": "TooLarge",
  "422": "Invalid",
  "429": "RateLimited",
  "500": "ServerError",
  "503": "Unavailable",
};

function describeError(status: string, codes: string[]): Json {
  const headers = { "Retry-After": { $ref: "#/components/headers/Retry-After" } };
  const own = { properties: { error_code: { enum: codes } } };
  return {
    description: STATUS_CODES[status],
    ...(status === "429" || status === "503" ? { headers } : {}),
    content: { "application/json": { schema: { allOf: [{ $ref: "#/components/schemas/Failure" }, own] } } },
  };
}

/** The codes of unexpected errors of each family: `posts.create` has those of all operations on posts. */
function collectInternalErrors(operations: Json[], responses: Record<string, Json>): Map<string, Set<string>> {
  const families = new Map<string, Set<string>>();
  for (const operation of operations) {
    const response = (operation.responses as Record<string, Json>)["500"];
    const codes = response ? readErrorCodes(resolve(response, responses)) : [];
    families.set(toFamily(operation), new Set([...(families.get(toFamily(operation)) ?? []), ...codes]));
  }
  return families;
}

function toFamily({ operationId }: Json): string {
  return String(operationId).split(".")[0] ?? "";
}

function listErrorStatuses({ responses }: Json): string[] {
  return Object.keys(responses as Json).filter((status) => Number(status) >= 400);
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

interface ErrorCodes {
  properties: { error_code: { enum: string[] } };
}

/** Fields that several schemas have with the same schema and description become components, the largest saving first. */
function shareFields(schemas: Record<string, Json>): void {
  for (const { name, value, owners } of listRepeatedFields(schemas)) {
    const component = nameFreely(toPascalCase(name), schemas);
    schemas[component] = value;
    for (const properties of owners) properties[name] = { $ref: `#/components/schemas/${component}` };
  }
}

interface RepeatedField {
  name: string;
  value: Json;
  /** The `properties` that hold it. */
  owners: Json[];
}

function listRepeatedFields(schemas: Record<string, Json>): RepeatedField[] {
  const fields = new Map<string, RepeatedField>();
  visit(schemas);
  return [...fields.values()].filter((field) => savingOf(field) >= LEAST_SAVING);

  /** Fields inside of a repeated field move with it. */
  function visit(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const { properties } = value as { properties?: Record<string, Json> };
    if (properties && typeof properties === "object") {
      for (const [name, schema] of Object.entries(properties)) {
        const key = `${name} ${JSON.stringify(schema)}`;
        const field = fields.get(key) ?? { name, value: schema, owners: [] };
        fields.set(key, field);
        field.owners.push(properties);
        if (field.owners.length === 1) visit(schema);
      }
    }
    for (const [key, inner] of Object.entries(value)) if (key !== "properties") visit(inner);
  }
}

function savingOf({ name, value, owners }: RepeatedField): number {
  const size = JSON.stringify(value).length;
  const reference = `{"$ref":"#/components/schemas/${name}"}`.length;
  return size * owners.length - (reference * owners.length + size + name.length + 4);
}

function nameFreely(name: string, taken: Record<string, unknown>): string {
  if (!Object.hasOwn(taken, name)) return name;
  let number = 2;
  while (Object.hasOwn(taken, `${name}${number}`)) number++;
  return `${name}${number}`;
}

function toPascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
