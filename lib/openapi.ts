// The OpenAPI 3.1 document, built from the declarations of the endpoints.
import * as z from "zod";
import type { AnySpec, Endpoint } from "./endpoint.ts";
import { type Code, STATUS_OF } from "./errors.ts";
import { takesKey } from "./idempotency.ts";
import { queryCode, queryCodes } from "./invalid.ts";
import { BASE_PATH } from "./paths.ts";

type Json = Record<string, unknown>;

const DOOR: Code[] = [
  "missing_token",
  "invalid_token",
  "revoked_token",
  "expired_token",
  "tier_not_allowed",
  "provider_unavailable",
  "internal_error",
];
const KEYED: Code[] = ["invalid_request", "idempotency_key_reused", "request_in_progress"];
const BODIED: Code[] = ["invalid_json", "invalid_payload", "payload_too_large"];

export function buildDocument(endpoints: Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  const components: Json = {};
  for (const { id, spec } of [...endpoints].sort((a, b) => a.id.localeCompare(b.id))) {
    const [method = "", path = ""] = spec.route.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(id, spec, components) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Partner API",
      version: "1",
      description:
        "Publishing and content work for one workspace or one owner. Every answer is an envelope: `ok`, `code`, `message`, and `data` on success or `error_code` on failure.",
    },
    servers: [{ url: BASE_PATH }],
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map(({ id }) => tagOf(id)))].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key, `<public_id>.<secret>`." },
      },
      headers: HEADERS,
      schemas: { ...components, Failure: FAILURE },
    },
  };
}

function tagOf(id: string): string {
  return id.split(".")[0] ?? id;
}

function operation(id: string, spec: AnySpec, components: Json): Json {
  const data = schemaOf(spec.reply, "output", components);
  const answers = [
    [spec.status ?? 200, spec.message] as const,
    ...(spec.also ? [[spec.also.status, spec.also.message] as const] : []),
  ];
  return {
    operationId: id,
    tags: [tagOf(id)],
    summary: spec.summary,
    ...(spec.description ? { description: spec.description } : {}),
    parameters: parametersOf(spec, components),
    ...(spec.body
      ? {
          requestBody: {
            // An empty body reads as no fields.
            required: !spec.body.safeParse({}).success,
            content: json(schemaOf(spec.body, "input", components)),
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(answers.map(([status, message]) => [status, answerOf(spec, status, message, data)])),
      ...failuresOf(spec),
    },
  };
}

function answerOf(spec: AnySpec, status: number, message: string, data: Json): Json {
  return {
    description: message,
    headers: headersOf(spec, takesKey(spec) ? ["Idempotent-Replayed"] : []),
    content: json({
      type: "object",
      required: ["ok", "code", "message", "data"],
      properties: { ok: { const: true }, code: { const: status }, message: { type: "string" }, data },
    }),
  };
}

const HEADERS: Record<string, Json> = {
  "X-Request-Id": { schema: { type: "string" } },
  "Idempotent-Replayed": {
    description: "On an answer that was given before to the same Idempotency-Key.",
    schema: { const: "true" },
  },
  "Retry-After": { description: "Seconds, as `retry_after_seconds`.", schema: { type: "integer" } },
  "RateLimit-Policy": { description: "The ceilings of this operation.", schema: { type: "string" } },
  RateLimit: { description: "What is left of each, and the seconds until it is whole.", schema: { type: "string" } },
};

function headersOf(spec: AnySpec, own: string[]): Json {
  const rated = spec.limits !== undefined || spec.tellsCeiling === true;
  const names = ["X-Request-Id", ...own, ...(rated ? ["RateLimit-Policy", "RateLimit"] : [])];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function parametersOf(spec: AnySpec, components: Json): Json[] {
  const path = Object.keys(spec.params ?? {}).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: spec.opaque?.includes(name) ? { type: "string" } : { type: "string", format: "uuid" },
  }));
  const query = spec.query
    ? (schemaOf(spec.query, "input", components) as { properties?: Json; required?: string[] })
    : {};
  const asked = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query.required?.includes(name) ?? false,
    schema,
  }));
  const key = {
    name: "Idempotency-Key",
    in: "header",
    required: spec.idempotent === "required",
    description: "The same key and body within 24 hours get the first answer again and do nothing twice.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  };
  return [...path, ...asked, ...(takesKey(spec) ? [key] : [])];
}

/** Every refusal that may come, by status: what the operation declares and what follows from its declaration. */
function failuresOf(spec: AnySpec): Json {
  const codes = new Set<Code>([...DOOR, "subscription_required", ...(spec.refuses ?? []), spec.failure]);
  for (const noun of Object.values<string>(spec.params ?? {})) codes.add(`missing_${noun}_id` as Code);
  if (spec.params) codes.add(spec.malformedId ?? "not_found");
  const takesAnyQuery = !spec.badQuery && spec.query?.safeParse({ unknown: "" }).success;
  for (const code of takesAnyQuery ? [] : queryCodes(spec.badQuery)) codes.add(code);
  if (takesKey(spec)) for (const code of KEYED) codes.add(code);
  if (takesKey(spec) || spec.body) for (const code of BODIED) codes.add(code);
  for (const code of Object.values<Code>(spec.badBody ?? {})) codes.add(code);
  if (spec.limits) codes.add("rate_limited");
  const byStatus = Map.groupBy(codes, (code) => statusIn(spec, code));
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, group]) => [
        status,
        {
          description: group.map((code) => `\`${code}\``).join(", "),
          headers: headersOf(spec, status === 429 || status === 503 ? ["Retry-After"] : []),
          content: json({ $ref: "#/components/schemas/Failure" }),
        },
      ]),
  );
}

/** Families of operations may answer a code with another status than the catalogue's. */
function statusIn({ absentPlan, badQuery, statuses }: AnySpec, code: Code): number {
  if (statuses?.[code]) return statuses[code];
  if (code === "subscription_required") return absentPlan ?? 402;
  const own = queryCode([], badQuery);
  return own.code === code && own.status ? own.status : STATUS_OF[code];
}

function json(schema: Json): Json {
  return { "application/json": { schema } };
}

/** Schemas with an id become components; everything that names them points there. */
function schemaOf(schema: z.ZodType, io: "input" | "output", components: Json): Json {
  const {
    $schema: _,
    $defs,
    ...own
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // The rim of what JSON numbers hold exactly says nothing, and examples are made from it.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // What goes through a transform would lose its default.
      const { def } = zodSchema._zod;
      if (io === "input" && def.type === "default") jsonSchema.default = def.defaultValue;
    },
  }) as Json & { $defs?: Record<string, Json> };
  const moved = JSON.parse(JSON.stringify({ own, $defs: $defs ?? {} }).replaceAll("#/$defs/", "#/components/schemas/"));
  Object.assign(components, moved.$defs);
  return moved.own;
}

const FAILURE = {
  type: "object",
  required: ["ok", "code", "message"],
  properties: {
    ok: { const: false },
    code: { type: "integer", description: "The HTTP status." },
    message: { type: "string" },
    error_code: { type: "string" },
    issues: {
      type: "object",
      properties: {
        formErrors: { type: "array", items: { type: "string" } },
        fieldErrors: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
      },
    },
    fields: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message", "code"],
        properties: { path: { type: "string" }, message: { type: "string" }, code: { type: "string" } },
      },
    },
    retry_after_seconds: { type: "integer" },
  },
} as const;
