// The schemas of the OpenAPI document: components by name, and a description for each field.
import * as z from "zod";
import { POST_CODES, RULE_CODES, SCHEMA_CODES, WARNING_CODES } from "../shared/field-codes.ts";
import { PLATFORMS } from "../shared/platforms.ts";
import type { Json } from "./openapi-components.ts";
import { type Documentation, describeField } from "./openapi-documentation.ts";

const ID = {
  type: "string",
  format: "uuid",
  pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  description: "A UUID in lower case.",
  examples: ["0198f1c2-6d1e-7b3a-9c55-2f0a4be1d7c3"],
};
const INSTANT = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
  description: "An instant in UTC with milliseconds.",
  examples: ["2026-11-24T18:00:00.000Z"],
};

const FIELD_CODE = {
  type: "string",
  description: "What is wrong with a field; codes may be added.",
  enum: [...SCHEMA_CODES, ...RULE_CODES, ...POST_CODES].toSorted(),
};

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const orNull = (schema: Json) => ({ anyOf: [schema, { type: "null" }] });

/** The schemas of fields that the service stores as they were sent, and so validates only in requests. */
const MIRRORED_FIELDS: Record<string, Json> = {
  media: orNull(reference("PostMedia")),
  tiktok: orNull(reference("TikTokSettings")),
  pinterest: orNull(reference("PinterestSettings")),
  metadata: {
    type: "object",
    properties: { source: { const: "partner_api", description: "Where the post was created." } },
    additionalProperties: true,
  },
};

const POSTS = ["Post", "PostCreated", "PostPrepared", "PostUpdated", "PostApproved"];

/** By component and field, where the schema of the endpoint is wider than what it returns. */
const NARROWED_FIELDS: Record<string, Json> = {
  ...Object.fromEntries(
    POSTS.flatMap((post) => Object.entries(MIRRORED_FIELDS).map(([field, schema]) => [`${post}.${field}`, schema])),
  ),
  "Account.platform": { type: "string", enum: [...PLATFORMS] },
  "Account.status": { type: "string", enum: ["active", "paused", "disconnected", "revoked"] },
  "TrendBrief.platform": { const: "tiktok" },
  "PostCheck.problems.code": reference("FieldCode"),
  "FitEntry.problems.code": reference("FieldCode"),
  "PostWarning.code": { type: "string", enum: [...WARNING_CODES].toSorted() },
  "PostRetried.warnings.code": { const: "outcome_unknown" },
};

const SETTINGS = {
  x: "XSettings",
  twitter: "XSettings",
  youtube: "YouTubeSettings",
  instagram: "InstagramSettings",
  "instagram-standalone": "InstagramSettings",
  threads: "ThreadsSettings",
  facebook: "FacebookSettings",
  bluesky: "BlueskySettings",
  linkedin: "LinkedInSettings",
  "linkedin-page": "LinkedInSettings",
};
const SLIDE_PARTS = {
  text_elements: "TextElement",
  background_filters: "BackgroundFilters",
  image_overlays: "ImageOverlay",
};

const HINTS = { metadata: "MediaHints" };

/** Inline objects that occur more than once, by component and field, and the component that each becomes. */
const EXTRACTED_FIELDS: Record<string, string> = {
  ...prefixKeys("PostCreate.settings", SETTINGS),
  ...prefixKeys("PostPatch.settings", SETTINGS),
  ...prefixKeys("Slide", SLIDE_PARTS),
  ...prefixKeys("SlideShown", SLIDE_PARTS),
  ...prefixKeys("EditorProjectPatch", { clips: "EditorClip", text_clips: "EditorTextClip" }),
  ...Object.fromEntries(
    ["publishedVideos", "activeAccounts", "views", "likes", "comments", "shares", "saves", "engagementRate"].map(
      (name) => [`AnalyticsSummary.kpis.${name}`, "Kpi"],
    ),
  ),
  ...prefixKeys("PostMedia", HINTS),
  ...prefixKeys("UploadStart", HINTS),
  ...prefixKeys("MultipartStart", HINTS),
};

function prefixKeys(prefix: string, names: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([key, name]) => [`${prefix}.${key}`, name]));
}

export interface SchemaComponents {
  /** By name. */
  schemas: Record<string, Json>;
  documentation: Documentation;
}

/** A schema with an id becomes a component, as does one that `name` is given for. */
export function toJsonSchema(
  schema: z.ZodType,
  io: "input" | "output",
  components: SchemaComponents,
  name: string | null,
): Json {
  const {
    $schema: _,
    $defs,
    ...own
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // Zod's bounds of safe integers carry no information, and examples would be generated from them.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // A format says what Zod's pattern of dates says, and patterns mean nothing for numbers.
      if (jsonSchema.format === "date" || jsonSchema.type === "integer") delete jsonSchema.pattern;
      // Zod drops the default of a schema that has a transform.
      const { def } = zodSchema._zod;
      if (io === "input" && def.type === "default") jsonSchema.default = def.defaultValue;
    },
  }) as Json & { $defs?: Record<string, Json> };
  const moved = JSON.parse(JSON.stringify({ own, $defs: $defs ?? {} }).replaceAll("#/$defs/", "#/components/schemas/"));
  for (const [id, definition] of Object.entries<Json>(moved.$defs)) {
    components.schemas[id] = finish(definition, id, components);
  }
  if (name === null || "$ref" in moved.own) return finish(moved.own, "", components);
  components.schemas[name] = finish(moved.own, name, components);
  return reference(name);
}

/** The components that every document has. */
export function listCommonSchemas(): Record<string, Json> {
  return { Id: ID, Instant: INSTANT, FieldCode: FIELD_CODE };
}

function finish(schema: Json, component: string, components: SchemaComponents): Json {
  const shared = shareCommonSchemas(schema) as Json;
  return describeFields(nameKeys(shared, component, components), component, "", components);
}

/** A record with one entry per network gets one property per network, which validators and generators understand. */
function nameKeys(schema: Json, component: string, components: SchemaComponents): Json {
  const { propertyNames, additionalProperties, ...rest } = schema as {
    propertyNames?: { enum?: string[] };
    additionalProperties?: Json;
    required?: string[];
  };
  if (!propertyNames?.enum || !rest.required || !additionalProperties) return schema;
  const name = `${component}Entry`;
  components.schemas[name] = describeFields(additionalProperties, name, "", components);
  const properties = propertyNames.enum.map((key) => [key, { ...reference(name), description: `For ${key}.` }]);
  return { ...rest, properties: Object.fromEntries(properties), additionalProperties: false };
}

/** Refers to `Id` and `Instant` instead of repeating their patterns. */
function shareCommonSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shareCommonSchemas);
  if (typeof value !== "object" || value === null) return value;
  const { type, format, pattern, ...others } = value as Json;
  const common = type === "string" && typeof pattern === "string" && (COMMON_BY_FORMAT[String(format)] ?? null);
  if (common) return { ...reference(common), ...others };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shareCommonSchemas(item)]));
}

const COMMON_BY_FORMAT: Record<string, string> = { uuid: "Id", "date-time": "Instant" };

/** Gives each property its description, and marks aliases as deprecated. `path` leads from the component. */
function describeFields(schema: Json, component: string, path: string, components: SchemaComponents): Json {
  const { properties, items, anyOf, oneOf, additionalProperties } = schema as {
    properties?: Record<string, Json>;
    items?: Json;
    anyOf?: Json[];
    oneOf?: Json[];
    additionalProperties?: Json | boolean;
  };
  const descend = (inner: Json) => describeFields(inner, component, path, components);
  const describe = ([name, property]: [string, Json]) => {
    const inner = path === "" ? name : `${path}.${name}`;
    return [name, describeProperty(property, component, inner, components)];
  };
  return {
    ...schema,
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(describe)) } : {}),
    ...(items ? { items: descend(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(descend) } : {}),
    ...(oneOf ? { oneOf: oneOf.map(descend) } : {}),
    ...(typeof additionalProperties === "object" ? { additionalProperties: descend(additionalProperties) } : {}),
  };
}

function describeProperty(property: Json, component: string, path: string, components: SchemaComponents): Json {
  const field = `${component}.${path}`;
  const extracted = EXTRACTED_FIELDS[field];
  const { description: own, ...rest } =
    NARROWED_FIELDS[field] || !extracted
      ? describeFields(property, component, path, components)
      : extractComponent(property, extracted, components);
  const description = describeField(components.documentation, component, path, (own ?? property.description) as string);
  return {
    ...(description ? { description } : {}),
    ...(description && /^Alias of /.test(description) ? { deprecated: true } : {}),
    ...(NARROWED_FIELDS[field] ?? rest),
  };
}

/** Replaces an object by a reference: as it is, as the items of an array, or beside null. */
function extractComponent(property: Json, name: string, components: SchemaComponents): Json {
  const { items, anyOf } = property as { items?: Json; anyOf?: Json[] };
  const object = items ?? anyOf?.find(({ type }) => type === "object") ?? property;
  const { description: _, ...schema } = object;
  components.schemas[name] ??= describeFields(schema, name, "", components);
  if (items) return { ...property, items: reference(name) };
  return anyOf ? orNull(reference(name)) : reference(name);
}

/** Describes a parameter like a field of its operation. */
export function describeParameter(documentation: Documentation, operation: string, name: string, schema: Json): Json {
  const { description: own, ...rest } = schema;
  const description = describeField(documentation, operation, name, own as string | undefined);
  return { ...(description ? { description } : {}), schema: rest };
}
