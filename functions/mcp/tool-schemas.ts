// The schemas of tools, from those of their endpoints: short enough that twenty fit beside the rest of a model's context.
import * as z from "zod";
import type { AnySpec } from "../../lib/http/endpoint-spec.ts";
import { supportsIdempotency } from "../../lib/http/idempotency.ts";
import { ARGUMENTS } from "./argument-descriptions.ts";
import type { Tool } from "./tools.ts";

type Json = Record<string, unknown>;

/** An object, as MCP requires it. */
export interface ObjectSchema extends Json {
  type: "object";
  properties: Record<string, Json>;
}

const IDEMPOTENCY_KEY = "idempotency_key";

/** The depth of the schema of a result: a model reads the result itself. */
const OUTPUT_DEPTH = 2;

/** `postId` of a path is `post_id` of a tool. */
export const toArgumentName = (parameter: string) => parameter.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

export function buildInputSchema(tool: Tool, spec: AnySpec): ObjectSchema {
  const sent: z.ZodType = spec.body ?? spec.query ?? z.object({});
  const { definitions, schema } = toJsonSchema(sent, "input");
  const { properties, required = [] } = compactInput(schema, "") as Partial<ObjectSchema> & { required?: string[] };
  const ids = Object.entries<string>(spec.params ?? {}).map(([name, noun]) => [toArgumentName(name), noun] as const);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(ids.map(([name]) => [name, { type: "string", ...describe(name) }])),
      ...properties,
      ...(supportsIdempotency(spec) ? { [IDEMPOTENCY_KEY]: { type: "string", ...describe(IDEMPOTENCY_KEY) } } : {}),
    },
    required: [...ids.map(([name]) => name), ...required],
    additionalProperties: false,
  };

  function describe(path: string): Json {
    const description = tool.described?.[path] ?? ARGUMENTS[path];
    return description ? { description } : {};
  }

  function compactInput(given: Json, path: string): Json {
    const resolved = resolve(given, definitions);
    const { properties, required, items, anyOf, oneOf } = resolved as Schema;
    const branches = (anyOf ?? oneOf)?.map((branch) => compactInput(branch, path));
    if (branches) return joinBranches(branches);
    const fields = Object.entries(properties ?? {}).filter(([name]) => !tool.omitted?.includes(name));
    const describeField = ([name, property]: [string, Json]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return [name, { ...describe(at), ...(tool.replaced?.[at] ?? compactInput(property, at)) }];
    };
    const needed = required?.filter((name) => !tool.omitted?.includes(name)) ?? [];
    return {
      ...pickKeywords(resolved),
      ...(items ? { items: compactInput(items, path) } : {}),
      ...(properties ? { properties: Object.fromEntries(fields.map(describeField)) } : {}),
      ...(needed.length > 0 ? { required: needed } : {}),
    };
  }
}

export function buildOutputSchema(spec: AnySpec): ObjectSchema {
  const { definitions, schema } = toJsonSchema(spec.reply, "output");
  return { ...(compactOutput(schema, 0) as Json), type: "object" } as ObjectSchema;

  /** Names and types; what may be null, or is one of several things, has a name alone. */
  function compactOutput(given: Json, depth: number): Json {
    const { type, properties, items, anyOf, oneOf } = resolve(given, definitions) as Schema;
    if (anyOf || oneOf || Array.isArray(type)) return {};
    const isDeep = depth === OUTPUT_DEPTH;
    if (items) return { type, ...(isDeep ? {} : { items: compactOutput(items, depth) }) };
    if (!properties || isDeep) return type ? { type } : {};
    const fields = Object.entries(properties).map(([name, property]) => [name, compactOutput(property, depth + 1)]);
    return { type, properties: Object.fromEntries(fields) };
  }
}

interface Schema {
  type?: string | string[];
  properties?: Record<string, Json>;
  required?: string[];
  items?: Json;
  anyOf?: Json[];
  oneOf?: Json[];
  enum?: unknown[];
}

function toJsonSchema(schema: z.ZodType, io: "input" | "output") {
  const { $defs = {}, ...own } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json & {
    $defs?: Record<string, Json>;
  };
  return { definitions: $defs, schema: own as Json };
}

function resolve(schema: Json, definitions: Record<string, Json>): Json {
  const { $ref, ...own } = schema;
  const name = typeof $ref === "string" ? $ref.replace("#/$defs/", "") : null;
  const found = name === null ? schema : { ...definitions[name], ...own };
  const bounds = found as { minimum?: number; maximum?: number };
  if (bounds.minimum === Number.MIN_SAFE_INTEGER) delete bounds.minimum;
  if (bounds.maximum === Number.MAX_SAFE_INTEGER) delete bounds.maximum;
  return found;
}

/** Null is a second type of what stands beside it; a list of objects and null stays a list. */
function joinBranches(branches: Json[]): Json {
  const flat = branches.flatMap(({ anyOf, ...branch }) => (anyOf as Json[] | undefined) ?? [branch]);
  const [only, ...more] = flat.filter(({ type }) => type !== "null");
  if (!only || more.length > 0 || typeof only.type !== "string") return { anyOf: flat };
  const { type, enum: values, ...rest } = only as Schema & Json;
  return { type: [type, "null"], ...(values ? { enum: [...values, null] } : {}), ...rest };
}

/** Longer texts are limited by what each network accepts. */
const LONGEST_NAMED = 2_000;

/** The keywords that stay as they are; a constant needs no type. */
function pickKeywords(schema: Json): Json {
  const kind = schema.const === undefined ? ["type", "enum"] : ["const"];
  const names = [...kind, "minimum", "maximum", "maxLength", "minItems", "maxItems", "default"];
  const isNamed = (name: string) =>
    schema[name] !== undefined && !(name === "maxLength" && Number(schema[name]) > LONGEST_NAMED);
  return Object.fromEntries(names.filter(isNamed).map((name) => [name, schema[name]]));
}
