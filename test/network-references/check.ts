// Compares the requests of drivers, and the responses of fakes, with the references of the networks.
import { Ajv, type ValidateFunction } from "ajv";
import { references } from "./index.ts";
import type { BodySchema, JsonSchema, Operation, ReferencedExchange } from "./reference.ts";

export interface Exchange extends ReferencedExchange {
  network: string;
  method: string;
  /** The path below the API's host. */
  path: string;
}

/** Values of queries and forms are texts, which become what the schema expects. */
const texts = new Ajv({ strict: false, allErrors: true, coerceTypes: "array", validateFormats: false });
const json = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const compiled = new Map<JsonSchema, ValidateFunction>();

const mismatches = new Set<string>();
const requests = new Set<string>();

/** Remembers what an exchange has that its reference does not know, and returns it as sentences. */
export async function checkExchange(exchange: Exchange): Promise<string[]> {
  const found = await findMismatches(exchange);
  for (const mismatch of found) mismatches.add(mismatch);
  return found;
}

/** The mismatches of this process since the last call. */
export function takeMismatches(): string[] {
  const taken = [...mismatches];
  mismatches.clear();
  return taken;
}

/** The distinct known requests of this process since the last call: network, operation, and the names of the fields sent. */
export function takeRequests(): string[] {
  const taken = [...requests];
  requests.clear();
  return taken;
}

async function findMismatches(exchange: Exchange): Promise<string[]> {
  const reference = references.get(exchange.network);
  // The hosted publisher has a protocol of our own.
  if (!reference) return [];
  const operation = reference.operations.find(
    (candidate) => candidate.method === exchange.method && toPattern(candidate.path).test(exchange.path),
  );
  const name = `${exchange.network} ${exchange.method} ${operation?.path ?? exchange.path}`;
  if (!operation) return [`${name}: no such operation in the reference`];
  const query = toObject(exchange.query);
  const fields = await readFields(exchange, operation);
  const found = operation.validate
    ? await operation.validate(exchange)
    : checkSchemas(exchange, operation, query, fields);
  if (found.length === 0) requests.add(`${name} ${[...Object.keys(query), ...listPaths(fields)].toSorted().join(" ")}`);
  return found.map((problem) => `${name}: ${problem}`);
}

function checkSchemas(exchange: Exchange, operation: Operation, query: unknown, fields: unknown): string[] {
  return [
    ...validate(texts, operation.query ?? NOTHING, query, "query"),
    ...(operation.headers ? validate(texts, operation.headers, Object.fromEntries(exchange.headers), "header") : []),
    ...checkBody(exchange, operation, fields),
    ...checkAnswer(exchange, operation),
  ];
}

const NOTHING: JsonSchema = { type: "object", additionalProperties: false };
const FORM = "application/x-www-form-urlencoded";

function checkBody({ body, headers }: Exchange, operation: Operation, fields: unknown): string[] {
  const schema = findBodySchema(headers, operation);
  // A form without fields is no body.
  if (body.length === 0 && (!operation.bodies || schema === undefined)) return [];
  if (schema === undefined) return [`a body of type ${getType(headers)} is not documented`];
  if (schema === "bytes") return [];
  return validate(getType(headers) === "application/json" ? json : texts, schema, fields, "body");
}

function checkAnswer({ response }: Exchange, { answer }: Operation): string[] {
  if (!answer || !response || response.status < 200 || response.status > 299) return [];
  return validate(json, answer, response.body, "response of the fake");
}

function validate(ajv: Ajv, schema: JsonSchema, value: unknown, where: string): string[] {
  let check = compiled.get(schema);
  if (!check) {
    check = ajv.compile(schema);
    compiled.set(schema, check);
  }
  // As it is sent: ids beyond 2^53 are raw JSON numbers in the fakes' responses.
  if (check(JSON.parse(JSON.stringify(value ?? null)))) return [];
  return (check.errors ?? []).map(({ instancePath, message, params }) => {
    const detail = params.additionalProperty ?? params.allowedValues ?? "";
    return `${where} ${instancePath || "/"} ${message} ${detail}`.trim();
  });
}

function findBodySchema(headers: Headers, { bodies }: Operation): BodySchema | undefined {
  return bodies?.[getType(headers)] ?? bodies?.["*/*"];
}

function getType(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

async function readFields(exchange: Exchange, operation: Operation): Promise<unknown> {
  const { body, headers } = exchange;
  if (findBodySchema(headers, operation) === "bytes" || body.length === 0) return {};
  const type = getType(headers);
  if (type === "application/json") return parseJson(body.toString("utf8"));
  if (type === FORM) return toObject(new URLSearchParams(body.toString("utf8")));
  if (type !== "multipart/form-data") return {};
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": headers.get("content-type") ?? "" },
  })
    .formData()
    .catch(() => new FormData());
  return Object.fromEntries([...form].map(([name, value]) => [name, typeof value === "string" ? value : "(file)"]));
}

/** Fields such as `media[0]` are one list; values that are JSON objects or lists are parsed, as Meta's API does. */
function toObject(fields: URLSearchParams): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, text] of fields) {
    const value = /^[[{]/.test(text) ? parseJson(text) : text;
    const member = /^(.+)\[\d*\]$/.exec(name)?.[1];
    if (member) result[member] = [...((result[member] as unknown[] | undefined) ?? []), value];
    else result[name] = name in result ? [result[name], value].flat() : value;
  }
  return result;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function listPaths(value: unknown, prefix = ""): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? [prefix] : [...new Set(value.flatMap((item) => listPaths(item, `${prefix}[]`)))];
  if (typeof value !== "object" || value === null) return [prefix];
  return Object.entries(value).flatMap(([name, field]) => listPaths(field, prefix === "" ? name : `${prefix}.${name}`));
}

const patterns = new Map<string, RegExp>();

function toPattern(path: string): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const source = path.replace(/[.+?^$()|[\]\\]/g, (char, at: number) => (path[at + 1] === "}" ? char : `\\${char}`));
  const pattern = new RegExp(`^${source.replace(/\{\w+\+\}/g, ".+").replace(/\{\w+\}/g, "[^/]+")}$`);
  patterns.set(path, pattern);
  return pattern;
}
