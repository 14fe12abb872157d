// The parts of the OpenAPI document that the reference page shows.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: Schema | boolean;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Content {
  "application/json": { schema: Schema; examples?: Record<string, { summary: string; value: unknown }> };
}

export interface Response {
  description: string;
  content: Content;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Response | { $ref: string }>;
  "x-permission"?: string;
}

export interface OpenApiDocument {
  info: { title: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  "x-tagGroups": { name: string; tags: string[] }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

export interface PlacedOperation extends Operation {
  method: string;
  path: string;
}

export function listOperations({ paths }: OpenApiDocument): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** The component that a reference names, or the value itself. */
export function resolve<Value extends object>({ components }: OpenApiDocument, value: Value | { $ref: string }): Value {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as Value;
  const [section = "", name = ""] = value.$ref.split("/").slice(-2);
  const { $ref: _, ...beside } = value;
  return { ...(components[section]?.[name] as Value), ...beside };
}

/** `posts.create` as part of an address. */
export function toAnchor(operationId: string): string {
  return operationId.replaceAll(".", "-");
}
