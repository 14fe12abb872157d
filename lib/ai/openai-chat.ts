// Language models with an OpenAI-compatible chat completions API.
import * as z from "zod";
import { apiError } from "../shared/errors.ts";
import { parseJson } from "../shared/parse-json.ts";
import type { ChatModel } from "./chat-model.ts";

interface Options {
  /** The base URL without a trailing slash. */
  url: string;
  name: string;
  key: string | null;
  timeoutMs: number;
  fetch: typeof fetch;
}

const Completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1) });

export function createOpenAiModel({ url, name, key, timeoutMs, fetch }: Options): ChatModel {
  return async ({ name: title, messages, schema }) => {
    const format = { type: "json_schema", json_schema: { name: title, strict: true, schema } };
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ model: name, messages, response_format: format }),
      signal: AbortSignal.timeout(timeoutMs),
    };
    const { status, text } = await sendRequest(() => fetch(`${url}/chat/completions`, init));
    if (status !== 200) throw unusableOutputError(`HTTP ${status}`);
    const completion = Completion.safeParse(parseJson(text));
    if (!completion.success) throw unusableOutputError("no text");
    return completion.data.choices[0]?.message.content ?? "";
  };
}

/** Reads the whole response, so that the timeout covers the body too. */
async function sendRequest(send: () => Promise<Response>): Promise<{ status: number; text: string }> {
  try {
    const response = await send();
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw apiError("generation_failed", "The language model did not respond. Try again later.", { cause: error });
  }
}

function unusableOutputError(what: string) {
  return apiError("generation_failed", `The language model returned ${what}. Try again later.`);
}
