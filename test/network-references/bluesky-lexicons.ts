// Validates exchanges and records with Bluesky's lexicons, and finds fields that they do not know.
import { jsonToLex, lexicons } from "@atproto/api";
import type { ReferencedExchange } from "./reference.ts";

/** A definition of a lexicon, as far as fields are concerned. */
interface Definition {
  type?: string;
  properties?: Record<string, Definition>;
  items?: Definition;
  ref?: string;
  record?: Definition;
  parameters?: Definition;
  input?: { encoding: string; schema?: Definition };
  output?: { encoding: string; schema?: Definition };
}

type Json = Record<string, unknown>;

/** Fields outside the lexicons that the video service is known to use. */
const VIDEO_UPLOAD = "app.bsky.video.uploadVideo";

export function validateExchange(nsid: string, { query, headers, body, response }: ReferencedExchange): string[] {
  const method = getDefinition(nsid);
  const input = method.input;
  const problems = nsid === VIDEO_UPLOAD ? checkVideoQuery(query) : checkQuery(nsid, method, query);
  if (!input && body.length > 0) problems.push("body: the method takes none");
  if (input) {
    const type = (headers.get("content-type") ?? "").split(";")[0] ?? "";
    if (input.encoding !== "*/*" && input.encoding !== type) problems.push(`body: ${type} is not ${input.encoding}`);
    if (input.schema) problems.push(...checkInput(nsid, input.schema, JSON.parse(body.toString("utf8")) as Json));
  }
  const succeeded = response && response.status >= 200 && response.status <= 299;
  // The service answers an upload with the job itself, as the official app reads it: the lexicon wraps it.
  const answer = nsid === VIDEO_UPLOAD ? { jobStatus: response?.body } : response?.body;
  if (succeeded) problems.push(...checkOutput(nsid, method.output?.schema, answer));
  return problems;
}

/** Every error of a record that is to be written, or was read. */
export function validateRecord(record: Json): string[] {
  const type = String(record.$type);
  const result = lexicons.validate(type, jsonToLex(record as never));
  const definition = getDefinition(type).record;
  return [...(result.success ? [] : [`record: ${result.error.message}`]), ...findUnknown(definition, record, "record")];
}

// https://docs.bsky.app/docs/tutorials/video, read 2026-11-23: the lexicon names no parameters.
function checkVideoQuery(query: URLSearchParams): string[] {
  const names = [...query.keys()].toSorted().join(" ");
  return names === "did name" ? [] : [`query: ${names} instead of did and name`];
}

function checkQuery(nsid: string, method: Definition, query: URLSearchParams): string[] {
  const numbers = Object.entries(method.parameters?.properties ?? {}).filter(([, { type }]) => type === "integer");
  const params: Json = Object.fromEntries(query);
  for (const [name] of numbers) if (name in params) params[name] = Number(params[name]);
  return [
    ...collect("query", () => lexicons.assertValidXrpcParams(nsid, params)),
    ...findUnknown({ type: "object", properties: method.parameters?.properties ?? {} }, params, "query"),
  ];
}

function checkInput(nsid: string, schema: Definition, body: Json): string[] {
  const written = ((body.writes ?? []) as Json[]).flatMap(({ value }) => (value === undefined ? [] : [value]));
  const records = nsid.startsWith("com.atproto.repo.") && "record" in body ? [body.record] : written;
  return [
    ...collect("body", () => lexicons.assertValidXrpcInput(nsid, jsonToLex(body as never))),
    ...findUnknown(schema, body, "body"),
    ...records.flatMap((record) => validateRecord(record as Json)),
  ];
}

function checkOutput(nsid: string, schema: Definition | undefined, body: unknown): string[] {
  if (!schema) return [];
  const record = nsid === "com.atproto.repo.getRecord" ? validateRecord((body as { value: Json }).value) : [];
  return [
    ...collect("response of the fake", () => lexicons.assertValidXrpcOutput(nsid, jsonToLex(body as never))),
    ...findUnknown(schema, body, "response of the fake"),
    ...record,
  ];
}

function collect(where: string, check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [`${where}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function getDefinition(ref: string): Definition {
  return lexicons.getDefOrThrow(ref) as Definition;
}

/** Lexicons accept unknown fields, which Bluesky ignores: a field that is spelled wrong would be lost. */
function findUnknown(definition: Definition | undefined, value: unknown, path: string): string[] {
  if (!definition || typeof value !== "object" || value === null) return [];
  if (definition.type === "ref") return findUnknown(getDefinition(definition.ref ?? ""), value, path);
  if (definition.type === "union") {
    const type = (value as Json).$type;
    return typeof type === "string" ? findUnknown(getDefinition(type), value, path) : [`${path} has no $type`];
  }
  if (definition.type === "array" && Array.isArray(value))
    return value.flatMap((item) => findUnknown(definition.items, item, `${path}[]`));
  if (definition.type !== "object") return [];
  return Object.entries(value).flatMap(([name, field]) => {
    if (name === "$type") return [];
    const known = definition.properties?.[name];
    return known ? findUnknown(known, field, `${path}.${name}`) : [`${path}.${name} is not in the lexicon`];
  });
}
