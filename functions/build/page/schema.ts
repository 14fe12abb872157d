// The fields of a schema as nested lists, with their bounds in words.
import { type OpenApiDocument, resolve, type Schema } from "./document.ts";
import { escapeHtml, renderInline } from "./markdown.ts";

/** Deeper fields are in the component's own place, or in the examples. */
const MAX_DEPTH = 5;

export function renderFields(document: OpenApiDocument, schema: Schema, depth = 0): string {
  const { properties = {}, required = [] } = mergeObject(document, schema);
  const rows = Object.entries(properties).map(([name, property]) =>
    renderField(document, name, property, required.includes(name), depth),
  );
  return rows.length > 0 ? `<ul class="fields">${rows.join("")}</ul>` : "";
}

export function renderField(
  document: OpenApiDocument,
  name: string,
  property: Schema,
  required: boolean,
  depth: number,
): string {
  const { description = "", deprecated } = resolve(document, property);
  const inner = depth < MAX_DEPTH ? renderFields(document, findObject(document, property), depth + 1) : "";
  const marks = [
    required ? '<b class="required">required</b>' : "",
    deprecated ? '<b class="deprecated">deprecated</b>' : "",
  ].join("");
  const fold = inner ? `<details><summary>Fields of ${escapeHtml(name)}</summary>${inner}</details>` : "";
  return `<li><code class="name">${escapeHtml(name)}</code> <span class="type">${escapeHtml(describeType(document, property))}</span> ${marks}<p>${renderInline(description)}${describeBounds(document, property)}</p>${fold}</li>`;
}

/** The object that a field holds: itself, as items, as values, or beside null; several kinds are merged. */
function findObject(document: OpenApiDocument, schema: Schema): Schema {
  const own = resolve(document, schema);
  if (own.items) return findObject(document, own.items);
  const kinds = (own.anyOf ?? own.oneOf ?? []).map((kind) => findObject(document, kind));
  if (kinds.length > 0) return { properties: mergeProperties(kinds) };
  if (!own.properties && typeof own.additionalProperties === "object")
    return findObject(document, own.additionalProperties);
  return own;
}

/** The fields of all kinds; one that several have is shown once, with the values of all. */
function mergeProperties(kinds: Schema[]): Record<string, Schema> {
  const fields = kinds.flatMap(({ properties = {} }) => Object.entries(properties));
  const named = Map.groupBy(fields, ([name]) => name);
  return Object.fromEntries([...named].map(([name, same]) => [name, mergeField(same.map(([, schema]) => schema))]));
}

function mergeField(kinds: Schema[]): Schema {
  const [last = {}] = kinds.slice(-1);
  if (kinds.every((kind) => JSON.stringify(kind) === JSON.stringify(last))) return last;
  if (kinds.every((kind) => kind.enum)) return { ...last, enum: kinds.flatMap((kind) => kind.enum ?? []) };
  if (kinds.every((kind) => kind.properties)) return { ...last, properties: mergeProperties(kinds) };
  const isRecord = kinds.every((kind) => kind.$ref);
  // The fields of each record are in the place of its own read.
  return isRecord ? { type: "object", description: last.description ?? "" } : last;
}

function mergeObject(document: OpenApiDocument, schema: Schema): Schema {
  const own = resolve(document, schema);
  const parts = (own.allOf ?? []).map((part) => mergeObject(document, part));
  if (parts.length === 0) return own.properties ? own : findObject(document, own);
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function describeType(document: OpenApiDocument, schema: Schema): string {
  const own = resolve(document, schema);
  const kinds = own.anyOf ?? own.oneOf;
  if (kinds) return [...new Set(kinds.map((kind) => describeType(document, kind)))].join(" or ");
  if (own.items) return `array of ${describeType(document, own.items)}`;
  if (own.const !== undefined) return JSON.stringify(own.const);
  const type = [own.type ?? (own.properties ? "object" : own.enum ? "string" : "any")].flat().join(" or ");
  return own.format ? `${type} (${own.format})` : type;
}

/** Values and bounds that JSON Schema has, in words. */
function describeBounds(document: OpenApiDocument, schema: Schema): string {
  const own = resolve(document, schema);
  const inner = own.anyOf?.map((kind) => resolve(document, kind)).find(({ type }) => type !== "null") ?? own;
  const { enum: values, default: fallback, minimum, maximum, maxLength, maxItems } = inner;
  const parts = [
    values ? ` One of ${values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(", ")}.` : "",
    minimum !== undefined && maximum !== undefined ? ` ${minimum} to ${maximum}.` : "",
    maxLength ? ` At most ${maxLength.toLocaleString("en")} characters.` : "",
    maxItems ? ` At most ${maxItems.toLocaleString("en")} entries.` : "",
    fallback !== undefined && typeof fallback !== "object"
      ? ` Default: <code>${escapeHtml(String(fallback))}</code>.`
      : "",
  ];
  const said = own.description ?? "";
  // A value that the description names is not repeated; a range or a maximum is not a default.
  const bounded = /\d+ to \d|[Aa]t most|Default/.test(said);
  return parts
    .filter((part) => !(/ to |At most/.test(part) && bounded) && !(/Default/.test(part) && /Default/.test(said)))
    .join("");
}
