// The served form of the OpenAPI document: the same API in about a third of the bytes. What it says twice becomes a component,
// long texts are on the reference page, recorded answers are files, and what holds for every operation (headers, errors) stands
// once. test/reference/compact.test.ts compares the two.
import { shareErrorResponses } from "./compact-errors.ts";
import { shareSchemas } from "./compact-schemas.ts";

type Json = Record<string, unknown>;

interface CompactDocument {
  document: Json;
  /** Recorded responses by file name: not as `externalValue`, which generators of clients would fetch one by one. */
  examples: Map<string, unknown>;
}

/** What any response may carry, whatever its operation. */
const COMMON_HEADERS = ["X-Request-Id", "Idempotent-Replayed", "RateLimit-Policy", "RateLimit"];

export function compactDocument(full: Json): CompactDocument {
  const document = structuredClone(full) as { paths: Record<string, Record<string, Json>>; components: Json } & Json;
  const examples = new Map<string, unknown>();
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const operation of operations) {
    shortenOperation(operation);
    dropFalse(operation.parameters as Json[]);
    moveFurtherRequests(operation, examples);
    for (const [status, response] of Object.entries(operation.responses as Record<string, Json>)) {
      if (Number(status) >= 400) continue;
      dropCommonHeaders(response);
      shortenEnvelope(response);
      moveExamples(response, `${operation.operationId}-${status}`, examples);
    }
  }
  for (const item of Object.values(document.paths)) sharePathParameters(item);
  dropFalse(Object.values(document.components.parameters as Record<string, Json>));
  shareErrorResponses(operations, document.components);
  for (const name of COMMON_HEADERS) delete (document.components.headers as Json)[name];
  shareSchemas(document);
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
  return /^.*?[^.\d]\.(?= [A-Z`]|$)/s.exec(text)?.[0] ?? text;
}

/** Parameters that all methods of a path have stand at the path. */
function sharePathParameters(item: Record<string, Json>): void {
  const operations = Object.values(item) as { parameters?: Json[] }[];
  const lists = operations.map(({ parameters = [] }) => parameters.map((parameter) => JSON.stringify(parameter)));
  const shared = new Set(
    operations.length > 1 ? lists[0]?.filter((text) => lists.every((list) => list.includes(text))) : [],
  );
  for (const operation of operations) {
    operation.parameters = operation.parameters?.filter((parameter) => !shared.has(JSON.stringify(parameter)));
    if (operation.parameters?.length === 0) delete operation.parameters;
  }
  if (shared.size > 0) item.parameters = [...shared].map((text) => JSON.parse(text)) as unknown as Json;
}

/** A parameter is optional unless it says otherwise. */
function dropFalse(parameters: Json[]): void {
  for (const parameter of parameters) if (parameter.required === false) delete parameter.required;
}

/** The first part of the envelope, `Success`, is an object already, and its `code` is the status that the response has. */
function shortenEnvelope({ content }: Json): void {
  const { schema } = (content as Record<string, { schema: { allOf?: Json[] } }>)["application/json"] ?? {};
  const own = schema?.allOf?.[1] as { type?: string; properties: Json } | undefined;
  delete own?.type;
  delete own?.properties.code;
}

/** The headers of a success are those of every operation that takes the same parameters or has limits: the guides name them. */
function dropCommonHeaders(response: Json): void {
  const others = Object.entries(response.headers as Json).filter(([name]) => !COMMON_HEADERS.includes(name));
  if (others.length > 0) response.headers = Object.fromEntries(others);
  else delete response.headers;
}

/** The first request stays, without its title, which its name repeats; the others become files such as `posts.create-request-2.json`. */
function moveFurtherRequests({ operationId, requestBody }: Json, examples: Map<string, unknown>): void {
  const content = ((requestBody as Json | undefined)?.content as Record<string, Json> | undefined)?.[
    "application/json"
  ];
  const requests = Object.entries((content?.examples ?? {}) as Record<string, { value: unknown }>);
  for (const [index, [, { value }]] of requests.entries()) {
    if (index > 0) examples.set(`${operationId}-request-${index + 1}.json`, value);
  }
  const [first] = requests;
  if (content && first) content.examples = { [first[0]]: { value: first[1].value } };
}

function moveExamples(response: Json, name: string, examples: Map<string, unknown>): void {
  const content = (response.content as Record<string, Json> | undefined)?.["application/json"];
  const recorded = Object.entries((content?.examples ?? {}) as Record<string, { value: unknown }>);
  for (const [index, [, { value }]] of recorded.entries()) {
    examples.set(`${name}${index === 0 ? "" : `-${index + 1}`}.json`, value);
  }
  delete content?.examples;
}
