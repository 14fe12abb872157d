// A model of Cloudflare's, through the Workers AI binding.
import type { AiBinding } from "../env.ts";
import { refuse } from "../errors.ts";
import type { Model } from "./model.ts";

interface Options {
  ai: AiBinding;
  name: string;
  withinMs: number;
}

/** Its own ceiling of 256 would cut a slideshow short. */
const TOKENS_AT_MOST = 4096;

export function workersAiModel({ ai, name, withinMs }: Options): Model {
  return async ({ messages, schema }) => {
    const response_format = { type: "json_schema", json_schema: schema };
    const signal = AbortSignal.timeout(withinMs);
    try {
      const run = ai.run(name, { messages, response_format, max_tokens: TOKENS_AT_MOST }, { signal });
      return textOf(await Promise.race([run, ended(signal)]));
    } catch (error) {
      const how = signal.aborted ? "did not answer in time" : "failed";
      throw refuse("generation_failed", `The language model ${how}. Try again later.`, { cause: error });
    }
  };
}

/** The binding may not heed the signal by itself. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** In JSON mode `response` is the object itself, where the model managed to write one. */
function textOf(answer: unknown): string {
  const { response } = (answer ?? {}) as { response?: unknown };
  return typeof response === "string" ? response : JSON.stringify(response ?? null);
}
