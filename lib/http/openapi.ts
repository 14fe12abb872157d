// The OpenAPI 3.1 document, built from the specs of the endpoints and the texts of the reference.
import { BASE_PATH, OAUTH_PATH, SUPPORT_CONTACT } from "../shared/paths.ts";
import { PERMISSION_WORDS } from "../shared/permission-words.ts";
import type { AnySpec, Endpoint } from "./endpoint-spec.ts";
import { supportsIdempotency } from "./idempotency.ts";
import { createSharedComponents, type Json, type SharedComponents, toPascalCase } from "./openapi-components.ts";
import type { Documentation } from "./openapi-documentation.ts";
import { buildErrorResponses, buildHeaders, ERROR_SCHEMA, HEADERS, SUCCESS_SCHEMA } from "./openapi-errors.ts";
import { buildWebhooks, type EventObjects } from "./openapi-events.ts";
import { describeParameter, listCommonSchemas, type SchemaComponents, toJsonSchema } from "./openapi-schemas.ts";
import { groupTags, sortByTag, toTagName } from "./openapi-tags.ts";
import { POLICIES } from "./rate-limits.ts";

interface Components extends SchemaComponents {
  shared: SharedComponents;
  /** The component of each schema of `data`, so that operations with the same one share it. */
  dataNames: Map<unknown, string>;
}

export function buildOpenApiDocument(
  endpoints: Endpoint[],
  documentation: Documentation,
  eventObjects: EventObjects,
): Json {
  const paths: Record<string, Json> = {};
  const components: Components = {
    schemas: listCommonSchemas(),
    shared: createSharedComponents(),
    dataNames: new Map(),
    documentation,
  };
  const sorted = sortByTag(endpoints, documentation);
  for (const { id, spec } of sorted) {
    const [method = "", path = ""] = spec.route.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: buildOperation(id, spec, components) };
  }
  const webhooks = buildWebhooks(eventObjects, components);
  const { parameters, responses } = components.shared.resolve();
  const tags = [...new Set(sorted.map(({ id }) => toTagName(id)))];
  return {
    openapi: "3.1.0",
    info: {
      title: "Partner API",
      version: "1",
      description: documentation.overview,
      contact: { name: SUPPORT_CONTACT },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: BASE_PATH, description: "The host that serves this document." }],
    security: [{ apiKey: [] }, { consent: [] }],
    tags: tags.map((name) => ({ name, description: documentation.fields.get("Tags")?.get(name) ?? name })),
    "x-tagGroups": groupTags(tags),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key, `<public_id>.<secret>`. A key has all permissions or a list of them; each operation names the one that it needs as `x-permission`.",
        },
        consent: {
          type: "oauth2",
          description:
            "The access token of a grant, `at_...`, that a person gave to an application: OAuth 2.1 with PKCE (S256). The scopes are the permissions.",
          flows: {
            authorizationCode: {
              authorizationUrl: `${OAUTH_PATH}/authorize`,
              tokenUrl: `${OAUTH_PATH}/token`,
              refreshUrl: `${OAUTH_PATH}/token`,
              scopes: PERMISSION_WORDS,
            },
          },
        },
      },
      parameters,
      headers: HEADERS,
      responses,
      schemas: { ...components.schemas, Success: SUCCESS_SCHEMA, Failure: ERROR_SCHEMA },
    },
  };
}

function buildOperation(id: string, spec: AnySpec, components: Components): Json {
  const { documentation } = components;
  const text = documentation.operations.get(id);
  const examples = documentation.examples[id] ?? [];
  const name = components.dataNames.get(spec.reply) ?? text?.reply ?? null;
  if (name) components.dataNames.set(spec.reply, name);
  const data = toJsonSchema(spec.reply, "output", components, name);
  const successes = [
    [spec.status ?? 200, spec.message] as const,
    ...(spec.alternateResponse ? [[spec.alternateResponse.status, spec.alternateResponse.message] as const] : []),
  ];
  const bodies = examples.filter(({ body }) => body !== undefined);
  return {
    operationId: id,
    tags: [toTagName(id)],
    summary: text?.title ?? spec.summary,
    ...describeOperation(spec, text?.text),
    ...(spec.auth === "public" ? { security: [] } : { "x-permission": spec.permission }),
    parameters: buildParameters(id, spec, components),
    ...(spec.body
      ? {
          requestBody: {
            // An empty body is read as `{}`.
            required: !spec.body.safeParse({}).success,
            content: toJsonContent(
              toJsonSchema(spec.body, "input", components, null),
              bodies.map(({ title, body }) => [title, body]),
            ),
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        successes.map(([status, message]) => {
          const shown = examples.filter((example) => example.status === status);
          return [status, buildSuccessResponse(spec, status, message, data, shown)];
        }),
      ),
      ...buildErrorResponses(spec, components.shared, documentation),
    },
  };
}

/** The words for windows, by their seconds. */
const WINDOWS: Record<number, string> = { 60: "a minute", 3600: "an hour", 86400: "a day" };

/** The description of the spec, the text of the reference, and each rate limit with its number. */
function describeOperation({ description, limits = [] }: AnySpec, text = ""): { description?: string } {
  const policies = limits.map((name) => {
    const { quota, windowSeconds, per } = POLICIES[name];
    const window = WINDOWS[windowSeconds] ?? `per ${windowSeconds} s`;
    return `\`${name}\` ${quota.toLocaleString("en")} ${window}${per === "everyone" ? " for all customers together" : ""}`;
  });
  const paragraphs = [
    description,
    text,
    policies.length > 0 ? `Rate limits of a customer: ${policies.join(", ")}.` : "",
  ].filter(Boolean);
  return paragraphs.length > 0 ? { description: paragraphs.join("\n\n") } : {};
}

function buildSuccessResponse(
  spec: AnySpec,
  status: number,
  message: string,
  data: Json,
  examples: { title: string; response: unknown }[],
): Json {
  const own = { type: "object", required: ["data"], properties: { code: { const: status }, data } };
  const envelope = { allOf: [{ $ref: "#/components/schemas/Success" }, own] };
  return {
    description: message,
    headers: buildHeaders(spec, supportsIdempotency(spec) ? ["Idempotent-Replayed"] : []),
    content: toJsonContent(
      envelope,
      examples.map(({ title, response }) => [title, response]),
    ),
  };
}

interface Parameter extends Json {
  name: string;
  in: string;
  required: boolean;
  schema: Json;
}

function buildParameters(id: string, spec: AnySpec, components: Components): Json[] {
  const { documentation } = components;
  const describe = (name: string, schema: Json) =>
    describeParameter(documentation, id, name, schema) as { schema: Json };
  const path = Object.entries<string>(spec.params ?? {}).map(([name, noun]) => ({
    name,
    in: "path",
    required: true,
    ...describe(
      name,
      spec.nonUuidParams?.includes(name)
        ? { type: "string", description: `Id of the ${noun}.` }
        : { type: "string", format: "uuid", description: `Id of the ${noun}.` },
    ),
  }));
  const query = spec.query
    ? (toJsonSchema(spec.query, "input", components, null) as {
        properties?: Record<string, Json>;
        required?: string[];
      })
    : {};
  const queryParameters = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query.required?.includes(name) ?? false,
    ...describe(name, schema),
  }));
  const idempotencyKey = {
    name: "Idempotency-Key",
    in: "header",
    required: spec.idempotent === "required",
    description:
      "1 to 255 visible characters, such as a UUID. A request with the same key and body within 24 hours returns the first response again and has no further effect.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  };
  const parameters: Parameter[] = [...path, ...queryParameters, ...(supportsIdempotency(spec) ? [idempotencyKey] : [])];
  return parameters.map((parameter) => components.shared.add("parameters", nameParameter(parameter), parameter));
}

/** `Limit`, or `LimitDefault20` beside a `Limit` with another default; `RequiredIdempotencyKey` likewise. */
function nameParameter(parameter: Parameter): string[] {
  const { required, schema } = parameter;
  const name = toPascalCase(parameter.name);
  return [
    name,
    ...(schema.default === undefined ? [] : [`${name}Default${toPascalCase(String(schema.default))}`]),
    ...(required && parameter.in !== "path" ? [`Required${name}`] : []),
  ];
}

function toJsonContent(schema: Json, examples: (readonly [title: string, value: unknown])[]): Json {
  const named = examples.map(([title, value]) => [
    toPascalCase(title.replaceAll(/\W+/g, "-")),
    { summary: title, value },
  ]);
  return {
    "application/json": { schema, ...(named.length > 0 ? { examples: Object.fromEntries(named) } : {}) },
  };
}
