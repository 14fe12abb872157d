// The operations of the OpenAPI document: what a request may hold, and which responses are documented.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { BASE_PATH } from "../../lib/shared/paths.ts";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
}

interface DocumentedResponse {
  /** Empty for a success. */
  errorCodes: readonly string[];
  /** Describes what is wrong with the body; null when it is valid. */
  findBodyError(body: unknown): string | null;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | null;
  responses: ReadonlyMap<number, DocumentedResponse>;
}

interface Reference {
  $ref?: string;
}
interface DocumentedResponse extends Reference {
  content?: { "application/json": { schema: Schema } };
}
interface DocumentedOperation {
  operationId: string;
  parameters?: (Parameter & Reference)[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, DocumentedResponse>;
}

const path = join(import.meta.dirname, "../../functions/openapi.json");
const document: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
const METHODS = new Set(["get", "post", "patch", "delete", "put"]);

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false });
ajv.addFormat("uri", (text) => URL.canParse(text));
ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/);
// Both have a pattern beside them.
ajv.addFormat("uuid", true);
ajv.addFormat("date-time", true);
ajv.addSchema(document, "openapi");
const validators = new Map<string, ValidateFunction>();

export const operations: readonly Operation[] = listOperations();

/** For responses that belong to no operation: unknown routes and methods. */
export function findFailureError(body: unknown): string | null {
  return describe(compile("/components/schemas/Failure"), body);
}

/** Follows a reference; returns the schema itself when there is none. */
export function resolve<T extends Reference>(node: T): T {
  return node.$ref ? resolve(resolvePointer(node.$ref.slice(1)) as T) : node;
}

/** The operations that a path may reach, by the router's reading of it: parameters may be empty, literals win. */
export function matchOperations(method: string, rawPath: string): Operation[] {
  const segments = readSegments(rawPath);
  if (!segments) return [];
  const wanted = method === "HEAD" ? "GET" : method;
  return operations.filter((operation) => operation.method === wanted && matches(operation.path, segments));
}

/** The segments below the base path, decoded; null outside it. The runtime keeps escaped dots, which `URL` resolves. */
function readSegments(rawPath: string): string[] | null {
  const path = rawPath.replaceAll(/%2e/gi, "dot");
  const url = `http://api.test${path.startsWith("/") ? path : `/${path}`}`;
  if (!URL.canParse(url)) return null;
  const pathname = decodeLeniently(new URL(url).pathname);
  return pathname.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length + 1).split("/") : null;
}

function matches(pattern: string, segments: string[]): boolean {
  const wanted = pattern.slice(1).split("/");
  return wanted.length === segments.length && wanted.every((name, at) => name.startsWith("{") || name === segments[at]);
}

function decodeLeniently(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURI(escaped);
    } catch {
      return escaped;
    }
  });
}

function listOperations(): Operation[] {
  const paths = document.paths as Record<string, Record<string, DocumentedOperation>>;
  return Object.entries(paths).flatMap(([pattern, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path: pattern,
        parameters: (operation.parameters ?? []).map(resolve),
        body: operation.requestBody?.content["application/json"].schema ?? null,
        responses: new Map(
          Object.entries(operation.responses).map(([status, response]) => [
            Number(status),
            readAnswer(response, `/paths/${escapePointer(pattern)}/${method}/responses/${status}`),
          ]),
        ),
      })),
  );
}

function readAnswer(response: DocumentedResponse, pointer: string): DocumentedResponse {
  const target = response.$ref ? response.$ref.slice(1) : pointer;
  const errorCodes =
    resolve(response).content?.["application/json"].schema.allOf?.[1]?.properties?.error_code?.enum ?? [];
  return {
    errorCodes: errorCodes.map(String),
    findBodyError: (body) => describe(compile(`${target}/content/application~1json/schema`), body),
  };
}

function compile(pointer: string): ValidateFunction {
  const validator = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
  validators.set(pointer, validator);
  return validator;
}

function describe(validator: ValidateFunction, body: unknown): string | null {
  return validator(body) ? null : ajv.errorsText(validator.errors, { dataVar: "body" });
}

function escapePointer(text: string): string {
  return encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function resolvePointer(pointer: string): unknown {
  let node: unknown = document;
  for (const part of pointer.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}
