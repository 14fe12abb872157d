// Lists the facts of an OpenAPI document, without its wording and the names of its components.
type Json = Record<string, unknown>;

/** Keywords that hold wording. Below the keywords of NAME_MAPS, they are names of fields. */
const WORDING = new Set(["description", "summary", "title", "example", "examples"]);
/** Keywords whose keys are chosen by the author of the document. */
const NAME_MAPS = new Set([
  "properties",
  "patternProperties",
  "paths",
  "responses",
  "headers",
  "content",
  "parameters",
]);
/** Lists without an order. */
const SETS = new Set(["required", "enum", "tags", "type"]);

/** Each fact as a path to a value; components count where they are referred to. */
export function listFacts(document: Json): Map<string, string> {
  const { components = {}, ...rest } = mergePathParameters(document) as { components?: Json };
  const facts = new Map<string, string>();
  addFacts({ ...rest, securitySchemes: components.securitySchemes }, "", []);
  return facts;

  /** `open` lists the references on the way here, where a recursive schema ends. */
  function addFacts(value: unknown, path: string, open: string[]): void {
    if (typeof value !== "object" || value === null) {
      facts.set(path, JSON.stringify(value) ?? "absent");
      return;
    }
    const reference = "$ref" in value && typeof value.$ref === "string" ? value.$ref : null;
    if (reference) {
      const depth = open.indexOf(reference);
      if (depth >= 0) {
        facts.set(`${path}/$ref`, `recursive, ${open.length - depth} references up`);
        return;
      }
      const { $ref: _, ...siblings } = value as Json;
      addFacts({ ...resolve(document, reference), ...siblings }, path, [...open, reference]);
      return;
    }
    const keyword = path.slice(path.lastIndexOf("/") + 1);
    const isNameMap = NAME_MAPS.has(keyword) && !NAME_MAPS.has(path.split("/").at(-2) ?? "");
    if (Array.isArray(value)) {
      addItems(value, path, keyword, open);
      return;
    }
    if ("allOf" in value && Array.isArray(value.allOf)) {
      addFacts(mergeParts(document, value as Json), path, open);
      return;
    }
    // An empty object is a fact: `{}` allows anything.
    if (Object.keys(value).length === 0) facts.set(path, "{}");
    for (const [key, inner] of Object.entries(value)) {
      if (isNameMap || !WORDING.has(key)) addFacts(inner, `${path}/${key.replaceAll("/", "~1")}`, open);
    }
  }

  function addItems(items: unknown[], path: string, keyword: string, open: string[]): void {
    facts.set(`${path}/length`, String(items.length));
    if (keyword === "parameters") {
      for (const item of items) {
        const { $ref: reference } = item as { $ref?: string };
        const parameter = reference ? resolve(document, reference) : (item as Json);
        addFacts(parameter, `${path}/${parameter.in}:${parameter.name}`, open);
      }
      return;
    }
    const ordered = SETS.has(keyword)
      ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
    for (const [index, item] of ordered.entries()) addFacts(item, `${path}/${index}`, open);
  }
}

/** Parameters of a path are those of each of its operations. */
function mergePathParameters(document: Json): Json {
  const paths = Object.entries((document.paths ?? {}) as Record<string, Record<string, Json>>).map(([path, item]) => {
    const { parameters: shared = [], ...operations } = item as { parameters?: unknown[] } & Record<string, Json>;
    const methods = Object.entries(operations).map(([method, operation]) => {
      const { parameters: own = [], ...others } = operation as { parameters?: unknown[] } & Json;
      return [method, { ...others, parameters: [...shared, ...own] }];
    });
    return [path, Object.fromEntries(methods)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Merges the parts of `allOf` into one schema. A field that several have is merged too. */
function mergeParts(document: Json, schema: Json): Json {
  const { allOf, ...own } = schema as { allOf: Json[] } & Json;
  const merged: Json = {};
  for (const part of [...allOf, own]) {
    const { $ref, ...siblings } = part as { $ref?: string } & Json;
    const resolved: Json = { ...($ref ? resolve(document, $ref) : {}), ...siblings };
    const { properties, required, ...others } = Array.isArray(resolved.allOf)
      ? mergeParts(document, resolved)
      : resolved;
    Object.assign(merged, others);
    if (required) merged.required = [...new Set([...((merged.required as string[]) ?? []), ...(required as string[])])];
    if (!properties) continue;
    const fields = { ...(merged.properties as Record<string, Json>) };
    for (const [name, field] of Object.entries(properties as Record<string, Json>)) {
      fields[name] = fields[name] ? { allOf: [fields[name], field] } : field;
    }
    merged.properties = fields;
  }
  return merged;
}

function resolve(document: Json, reference: string): Json {
  const keys = reference.replace(/^#\//, "").split("/");
  let value: unknown = document;
  for (const key of keys) value = (value as Json | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  if (typeof value !== "object" || value === null) throw new Error(`Nothing at ${reference}`);
  return value as Json;
}
