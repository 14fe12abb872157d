// A language model behind one small interface, whichever one the settings name.
import type { Env } from "../env.ts";
import { openAiModel } from "./openai.ts";
import { workersAiModel } from "./workers-ai.ts";

export interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

export interface Question {
  /** What the answer is called: letters, digits and underscores. */
  name: string;
  messages: Message[];
  /** The JSON Schema that the answer should follow. */
  schema: object;
}

/**
 * The text of one answer. Throws 503 when nothing answers in time, and 502 when what answers says no; whether the text
 * follows the schema is for the caller to check.
 */
export type Model = (question: Question) => Promise<string>;

const WORKERS_AI_MODEL = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";

/** The model of this deployment; null when none is configured. */
export function modelOf({ env, fetch: ask }: { env: Env; fetch: typeof fetch }): Model | null {
  const { MODEL_URL: url, MODEL_NAME: name, MODEL_API_KEY: key, MODEL_TIMEOUT_MS: withinMs, ai } = env;
  if (url && name) return openAiModel({ url: url.replace(/\/+$/, ""), name, key: key ?? null, withinMs, fetch: ask });
  return ai ? workersAiModel({ ai, name: name ?? WORKERS_AI_MODEL, withinMs }) : null;
}
