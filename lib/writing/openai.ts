// Whatever speaks OpenAI's chat completions over HTTP.
import * as z from "zod";
import { refuse } from "../errors.ts";
import type { Model } from "./model.ts";

interface Options {
  /** The base URL, without a slash at its end. */
  url: string;
  name: string;
  key: string | null;
  withinMs: number;
  fetch: typeof fetch;
}

const Completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1) });

export function openAiModel({ url, name, key, withinMs, fetch }: Options): Model {
  return async ({ name: title, messages, schema }) => {
    const format = { type: "json_schema", json_schema: { name: title, strict: true, schema } };
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ model: name, messages, response_format: format }),
      signal: AbortSignal.timeout(withinMs),
    };
    const { status, text } = await heard(() => fetch(`${url}/chat/completions`, init));
    if (status !== 200) throw unusable(`HTTP ${status}`);
    const completion = Completion.safeParse(parsed(text));
    if (!completion.success) throw unusable("no text");
    return completion.data.choices[0]?.message.content ?? "";
  };
}

/** The whole answer, body included, within the time limit. */
async function heard(send: () => Promise<Response>): Promise<{ status: number; text: string }> {
  try {
    const answer = await send();
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    throw refuse("generation_failed", "The language model did not answer. Try again later.", { cause: error });
  }
}

function unusable(what: string) {
  return refuse("generation_failed", `The language model answered with ${what}. Try again later.`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
