// The texts of the OpenAPI document beyond the specs of the endpoints. They are Markdown files beside the reference page,
// so that only the generator reads them and the Worker stays small.

export interface OperationText {
  /** A short imperative. */
  title: string;
  /** The component that describes `data`, where its schema has no name of its own. */
  reply: string | null;
  text: string;
}

/** A request that a test has sent, and its response. */
export interface Example {
  title: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body?: unknown;
  status: number;
  response: unknown;
}

export interface EventText {
  /** When it is written. */
  text: string;
  /** Recorded by a test. */
  example: unknown;
}

export interface Documentation {
  /** The first paragraphs of the document. */
  overview: string;
  /** By operation id, in the order of the reference page. */
  operations: ReadonlyMap<string, OperationText>;
  /** Component -> path of a field, such as `metrics.views` -> description. The component `*` applies where no other does. */
  fields: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Error code -> what it means and what to do. */
  errors: ReadonlyMap<string, string>;
  /** By operation id. */
  examples: Readonly<Record<string, readonly Example[]>>;
  /** By type. */
  events: ReadonlyMap<string, EventText>;
}

export const NO_DOCUMENTATION: Documentation = {
  overview: "",
  operations: new Map(),
  fields: new Map(),
  errors: new Map(),
  examples: {},
  events: new Map(),
};

/** The description of a field; that of the component takes precedence over `own`, and `own` over the common one. */
export function describeField(
  { fields }: Documentation,
  component: string,
  path: string,
  own: string | undefined,
): string | undefined {
  const name = path.split(".").at(-1) ?? path;
  return fields.get(component)?.get(path) ?? own ?? fields.get("*")?.get(name);
}

/** Explains an error code and what to do about it. Codes of unexpected errors and of missing ids share a sentence. */
export function describeError({ errors }: Documentation, code: string): string {
  const own = errors.get(code);
  if (own) return own;
  const [, noun] = /^missing_(\w+)_id$/.exec(code) ?? [];
  const shared = noun
    ? "The path has an empty id. Send the id of the {noun}."
    : code.endsWith("_failed")
      ? errors.get("internal_error")
      : undefined;
  return (shared ?? "").replace("{noun}", noun ?? "");
}
