// What a request brings, checked against what its endpoint declares.
import * as z from "zod";
import { readJson } from "./body.ts";
import type { AnySpec } from "./endpoint.ts";
import { type Code, type Refusal, refuse } from "./errors.ts";
import { fingerprint, readKey, takesKey } from "./idempotency.ts";
import { isUuid } from "./ids.ts";
import { bodyCode, faultsOf, issuesOf, queryCode, repeated, sentence, unstorable } from "./invalid.ts";

/** What is read of a request. */
interface Asked {
  raw: Request;
  path: string;
  header(name: string): string | undefined;
  param(name: string): string | undefined;
  queries(): Record<string, string[]>;
}

interface CheckedInput {
  params: Record<string, string>;
  query: unknown;
  body: unknown;
  idempotencyKey: string | null;
  print: string;
}

/** Throws the refusal that comes first: path, key header, query, JSON, schema. */
export async function readInput(id: string, spec: AnySpec, asked: Asked): Promise<CheckedInput> {
  const params = readParams(spec, asked);
  const keyed = takesKey(spec);
  const idempotencyKey = keyed ? readKey(asked.header("idempotency-key"), spec.idempotent === "required") : null;
  const query = readQuery(spec, spec.query ?? NOTHING, asked);
  if (!keyed && !spec.body) return { params, query, body: {}, idempotencyKey, print: "" };
  const json = await readJson(asked.raw);
  const body = readBody(spec, spec.body ?? NOTHING, json);
  return { params, query, body, idempotencyKey, print: fingerprint(id, asked.path, json) };
}

/** An endpoint that declares no query or no body takes none. */
const NOTHING = z.strictObject({});

function readParams(spec: AnySpec, asked: Asked): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, noun] of Object.entries<string>(spec.params ?? {})) {
    const value = asked.param(name) ?? "";
    if (value === "") throw refuse(`missing_${noun}_id` as Code, `The path needs the id of the ${noun}.`);
    const opaque = spec.opaque?.includes(name) ?? false;
    const possible = opaque ? unstorable(value, name, 0).length === 0 : isUuid(value);
    if (!possible) throw malformed(spec.malformedId ?? "not_found", name, noun);
    params[name] = opaque ? value : value.toLowerCase();
  }
  return params;
}

function malformed(code: Code, name: string, noun: string): Refusal {
  if (code === "invalid_path") return refuse(code, `${name} in the path must be the UUID of a ${noun}.`);
  return refuse(code, `No ${noun} with this id is visible to the key.`);
}

function readQuery(spec: AnySpec, schema: z.ZodType, asked: Asked): unknown {
  const given = Object.fromEntries(
    Object.entries(asked.queries()).map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
  const parsed = schema.safeParse(given);
  const faults = parsed.success ? unstorable(parsed.data, "", 0) : repeated(faultsOf(parsed.error), given);
  if (parsed.success && faults.length === 0) return parsed.data;
  const { code, ...status } = queryCode(faults, spec.badQuery);
  throw refuse(code, sentence("The query is not valid", faults), { issues: issuesOf(faults), ...status });
}

function readBody(spec: AnySpec, schema: z.ZodType, json: unknown): unknown {
  const unfit = unstorable(json, "", 0);
  const parsed = schema.safeParse(unfit.length > 0 ? {} : json);
  const faults = unfit.length > 0 ? unfit : parsed.success ? [] : faultsOf(parsed.error);
  if (parsed.success && faults.length === 0) return parsed.data;
  const told = spec.faults === "fields" ? { fields: faults } : { issues: issuesOf(faults) };
  throw refuse(bodyCode(faults, json, spec.badBody ?? {}), sentence("The body is not valid", faults), told);
}
