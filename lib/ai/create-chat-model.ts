// The language model that the settings select.
import type { Services } from "../services/context.ts";
import type { ChatModel } from "./chat-model.ts";
import { createOpenAiModel } from "./openai-chat.ts";
import { createWorkersAiModel } from "./workers-ai-chat.ts";

const WORKERS_AI_MODEL = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";

/** The model of this deployment; null when none is configured. */
export function createChatModel({ env, fetch }: Pick<Services, "env" | "fetch">): ChatModel | null {
  const { MODEL_URL: url, MODEL_NAME: name, MODEL_API_KEY: key, MODEL_TIMEOUT_MS: timeoutMs, ai } = env;
  if (url && name) return createOpenAiModel({ url: url.replace(/\/+$/, ""), name, key: key ?? null, timeoutMs, fetch });
  return ai ? createWorkersAiModel({ ai, name: name ?? WORKERS_AI_MODEL, timeoutMs }) : null;
}
