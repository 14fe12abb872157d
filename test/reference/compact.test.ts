// The served form of the OpenAPI document describes the same API as functions/openapi.json, in fewer bytes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compactDocument } from "../../functions/build/compact-document.ts";
import { listFacts } from "../check/openapi-facts.ts";

const full = JSON.parse(readFileSync(join(import.meta.dirname, "../../functions/openapi.json"), "utf8"));
const { document, examples } = compactDocument(full);

/** The request id, the mark of a repeated answer and the rate limits, which any answer may have, stand in the guides. */
const COMMON_HEADERS = /\/responses\/[^/]+\/headers\/(X-Request-Id|Idempotent-Replayed|RateLimit|RateLimit-Policy)\//;
/** The `code` of an envelope is its status, and answers may gain fields. */
const OF_ANSWERS =
  /\/responses\/2\d\d\/content\/.*\/(properties\/code\/(const|type)|additionalProperties|propertyNames\/type)$/;

/** What a document need not say: a parameter is optional, what has fields is an object, and listed values have a type. */
function readImplied(facts: Map<string, string>, path: string, objects: Set<string>): string | undefined {
  if (/\/parameters\/[^/]+\/required$/.test(path)) return "false";
  const schema = path.replace(/\/type$/, "");
  if (schema === path) return undefined;
  if (objects.has(schema)) return '"object"';
  const listed = facts.get(`${schema}/const`) ?? facts.get(`${schema}/enum/0`);
  return listed && JSON.stringify(typeof JSON.parse(listed));
}

function listObjects(facts: Map<string, string>): Set<string> {
  return new Set(
    [...facts.keys()].flatMap((path) =>
      [...path.matchAll(/\/properties(?=\/|$)/g)].map(({ index }) => path.slice(0, index)),
    ),
  );
}

test("the served document differs from the full one only where it is meant to", () => {
  const [before, after] = [listFacts(full), listFacts(document)];
  const objects = listObjects(after);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) =>
      before.get(path) !== (after.get(path) ?? readImplied(after, path, objects)) &&
      !COMMON_HEADERS.test(path) &&
      !OF_ANSWERS.test(path) &&
      !/\/responses\/[45]/.test(path),
  );
  expect(changed).toEqual([]);
  expect(before.size).toBeGreaterThan(30_000);
});

test("every field and parameter has the description of the full document", () => {
  const [before, after] = [full, document].map((from) => listFacts(from, ["description"]));
  const described = [...(before?.keys() ?? [])].filter(
    (path) => /\/(parameters|properties)\/[^/]+\/description$/.test(path) && !/\/responses\/[45]/.test(path),
  );
  expect(described.length).toBeGreaterThan(3500);
  expect(described.filter((path) => before?.get(path) !== after?.get(path))).toEqual([]);
});

test("each operation has all its error codes, at their status or in the range that all operations share", () => {
  const [before, after] = [listErrors(full), listErrors(document)];
  expect(before.length).toBeGreaterThan(800);
  const missing = before.filter((error) => {
    const { operationId, status, code } = error;
    const own = after.filter((other) => other.operationId === operationId && other.status === status);
    const range = after.filter((other) => other.operationId === operationId && other.status === `${status[0]}XX`);
    const found = (own.length > 0 ? own : range).some((other) => other.code === code);
    return !found || (own.length === 0 && !range[0]?.description.includes(`${status}:`));
  });
  expect(missing).toEqual([]);
  const known = new Set(before.map(({ operationId, status, code }) => `${operationId} ${status} ${code}`));
  const invented = after.filter(
    ({ operationId, status, code }) => /\d{3}/.test(status) && !known.has(`${operationId} ${status} ${code}`),
  );
  expect(invented).toEqual([]);
});

test("the served document is small", () => {
  const bytes = Buffer.from(JSON.stringify(document));
  expect(bytes.length).toBeLessThan(199_800);
  expect(gzipSync(bytes).length).toBeLessThan(40_000);
});

test("every recorded response and every further request is a file of its own, and the first request stands in the document", () => {
  const [before, after] = [listOperations(full), listOperations(document)];
  const recorded = before.flatMap(({ operationId, requestBody, responses }) => [
    ...Object.keys(listExamples(requestBody)).flatMap((_, index) =>
      index === 0 ? [] : [toFileName(operationId, "request", index)],
    ),
    ...Object.entries(responses).flatMap(([status, response]) =>
      Object.keys(listExamples(response)).map((_, index) => toFileName(operationId, status, index)),
    ),
  ]);
  expect([...examples.keys()].sort()).toEqual(recorded.sort());
  expect(after.map(({ requestBody }) => listExamples(requestBody))).toEqual(
    before.map(({ requestBody }) => {
      const [first] = Object.entries(listExamples(requestBody));
      return first ? { [first[0]]: { value: first[1].value } } : {};
    }),
  );
});

interface Content {
  $ref?: string;
  description?: string;
  content?: {
    "application/json": {
      schema?: { allOf?: { properties?: ErrorCode }[] };
      examples?: Record<string, { value: unknown }>;
    };
  };
}
interface ErrorCode {
  error_code?: { enum: string[] };
}
interface Operation {
  operationId: string;
  requestBody?: Content;
  responses: Record<string, Content>;
}

function listOperations(from: unknown): Operation[] {
  const { paths } = from as { paths: Record<string, Record<string, Operation>> };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId }) => operationId);
}

function listErrors(from: unknown) {
  const { components } = from as { components: { responses: Record<string, Content> } };
  return listOperations(from).flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const { content, description = "" } = components.responses[response.$ref?.split("/").at(-1) ?? ""] ?? response;
      const codes = content?.["application/json"].schema?.allOf?.[1]?.properties?.error_code?.enum ?? [];
      return codes.map((code) => ({ operationId, status, code, description }));
    }),
  );
}

function listExamples(part: Content | undefined): Record<string, { value: unknown }> {
  return part?.content?.["application/json"].examples ?? {};
}

function toFileName(operationId: string, status: string, index: number): string {
  return `${operationId}-${status}${index === 0 ? "" : `-${index + 1}`}.json`;
}
