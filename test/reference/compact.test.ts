// The served form of the OpenAPI document describes the same API as functions/openapi.json, in fewer bytes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compactDocument } from "../../functions/build/compact-document.ts";
import { listFacts } from "../check/openapi-facts.ts";

const full = JSON.parse(readFileSync(join(import.meta.dirname, "../../functions/openapi.json"), "utf8"));
const { document, examples } = compactDocument(full);

/**
 * The request id, the mark of a repeated answer and the rate limits, which any answer may have, stand in the guides; the codes of unexpected
 * errors are those of the operation's family.
 */
const INTENDED = [
  /\/responses\/\d+\/headers\/(X-Request-Id|Idempotent-Replayed|RateLimit|RateLimit-Policy)\//,
  /\/responses\/500\/.*\/error_code\/enum\//,
  /\/responses\/\d+\/.*\/allOf\/1\/type$/,
];

/** A parameter that does not say whether it is required is not. */
function read(facts: Map<string, string>, path: string): string | undefined {
  return facts.get(path) ?? (/\/parameters\/[^/]+\/required$/.test(path) ? "false" : undefined);
}

test("the served document differs from the full one only where it is meant to", () => {
  const [before, after] = [listFacts(full), listFacts(document)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => read(before, path) !== read(after, path) && !INTENDED.some((pattern) => pattern.test(path)),
  );
  expect(changed).toEqual([]);
  expect(before.size).toBeGreaterThan(30_000);
});

test("the served document is small", () => {
  const bytes = Buffer.from(JSON.stringify(document));
  expect(bytes.length).toBeLessThan(263_000);
  expect(gzipSync(bytes).length).toBeLessThan(45_000);
});

test("every recorded response is a file of its own, and every recorded request stands in the document", () => {
  const [before, after] = [listOperations(full), listOperations(document)];
  const recorded = before.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) =>
      Object.keys(listExamples(response)).map((_, index) => toFileName(operationId, status, index)),
    ),
  );
  expect([...examples.keys()].sort()).toEqual(recorded.sort());
  expect(after.map(({ requestBody }) => listExamples(requestBody))).toEqual(
    before.map(({ requestBody }) => listExamples(requestBody)),
  );
});

interface Content {
  content?: { "application/json": { examples?: Record<string, unknown> } };
}
interface Operation {
  operationId: string;
  requestBody?: Content;
  responses: Record<string, Content>;
}

function listOperations(from: unknown): Operation[] {
  const { paths } = from as { paths: Record<string, Record<string, Operation>> };
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

function listExamples(part: Content | undefined): Record<string, unknown> {
  return part?.content?.["application/json"].examples ?? {};
}

function toFileName(operationId: string, status: string, index: number): string {
  return `${operationId}-${status}${index === 0 ? "" : `-${index + 1}`}.json`;
}
