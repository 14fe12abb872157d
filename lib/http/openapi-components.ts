// The parameters and error responses that several operations of the OpenAPI document have in common.

export type Json = Record<string, unknown>;

type Section = "parameters" | "responses";

interface Candidate {
  section: Section;
  names: string[];
  value: Json;
  /** Placeholders in the document, one per use. */
  uses: Json[];
}

/** Collects what may be shared while operations are built; `resolve` then decides what becomes a component. */
export function createSharedComponents() {
  const candidates = new Map<string, Candidate>();

  return {
    /** Returns a placeholder for `value`. As a component it takes the first of `names` that is free. */
    add(section: Section, names: string[], value: Json): Json {
      const key = `${section} ${JSON.stringify(value)}`;
      const candidate = candidates.get(key) ?? { section, names, value, uses: [] };
      candidates.set(key, candidate);
      const use: Json = {};
      candidate.uses.push(use);
      return use;
    },

    /** Fills all placeholders: with a reference where a value is used more than once, else with the value itself. */
    resolve(): Record<Section, Record<string, Json>> {
      const shared: Record<Section, Record<string, Json>> = { parameters: {}, responses: {} };
      for (const { section, names, value, uses } of candidates.values()) {
        const name = uses.length > 1 ? names.find((free) => !Object.hasOwn(shared[section], free)) : undefined;
        if (name) shared[section][name] = value;
        for (const use of uses) Object.assign(use, name ? { $ref: `#/components/${section}/${name}` } : value);
      }
      return { parameters: sortKeys(shared.parameters), responses: sortKeys(shared.responses) };
    },
  };
}

export type SharedComponents = ReturnType<typeof createSharedComponents>;

function sortKeys<Value>(record: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** `missing_post_id`, `Idempotency-Key` and `postId` as names of components. */
export function toPascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
