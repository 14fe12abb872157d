// The served form of the OpenAPI document describes the same API as functions/openapi.json, in fewer bytes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compactDocument } from "../../functions/build/compact-document.ts";
import { listFacts } from "../check/openapi-facts.ts";

const full = JSON.parse(readFileSync(join(import.meta.dirname, "../../functions/openapi.json"), "utf8"));
const { document, examples } = compactDocument(full, "/docs/examples");

/**
 * The request id, which every answer has, and the rate limits of errors stand in the guides; the codes of unexpected
 * errors are those of the operation's family.
 */
const INTENDED = [
  /\/responses\/\d+\/headers\/X-Request-Id\//,
  /\/responses\/[45]\d\d\/headers\/(RateLimit|RateLimit-Policy)\//,
  /\/responses\/500\/.*\/error_code\/enum\//,
  /\/responses\/[45]\d\d\/.*\/allOf\/1\/type$/,
];

test("the served document differs from the full one only where it is meant to", () => {
  const [before, after] = [listFacts(full), listFacts(document)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path) && !INTENDED.some((pattern) => pattern.test(path)),
  );
  expect(changed).toEqual([]);
  expect(before.size).toBeGreaterThan(30_000);
});

test("the served document is small", () => {
  const bytes = Buffer.from(JSON.stringify(document));
  expect(bytes.length).toBeLessThan(275_000);
  expect(gzipSync(bytes).length).toBeLessThan(45_000);
});

test("every response that was recorded is a file, and every request stands in the document", () => {
  const text = JSON.stringify(document);
  for (const name of examples.keys()) expect(text).toContain(`"/docs/examples/${name}"`);
  const paths = Object.values(full.paths as Record<string, Record<string, Operation>>);
  const operations = paths.flatMap((methods) => Object.values(methods));
  const recorded = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content }) => Object.values(content?.["application/json"].examples ?? {})),
  );
  expect(examples.size).toBe(recorded.length);
});

interface Operation {
  responses: Record<string, { content?: { "application/json": { examples?: Record<string, unknown> } } }>;
}
