// A language model with OpenAI's wire format: it answers in the schema that it is given, with words from the request.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { Calls } from "./calls.ts";
import { parseJson, readText, type Served, sendJson, serve } from "./serve.ts";

const Script = z.strictObject({
  answer: z.enum(["500", "429", "garble", "misshape", "refuse", "stall", "drop_before", "drop_after"]),
  times: z.int().min(1).default(1),
  /** Only for requests whose messages hold this text. */
  containing: z.string().optional(),
  /** How long a stall lasts. */
  ms: z.number().min(0).default(60_000),
});
type Script = z.output<typeof Script>;

const Asked = z.object({
  model: z.string().min(1),
  messages: z.array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() })).min(1),
  response_format: z.object({
    type: z.literal("json_schema"),
    json_schema: z.object({
      name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      strict: z.boolean(),
      schema: z.record(z.string(), z.unknown()),
    }),
  }),
});
type Asked = z.output<typeof Asked>;

interface LogEntry {
  asked: Asked;
  answer: string;
}

const LOG_LENGTH = 500;

interface Options {
  port: number;
  calls: Calls;
  /** The only bearer token that it takes. */
  key: string;
}

/** Doors beside the model's own: `POST`, `GET` and `DELETE /_behave` script its next answers, `GET /_log` tells what was asked. */
export function startModel({ port, calls, key }: Options): Promise<Served> {
  let scripts: Script[] = [];
  const log: LogEntry[] = [];

  function take({ messages }: Asked): Script | null {
    const found = scripts.find(({ containing = "" }) => messages.some(({ content }) => content.includes(containing)));
    if (!found) return null;
    found.times -= 1;
    scripts = scripts.filter(({ times }) => times > 0);
    return found;
  }

  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${key}`)
      return failWith(response, 401, "Incorrect API key provided.");
    const asked = Asked.safeParse(parseJson(await readText(request)));
    if (!asked.success) return failWith(response, 400, z.prettifyError(asked.error));
    const { schema, strict } = asked.data.response_format.json_schema;
    const unfit = strict ? unfitForStrict(schema) : null;
    if (unfit) return failWith(response, 400, `Invalid schema for response_format: ${unfit}`);
    const script = take(asked.data);
    if (script?.answer === "drop_before") return void request.socket.destroy();
    if (script?.answer === "stall") await sleep(script.ms, undefined, { ref: false });
    if (script?.answer === "500") return failWith(response, 500, "The server had an error.");
    if (script?.answer === "429") return failWith(response, 429, "Rate limit reached.");
    const answer = answerOf(asked.data, script);
    log.push({ asked: asked.data, answer });
    if (log.length > LOG_LENGTH) log.shift();
    if (script?.answer === "drop_after" || request.socket.destroyed) return void request.socket.destroy();
    const refused = script?.answer === "refuse";
    const message = { role: "assistant", content: refused ? null : answer, refusal: refused ? "I can't." : null };
    sendJson(response, 200, {
      id: "chatcmpl-local",
      object: "chat.completion",
      model: asked.data.model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
    });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (`${request.method} ${request.url}`) {
      case "POST /v1/chat/completions":
        return complete(request, response);
      case "GET /_log":
        return sendJson(response, 200, { calls: log });
      case "GET /_behave":
        return sendJson(response, 200, { pending: scripts });
      case "DELETE /_behave":
        scripts = [];
        return sendJson(response, 200, { ok: true });
      case "POST /_behave": {
        const script = Script.safeParse(parseJson(await readText(request)));
        if (!script.success) return sendJson(response, 422, { error: z.prettifyError(script.error) });
        scripts.push(script.data);
        return sendJson(response, 200, { ok: true, pending: scripts });
      }
      default:
        return failWith(response, 404, "There are POST /v1/chat/completions, POST /_behave and GET /_log.");
    }
  }

  return serve({ what: "model", calls, port, answer });
}

function failWith(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: "local", param: null, code: null } });
}

function answerOf(asked: Asked, script: Script | null): string {
  const words = wordsIn(asked);
  if (script?.answer === "garble") return `Sure! Here is your slideshow about ${words.slice(0, 5).join(" ")}: {`;
  // The same request begins at the same word, another one elsewhere.
  const start = createHash("sha256").update(JSON.stringify(asked.messages)).digest().readUInt16BE(0);
  const shown = new Set(leavesOf(briefOf(asked)));
  let written: unknown;
  for (let step = 0; step < words.length; step++) {
    written = fill(asked.response_format.json_schema.schema, { words, at: start + step });
    // Asked to write something anew, it does.
    if (!leavesOf(written).some((text) => shown.has(text))) break;
  }
  if (script?.answer !== "misshape") return JSON.stringify(written);
  return JSON.stringify({ unasked: written });
}

/** Fields of a brief that say how to write, not what about. */
const SETTINGS = ["slideshow_type", "language", "slides"];
/** Of the longest text, six words must fit into a heading. */
const WORD_LENGTH = 18;

/** What people wrote: the texts of a JSON brief, or the message itself. */
function wordsIn(asked: Asked): string[] {
  const words =
    leavesOf(briefOf(asked))
      .join(" ")
      .match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  return words.length > 0 ? words.map((word) => [...word].slice(0, WORD_LENGTH).join("")) : ["nothing"];
}

function briefOf({ messages }: Asked): unknown {
  const text = messages.find(({ role }) => role === "user")?.content ?? "";
  return parseJson(text) ?? text;
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (SETTINGS.includes(name) ? [] : leavesOf(inner)));
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  minItems?: number;
  enum?: unknown[];
}

interface Pen {
  words: string[];
  at: number;
}

/** A value of the schema; each text takes the next few words. */
function fill(schema: Schema, pen: Pen): unknown {
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case "object":
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, fill(one, pen)]));
    case "array":
      return Array.from({ length: schema.minItems ?? 1 }, () => fill(schema.items ?? {}, pen));
    case "string": {
      const count = 3 + (pen.at % 4);
      const taken = Array.from({ length: count }, (_, next) => pen.words[(pen.at + next) % pen.words.length]);
      pen.at += count;
      return taken.join(" ");
    }
    case "boolean":
      return true;
    default:
      return 1;
  }
}

/** What a strict decoder demands of a schema and this one breaks; null when it takes it. */
function unfitForStrict(schema: Schema & Record<string, unknown>): string | null {
  const unknown = Object.keys(schema).find((key) =>
    ["minLength", "maxLength", "$schema", "allOf", "not"].includes(key),
  );
  if (unknown) return `'${unknown}' is not permitted.`;
  if (schema.items) return unfitForStrict(schema.items as Schema & Record<string, unknown>);
  if (schema.type !== "object") return null;
  const inner = Object.entries(schema.properties ?? {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (schema.additionalProperties !== false)
    return "'additionalProperties' is required to be supplied and to be false.";
  if (inner.some(([name]) => !required.includes(name))) return "'required' must include every key in properties.";
  return inner.map(([, one]) => unfitForStrict(one as Schema & Record<string, unknown>)).find(Boolean) ?? null;
}
