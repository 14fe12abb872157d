// Limits of the size of values, derived from their Zod schema.
import type * as z from "zod";

/** As many fields as `findJsonErrors` allows an object. */
const MAX_RECORD_FIELDS = 200;

/** The schemas directly inside a schema: of a list its items, of an object its fields, of a wrapper what it wraps. */
export function listInnerSchemas(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "array":
      return [def.element];
    case "object":
      return Object.values(def.shape);
    case "record":
      return [def.keyType, def.valueType];
    case "union":
      return [...def.options];
    case "pipe":
      return [def.in, def.out];
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
    case "catch":
    case "nonoptional":
      return [def.innerType];
    default:
      return [];
  }
}

/** The maximum of a list or text; undefined when it has none. */
export function getMaxLength(schema: z.core.$ZodType): number | undefined {
  for (const check of schema._zod.def.checks ?? []) {
    const def = check._zod.def as z.core.$ZodChecks["_zod"]["def"];
    if (def.check === "max_length") return def.maximum;
    if (def.check === "length_equals") return def.length;
  }
  return undefined;
}

/** The most values that a valid body has: objects, lists and texts together. Free JSON counts as a thousand. */
export function getMaxValues(schema: z.core.$ZodType): number {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const inner = listInnerSchemas(schema).map(getMaxValues);
  if (def.type === "array") return 1 + (getMaxLength(schema) ?? 0) * (inner[0] ?? 1);
  if (def.type === "object") return 1 + inner.reduce((sum, count) => sum + count, 0);
  if (def.type === "record") return 1 + MAX_RECORD_FIELDS * (inner[1] ?? 1);
  if (def.type === "unknown" || def.type === "any") return 1_000;
  return Math.max(1, ...inner);
}

/** The most items that any list in the schema may have. */
export function getMaxItems(schema: z.core.$ZodType): number {
  const own = schema._zod.def.type === "array" ? (getMaxLength(schema) ?? 0) : 0;
  return Math.max(own, ...listInnerSchemas(schema).map(getMaxItems));
}
