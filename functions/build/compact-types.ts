// The types that fields and parameters of the served OpenAPI document share, whatever their descriptions are.
import { toPascalCase } from "../../lib/http/openapi-components.ts";
import { nameFreely, toReference } from "./compact-names.ts";

type Json = Record<string, unknown>;

interface RepeatedType {
  name: string;
  type: Json;
  places: Json[];
}

/** Below this saving in bytes, a repeated type reads better where it is. */
const LEAST_SAVING = 10;

/** The type with the largest saving becomes a component, until none saves enough. */
export function shareTypes(schemas: Record<string, Json>, parameters: unknown): void {
  for (;;) {
    const [best] = [...listTypes({ schemas, parameters }).values()].toSorted((a, b) => savingOf(b) - savingOf(a));
    if (!best || savingOf(best) < LEAST_SAVING) return;
    const component = nameFreely(best.name, schemas);
    for (const place of best.places) {
      for (const keyword of Object.keys(best.type)) delete place[keyword];
      place.$ref = toReference(component);
    }
    schemas[component] = best.type;
  }
}

function listTypes({ schemas, parameters }: { schemas: Record<string, Json>; parameters: unknown }) {
  const types = new Map<string, RepeatedType>();
  // A component is not a place: it would refer to another one, which only adds a step.
  for (const [name, schema] of Object.entries(schemas)) visitInside(schema, name);
  visitInside(parameters, "");
  return types;

  function visit(value: unknown, name: string): void {
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value)) {
      const { description: _, default: __, deprecated: ___, ...type } = value as Json;
      if (type.type || type.anyOf || type.enum || type.properties) {
        const key = JSON.stringify(type);
        const repeated = types.get(key) ?? { name: nameType(type, name), type, places: [] };
        types.set(key, repeated);
        repeated.places.push(value as Json);
      }
    }
    visitInside(value, name);
  }

  function visitInside(value: unknown, name: string): void {
    if (typeof value !== "object" || value === null) return;
    const own = (value as { name?: unknown; schema?: unknown }).schema ? String((value as Json).name) : name;
    for (const [keyword, inner] of Object.entries(value)) {
      if (keyword === "properties") for (const [field, schema] of Object.entries(inner as Json)) visit(schema, field);
      else if (keyword === "examples" || keyword === "required" || keyword === "enum") continue;
      else visit(inner, own);
    }
  }
}

/** `InstantOrNull`, else the name of a field that has the type. */
function nameType({ anyOf }: Json, field: string): string {
  const [first, second] = (anyOf ?? []) as Json[];
  const referred = String(first?.$ref ?? "")
    .split("/")
    .at(-1);
  return second?.type === "null" && referred ? `${referred}OrNull` : toPascalCase(field);
}

function savingOf({ name, type, places }: RepeatedType): number {
  const size = JSON.stringify(type).length;
  const reference = `"$ref":"${toReference(name)}"`.length;
  return (size - 2) * places.length - (reference * places.length + size + name.length + 4);
}
