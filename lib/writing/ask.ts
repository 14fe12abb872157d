// Asks a language model for an answer of a certain shape, and once more when it has another one.
import * as z from "zod";
import { refuse } from "../errors.ts";
import { faultsOf, unstorable } from "../invalid.ts";
import type { Message, Model } from "./model.ts";
import { repairPrompt } from "./prompts.ts";

interface Wanted<Shape extends z.ZodType> {
  name: string;
  shape: Shape;
  messages: Message[];
}

/** Throws 502 when neither the first answer nor the repaired one has the shape. */
export async function ask<Shape extends z.ZodType>(
  model: Model,
  { name, shape, messages }: Wanted<Shape>,
): Promise<z.output<Shape>> {
  const question = { name, messages, schema: wireSchema(shape) };
  const said = await model(question);
  const first = read(said, shape);
  if (first.ok) return first.value;
  const again: Message[] = [
    { role: "assistant", content: said.slice(0, REPEATED_AT_MOST) },
    { role: "user", content: repairPrompt(first.faults) },
  ];
  const second = read(await model({ ...question, messages: [...messages, ...again] }), shape);
  if (second.ok) return second.value;
  throw refuse("generation_failed", "The language model gave no usable text, twice. Try again, or change the prompt.", {
    cause: new Error(`the model's answer: ${second.faults.join("; ")}`),
  });
}

const REPEATED_AT_MOST = 20_000;

/** Lengths are checked here alone: strict decoders refuse schemas that speak of them. */
function wireSchema(shape: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
    },
  });
  return schema;
}

type Read<Value> = { ok: true; value: Value } | { ok: false; faults: string[] };

function read<Shape extends z.ZodType>(text: string, shape: Shape): Read<z.output<Shape>> {
  const json = jsonIn(text);
  if (json === undefined) return { ok: false, faults: ["It is not a JSON object."] };
  const parsed = shape.safeParse(json);
  const faults = parsed.success ? unstorable(json, "", 0) : faultsOf(parsed.error);
  if (parsed.success && faults.length === 0) return { ok: true, value: parsed.data };
  return { ok: false, faults: faults.map(({ path, message }) => (path ? `${path}: ${message}` : message)) };
}

/** Models put fences and remarks around the object that they were asked for. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}
