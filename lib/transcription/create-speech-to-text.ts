// The speech-to-text service that the settings select.
import type { Env } from "../services/env.ts";
import { createOpenAiSpeechToText } from "./openai.ts";
import type { SpeechToText } from "./speech-to-text.ts";
import { createWorkersAiSpeechToText } from "./workers-ai.ts";

const OPENAI_MODEL = "whisper-1";
const WORKERS_AI_MODEL = "@cf/openai/whisper-large-v3-turbo";

/** The service of this deployment; null when none is configured. */
export function createSpeechToText({ env, fetch: fetcher }: { env: Env; fetch: typeof fetch }): SpeechToText | null {
  const { SPEECH_URL: url, SPEECH_MODEL: model, SPEECH_API_KEY: key, SPEECH_TIMEOUT_MS: timeoutMs, ai } = env;
  if (url) {
    const options = { url: url.replace(/\/+$/, ""), model: model ?? OPENAI_MODEL, key: key ?? null, timeoutMs };
    return createOpenAiSpeechToText({ ...options, fetch: fetcher });
  }
  return ai ? createWorkersAiSpeechToText({ ai, model: model ?? WORKERS_AI_MODEL, timeoutMs }) : null;
}
