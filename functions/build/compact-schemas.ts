// The schemas of the served OpenAPI document: what several of them have in common becomes a component.
import { toPascalCase } from "../../lib/http/openapi-components.ts";
import { nameFreely, toReference } from "./compact-names.ts";
import { shareTypes } from "./compact-types.ts";

type Json = Record<string, unknown>;
type Schemas = Record<string, Json>;

interface ObjectSchema extends Json {
  properties: Schemas;
  required?: string[];
}

/** Below this saving in bytes, a repeated schema reads better where it is. */
const LEAST_SAVING = 10;

const PAGE = ["total", "limit", "offset", "next_cursor"];

export function shareSchemas({ paths, components }: Json): void {
  const { schemas, parameters } = components as { schemas: Schemas; parameters: Schemas };
  const operations = Object.values(paths as Record<string, Schemas>).flatMap((item) => Object.values(item));
  const inline = operations.map((operation) => operation.parameters ?? (Array.isArray(operation) ? operation : []));
  const requests = [parameters, inline, operations.map((operation) => operation.requestBody)];
  const received = collectReferences(requests, schemas);
  const answers = Object.keys(schemas).filter((name) => !received.has(name));
  // Answers may gain fields at any time.
  for (const name of answers) openObjects(schemas[name]);
  dropImpliedTypes([schemas, parameters, inline]);
  mergeEqual(schemas, answers, [paths, components]);
  addPage(schemas);
  composeAnswers(schemas, answers);
  shareFields(schemas);
  shareTypes(schemas, [parameters, inline]);
  mergeOnlyUses(schemas, [paths, components]);
}

/** A component that only describes another one, which nothing else refers to, becomes that. */
function mergeOnlyUses(schemas: Schemas, document: unknown): void {
  const replaced = new Map<string, string>();
  const uses = JSON.stringify(document).match(/(?<="#\/components\/schemas\/)[^"]+/g) ?? [];
  for (const [name, schema] of Object.entries(schemas)) {
    const { description, $ref, ...others } = schema as { description?: string; $ref?: string };
    const target = $ref?.split("/").at(-1) ?? "";
    if (!$ref || Object.keys(others).length > 0 || uses.filter((use) => use === target).length > 1) continue;
    schemas[target] = { ...schemas[target], ...(description ? { description } : {}) };
    delete schemas[name];
    replaced.set(toReference(name), toReference(target));
  }
  replaceReferences(document, replaced);
}

/** The names of all schemas that `value` refers to, directly or not. */
function collectReferences(value: unknown, schemas: Schemas, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    const name =
      key === "$ref" && typeof inner === "string" ? /^#\/components\/schemas\/(.+)$/.exec(inner)?.[1] : undefined;
    if (name && !found.has(name)) collectReferences(schemas[name], schemas, found.add(name));
    else collectReferences(inner, schemas, found);
  }
  return found;
}

function openObjects(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const schema = value as Json;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  for (const inner of Object.values(schema)) openObjects(inner);
}

/** Listed values have a type, what has fields is an object, and the keys of an object are strings. */
function dropImpliedTypes(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const schema = value as Json;
  if (schema.type === "object" && isObject(schema)) delete (schema as Json).type;
  if ((Array.isArray(schema.enum) || "const" in schema) && typeof schema.type === "string") delete schema.type;
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  for (const inner of Object.values(schema)) dropImpliedTypes(inner);
}

/** Of answers with the same fields, the first stays. */
function mergeEqual(schemas: Schemas, answers: string[], document: unknown): void {
  const first = new Map<string, string>();
  const replaced = new Map<string, string>();
  for (const name of answers) {
    const json = JSON.stringify(schemas[name]);
    const kept = first.get(json) ?? name;
    first.set(json, kept);
    if (kept === name) continue;
    replaced.set(toReference(name), toReference(kept));
    delete schemas[name];
  }
  replaceReferences(document, replaced);
}

function replaceReferences(value: unknown, replaced: Map<string, string>): void {
  if (typeof value !== "object" || value === null) return;
  const kept = replaced.get(String((value as Json).$ref));
  if (kept) (value as Json).$ref = kept;
  for (const inner of Object.values(value)) replaceReferences(inner, replaced);
}

/** The part that all lists have. */
function addPage(schemas: Schemas): void {
  const list = Object.values(schemas).find(
    (schema) => isObject(schema) && PAGE.every((name) => schema.properties[name]),
  );
  if (!list || !isObject(list)) return;
  const properties = Object.fromEntries(PAGE.map((name) => [name, list.properties[name] as Json]));
  schemas.Page = { properties, required: PAGE };
}

function isObject(schema: Json | undefined): schema is ObjectSchema {
  return schema?.properties !== undefined;
}

/** An object of an answer that has all fields of another answer refers to that, and lists only what it adds. */
function composeAnswers(schemas: Schemas, answers: string[]): void {
  const bases = [...answers, "Page"]
    .flatMap((name) => {
      const schema = schemas[name];
      return isObject(schema) ? [{ name, schema: structuredClone(schema) }] : [];
    })
    .toSorted((a, b) => JSON.stringify(b.schema).length - JSON.stringify(a.schema).length);
  for (const name of answers) compose(schemas[name]);

  function compose(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const schema = value as Json;
    const base = isObject(schema) && bases.find((other) => extendsAnswer(schema, other.schema));
    if (base) extendBase(schema as ObjectSchema, base.name, base.schema);
    for (const inner of Object.values(schema)) compose(inner);
  }
}

/** Changes `schema` in place. */
function extendBase(schema: ObjectSchema, name: string, base: ObjectSchema): void {
  const { properties, required = [] } = schema;
  const added = required.filter((field) => !base.required?.includes(field));
  for (const keyword of ["properties", "required"]) delete (schema as Json)[keyword];
  (schema as Json).allOf = [
    { $ref: toReference(name) },
    {
      properties: Object.fromEntries(Object.entries(properties).filter(([field]) => !base.properties[field])),
      ...(added.length > 0 ? { required: added } : {}),
    },
  ];
}

function extendsAnswer(schema: ObjectSchema, base: ObjectSchema): boolean {
  const fields = Object.keys(base.properties);
  return (
    fields.length > 1 &&
    fields.length < Object.keys(schema.properties).length &&
    fields.every(
      (name) =>
        JSON.stringify(base.properties[name]) === JSON.stringify(schema.properties[name]) &&
        base.required?.includes(name) === schema.required?.includes(name),
    )
  );
}

/** Fields that several schemas have with the same schema and description become components, the largest saving first. */
function shareFields(schemas: Record<string, Json>): void {
  for (const { name, value, owners } of listRepeatedFields(schemas)) {
    const component = nameFreely(toPascalCase(name), schemas);
    schemas[component] = value;
    for (const properties of owners) properties[name] = { $ref: toReference(component) };
  }
}

interface RepeatedField {
  name: string;
  value: Json;
  /** The `properties` that hold it. */
  owners: Json[];
}

function listRepeatedFields(schemas: Record<string, Json>): RepeatedField[] {
  const fields = new Map<string, RepeatedField>();
  visit(schemas);
  return [...fields.values()].filter((field) => savingOf(field) >= LEAST_SAVING);

  /** Fields inside of a repeated field move with it. */
  function visit(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const { properties } = value as { properties?: Record<string, Json> };
    if (properties && typeof properties === "object") {
      for (const [name, schema] of Object.entries(properties)) {
        const key = `${name} ${JSON.stringify(schema)}`;
        const field = fields.get(key) ?? { name, value: schema, owners: [] };
        fields.set(key, field);
        field.owners.push(properties);
        if (field.owners.length === 1) visit(schema);
      }
    }
    for (const [key, inner] of Object.entries(value)) if (key !== "properties") visit(inner);
  }
}

function savingOf({ name, value, owners }: RepeatedField): number {
  const size = JSON.stringify(value).length;
  const reference = `{"$ref":"#/components/schemas/${name}"}`.length;
  return size * owners.length - (reference * owners.length + size + name.length + 4);
}
