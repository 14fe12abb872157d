// The OpenAPI 3.1 document, built from the declarations of the endpoints.
import * as z from "zod";
import type { AnySpec, Endpoint } from "./endpoint.ts";
import { type Code, STATUS_OF } from "./errors.ts";
import { queryCode } from "./invalid.ts";
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
      schemas: { ...components, Failure: FAILURE },
    },
  };
}

function tagOf(id: string): string {
  return id.split(".")[0] ?? id;
}

function operation(id: string, spec: AnySpec, components: Json): Json {
  const status = spec.status ?? 200;
  return {
    operationId: id,
    tags: [tagOf(id)],
    summary: spec.summary,
    ...(spec.description ? { description: spec.description } : {}),
    parameters: parametersOf(spec, components),
    ...(spec.body
      ? {
          requestBody: {
            required: !spec.body.safeParse({}).success,
            content: json(schemaOf(spec.body, "input", components)),
          },
        }
      : {}),
    responses: {
      [status]: {
        description: spec.message,
        headers: { "X-Request-Id": { schema: { type: "string" } } },
        content: json({
          type: "object",
          required: ["ok", "code", "message", "data"],
          properties: {
            ok: { const: true },
            code: { const: status },
            message: { type: "string" },
            data: schemaOf(spec.reply, "output", components),
          },
        }),
      },
      ...failuresOf(spec),
    },
  };
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
  return [...path, ...asked, ...(/^(POST|PATCH) /.test(spec.route) ? [key] : [])];
}

/** Every refusal that may come, by status: what the operation declares and what follows from its declaration. */
function failuresOf(spec: AnySpec): Json {
  const codes = new Set<Code>([...DOOR, "subscription_required", ...(spec.refuses ?? []), spec.failure]);
  for (const noun of Object.values<string>(spec.params ?? {})) codes.add(`missing_${noun}_id` as Code);
  if (Object.keys(spec.params ?? {}).length > (spec.opaque?.length ?? 0)) codes.add(spec.malformedId ?? "not_found");
  for (const code of queryCodes(spec)) codes.add(code);
  const takesKey = /^(POST|PATCH) /.test(spec.route);
  if (takesKey) for (const code of KEYED) codes.add(code);
  if (takesKey || spec.body) for (const code of BODIED) codes.add(code);
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
          content: json({ $ref: "#/components/schemas/Failure" }),
        },
      ]),
  );
}

/** What a bad query answers: an unknown name, unless they are ignored, and the parameters with a code of their own. */
function queryCodes({ query, badQuery }: AnySpec): Code[] {
  const own = typeof badQuery === "object" && !("status" in badQuery) ? Object.values<Code>(badQuery) : [];
  const strict = !query?.safeParse({ "no such parameter": "" }).success;
  return strict ? [queryCode([], badQuery).code, ...own] : own;
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
