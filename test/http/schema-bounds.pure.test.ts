// Every list and every free text of a request has a maximum, so that the work of checking it is bounded.

import { expect, test } from "vitest";
import type * as z from "zod";
import { routes } from "../../functions/routes.ts";
import { getMaxItems, getMaxLength, listInnerSchemas } from "../../lib/http/schema-limits.ts";

const endpoints = await Promise.all(Object.values(routes).map(async ({ load }) => (await load()).default));

/** Paths of the lists and texts without a maximum. */
function findUnbounded(schema: z.core.$ZodType, path: string): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const hasFormat = "format" in def || def.checks?.some((check) => check._zod.def.check === "string_format");
  // A length in code points is a refinement, which the metadata of the document name.
  const isRefined = (schema as z.ZodType).meta()?.maxLength !== undefined;
  const isBounded = isRefined || getMaxLength(schema) !== undefined || (def.type === "string" && hasFormat);
  const own = (def.type === "array" || def.type === "string") && !isBounded ? [`${path}: ${def.type}`] : [];
  const inner = def.type === "pipe" ? [] : listInnerSchemas(schema);
  // The checks of a pipe's input come before its transformation.
  const piped = def.type === "pipe" ? findUnbounded(def.in, path) : [];
  const names = def.type === "object" ? Object.keys(def.shape) : [];
  return [...own, ...piped, ...inner.flatMap((item, at) => findUnbounded(item, `${path}.${names[at] ?? def.type}`))];
}

test.each(endpoints.filter(({ spec }) => spec.body).map(({ id, spec }) => [id, spec.body] as const))(
  "%s bounds every list and text of its body",
  (_id, body) => {
    expect(findUnbounded(body, "body")).toEqual([]);
    expect(getMaxItems(body)).toBeLessThanOrEqual(20_000);
  },
);

test.each(endpoints.filter(({ spec }) => spec.query).map(({ id, spec }) => [id, spec.query] as const))(
  "%s bounds every text of its query",
  (_id, query) => {
    expect(findUnbounded(query, "query")).toEqual([]);
  },
);
