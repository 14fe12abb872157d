// Requests output of a given schema from a language model; retries once with the errors of the first output.
import * as z from "zod";
import { apiError } from "../shared/errors.ts";
import { toFieldErrors } from "../shared/field-errors.ts";
import { findJsonErrors } from "../shared/json-limits.ts";
import type { ChatMessage, ChatModel } from "./chat-model.ts";
import { buildRepairPrompt } from "./prompts.ts";

interface OutputRequest<Shape extends z.ZodType> {
  name: string;
  shape: Shape;
  messages: ChatMessage[];
}

/** Throws 502 when neither the first output nor the repaired one matches the schema. */
export async function requestStructuredOutput<Shape extends z.ZodType>(
  model: ChatModel,
  { name, shape, messages }: OutputRequest<Shape>,
): Promise<z.output<Shape>> {
  const request = { name, messages, schema: toWireSchema(shape) };
  const output = await model(request);
  const first = parseOutput(output, shape);
  if (first.ok) return first.value;
  const again: ChatMessage[] = [
    { role: "assistant", content: output.slice(0, MAX_REPEATED_LENGTH) },
    { role: "user", content: buildRepairPrompt(first.errors) },
  ];
  const second = parseOutput(await model({ ...request, messages: [...messages, ...again] }), shape);
  if (second.ok) return second.value;
  throw apiError(
    "generation_failed",
    "The language model returned invalid output twice. Try again, or change the prompt.",
    {
      cause: new Error(`the model's output: ${second.errors.join("; ")}`),
    },
  );
}

const MAX_REPEATED_LENGTH = 20_000;

/** Without string lengths, which strict decoders reject; the output is validated against them here. */
function toWireSchema(shape: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
    },
  });
  return schema;
}

type ParseResult<Value> = { ok: true; value: Value } | { ok: false; errors: string[] };

function parseOutput<Shape extends z.ZodType>(text: string, shape: Shape): ParseResult<z.output<Shape>> {
  const json = extractJson(text);
  if (json === undefined) return { ok: false, errors: ["It is not a JSON object."] };
  const parsed = shape.safeParse(json);
  const errors = parsed.success ? findJsonErrors(json) : toFieldErrors(parsed.error);
  if (parsed.success && errors.length === 0) return { ok: true, value: parsed.data };
  return { ok: false, errors: errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)) };
}

/** Models put code fences and remarks around the requested object. */
function extractJson(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}
