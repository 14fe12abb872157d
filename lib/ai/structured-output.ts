// Requests output of a given schema from a language model; retries once with the errors of the first output.
import * as z from "zod";
import { apiError } from "../shared/errors.ts";
import { toFieldErrors } from "../shared/field-errors.ts";
import { findJsonErrors } from "../shared/json-limits.ts";
import type { ChatMessage, ChatModel } from "./chat-model.ts";
import { buildRepairPrompt } from "./prompts.ts";

/** UTF-16 units of the first output that the model receives with its errors. */
const MAX_RESENT_LENGTH = 20_000;

interface OutputRequest<Schema extends z.ZodType> {
  /** Letters, digits and underscores. */
  schemaName: string;
  schema: Schema;
  messages: ChatMessage[];
}

/** Throws 502 `generation_failed` when both outputs are invalid or the model fails. */
export async function requestStructuredOutput<Schema extends z.ZodType>(
  model: ChatModel,
  { schemaName, schema, messages }: OutputRequest<Schema>,
): Promise<z.output<Schema>> {
  const request = { name: schemaName, messages, schema: toModelSchema(schema) };
  const firstOutput = await model(request);
  const firstResult = parseOutput(firstOutput, schema);
  if (firstResult.ok) return firstResult.value;
  const repairMessages: ChatMessage[] = [
    { role: "assistant", content: firstOutput.slice(0, MAX_RESENT_LENGTH) },
    { role: "user", content: buildRepairPrompt(firstResult.errors) },
  ];
  const secondOutput = await model({ ...request, messages: [...messages, ...repairMessages] });
  const secondResult = parseOutput(secondOutput, schema);
  if (secondResult.ok) return secondResult.value;
  throw apiError(
    "generation_failed",
    "The language model returned invalid output twice. Try again, or change the prompt.",
    {
      cause: new Error(`the model's output: ${secondResult.errors.join("; ")}`),
    },
  );
}

/** Leaves out minLength and maxLength, which the strict mode of some providers rejects; `parseOutput` enforces them. */
function toModelSchema(schema: z.ZodType): object {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
    override: ({ jsonSchema: property }) => {
      delete property.minLength;
      delete property.maxLength;
    },
  });
  return jsonSchema;
}

type ParseResult<Value> = { ok: true; value: Value } | { ok: false; errors: string[] };

function parseOutput<Schema extends z.ZodType>(text: string, schema: Schema): ParseResult<z.output<Schema>> {
  const json = extractJson(text);
  if (json === undefined) return { ok: false, errors: ["The output is not a JSON object."] };
  const parsed = schema.safeParse(json);
  // A schema accepts NUL and lone surrogates, which Postgres cannot store.
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
