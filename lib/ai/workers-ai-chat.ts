// Language models of Cloudflare, through the Workers AI binding.
import type { AiBinding } from "../services/env.ts";
import { apiError } from "../shared/errors.ts";
import type { ChatModel } from "./chat-model.ts";

interface Options {
  ai: AiBinding;
  name: string;
  timeoutMs: number;
}

/** The default of 256 tokens would truncate a slideshow. */
const MAX_TOKENS = 4096;

export function createWorkersAiModel({ ai, name, timeoutMs }: Options): ChatModel {
  return async ({ messages, schema }) => {
    const response_format = { type: "json_schema", json_schema: schema };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const run = ai.run(name, { messages, response_format, max_tokens: MAX_TOKENS }, { signal });
      return getText(await Promise.race([run, rejectOnAbort(signal)]));
    } catch (error) {
      const outcome = signal.aborted ? "did not respond in time" : "failed";
      throw apiError("generation_failed", `The language model ${outcome}. Try again later.`, { cause: error });
    }
  };
}

/** The binding itself may ignore the signal. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** In JSON mode `response` is the parsed object when the model produced valid JSON. */
function getText(answer: unknown): string {
  const { response } = (answer ?? {}) as { response?: unknown };
  return typeof response === "string" ? response : JSON.stringify(response ?? null);
}
