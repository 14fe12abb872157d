// The format of a reference: what a network's own documentation says about the requests that the drivers send.

/** JSON Schema, draft 7. Objects list their fields and reject others, so that an invented field is found. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Reference {
  network: string;
  /** The source: a published API description with its revision, or the pages of the official documentation. */
  description: string;
  url: string;
  /** The day on which it was read. */
  read: string;
  /** Requests that did not fit the description, or the networks' own pages, and were fixed. */
  fixed: readonly string[];
  /** Behaviour that no description covers, so that only `npm run admin -- try-network` shows it. */
  uncovered: string;
  operations: readonly Operation[];
}

/** A request, and the response of the fake. */
export interface ReferencedExchange {
  query: URLSearchParams;
  headers: Headers;
  body: Buffer;
  /** Absent when the response was scripted by a test. */
  response?: { status: number; body?: unknown };
}

export interface Operation {
  method: string;
  /** As documented, with parameters in braces: `/v5/pins/{pin_id}`; `{path+}` also matches slashes. */
  path: string;
  /** The page that documents it. */
  source: string;
  /** The query parameters; without it, none are known. */
  query?: JsonSchema;
  /** Headers that have a documented form; others are not checked. Names in lower case. */
  headers?: JsonSchema;
  /** The documented bodies by content type; without it, a request has no body. */
  bodies?: Readonly<Record<string, BodySchema>>;
  /** The body of a 2xx response; without it, the fakes' responses are not checked. */
  answer?: JsonSchema;
  /** Takes the place of all schemas where the network publishes a validator of its own. */
  validate?(exchange: ReferencedExchange): Promise<string[]>;
}

/** `bytes` is the content of a file, which is not checked. */
export type BodySchema = JsonSchema | "bytes";

/** An object with these fields and no others; names that end with `?` are optional. */
export function object(fields: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema]),
  );
  const required = Object.keys(fields).filter((name) => !name.endsWith("?"));
  return { type: "object", properties, required, additionalProperties: false, ...more };
}

export const string = (more: JsonSchema = {}): JsonSchema => ({ type: "string", ...more });
export const integer = (more: JsonSchema = {}): JsonSchema => ({ type: "integer", ...more });
export const number = (more: JsonSchema = {}): JsonSchema => ({ type: "number", ...more });
export const boolean: JsonSchema = { type: "boolean" };
export const literal = (...values: readonly unknown[]): JsonSchema => ({ enum: values });
export const list = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: "array", items, ...more });
