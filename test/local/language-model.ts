// A fake language model in OpenAI's format. Slideshows in English are sentences about the topic; everything else matches the
// requested schema and says that it is a placeholder made of words of the prompt.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { CallCounter } from "./call-counter.ts";
import { type HttpServer, parseJson, readText, sendJson, startHttpServer } from "./http-server.ts";
import { writeSlideshowTexts, writeSlideTexts } from "./model-texts.ts";

const ResponseScript = z.strictObject({
  answer: z.enum(["500", "429", "garble", "misshape", "refuse", "stall", "drop_before", "drop_after"]),
  times: z.int().min(1).default(1),
  /** Only for requests whose messages contain this text. */
  containing: z.string().optional(),
  /** Duration of a stall in milliseconds. */
  ms: z.number().min(0).default(60_000),
});
type ResponseScript = z.output<typeof ResponseScript>;

const CompletionRequest = z.object({
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
type CompletionRequest = z.output<typeof CompletionRequest>;

interface LogEntry {
  asked: CompletionRequest;
  answer: string;
}

const MAX_LOG_ENTRIES = 500;

interface Options {
  port: number;
  calls: CallCounter;
  /** The accepted bearer token. */
  key: string;
}

/** Control endpoints: `POST`, `GET` and `DELETE /_behave` script the next responses, `GET /_log` lists requests and responses. */
export function startLanguageModel({ port, calls, key }: Options): Promise<HttpServer> {
  let scripts: ResponseScript[] = [];
  const log: LogEntry[] = [];

  function takeScript({ messages }: CompletionRequest): ResponseScript | null {
    const script = scripts.find(({ containing = "" }) => messages.some(({ content }) => content.includes(containing)));
    if (!script) return null;
    script.times -= 1;
    scripts = scripts.filter(({ times }) => times > 0);
    return script;
  }

  async function completeChat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${key}`)
      return sendError(response, 401, "Incorrect API key provided.");
    const parsed = CompletionRequest.safeParse(parseJson(await readText(request)));
    if (!parsed.success) return sendError(response, 400, z.prettifyError(parsed.error));
    const { schema, strict } = parsed.data.response_format.json_schema;
    const schemaError = strict ? findStrictSchemaError(schema) : null;
    if (schemaError) return sendError(response, 400, `Invalid schema for response_format: ${schemaError}`);
    const script = takeScript(parsed.data);
    if (script?.answer === "drop_before") return void request.socket.destroy();
    if (script?.answer === "stall") await sleep(script.ms, undefined, { ref: false });
    if (script?.answer === "500") return sendError(response, 500, "The server had an error.");
    if (script?.answer === "429") return sendError(response, 429, "Rate limit reached.");
    const completion = writeCompletion(parsed.data, script);
    log.push({ asked: parsed.data, answer: completion });
    if (log.length > MAX_LOG_ENTRIES) log.shift();
    if (script?.answer === "drop_after" || request.socket.destroyed) return void request.socket.destroy();
    const isRefusal = script?.answer === "refuse";
    const message = {
      role: "assistant",
      content: isRefusal ? null : completion,
      refusal: isRefusal ? "I can't." : null,
    };
    sendJson(response, 200, {
      id: "chatcmpl-local",
      object: "chat.completion",
      model: parsed.data.model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
    });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (`${request.method} ${request.url}`) {
      case "POST /v1/chat/completions":
        return completeChat(request, response);
      case "GET /_log":
        return sendJson(response, 200, { calls: log });
      case "GET /_behave":
        return sendJson(response, 200, { pending: scripts });
      case "DELETE /_behave":
        scripts = [];
        return sendJson(response, 200, { ok: true });
      case "POST /_behave": {
        const script = ResponseScript.safeParse(parseJson(await readText(request)));
        if (!script.success) return sendJson(response, 422, { error: z.prettifyError(script.error) });
        scripts.push(script.data);
        return sendJson(response, 200, { ok: true, pending: scripts });
      }
      default:
        return sendError(response, 404, "Supported: POST /v1/chat/completions, POST /_behave and GET /_log.");
    }
  }

  return startHttpServer({ name: "model", calls, port, handle });
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: "local", param: null, code: null } });
}

function writeCompletion(request: CompletionRequest, script: ResponseScript | null): string {
  const words = extractWords(request);
  if (script?.answer === "garble") return `Sure! Here is your slideshow about ${words.slice(0, 5).join(" ")}: {`;
  // The hash makes equal requests start at the same word and others at different words.
  const start = createHash("sha256").update(JSON.stringify(request.messages)).digest().readUInt16BE(0);
  const promptTexts = new Set(collectTexts(parsePrompt(request)));
  let value: unknown;
  for (let step = 0; step < words.length; step++) {
    value = generateTexts(request, { words, at: start + step });
    // A regenerated text must differ from the texts of the prompt.
    if (!collectTexts(value).some((text) => promptTexts.has(text))) break;
  }
  if (script?.answer !== "misshape") return JSON.stringify(value);
  return JSON.stringify({ unasked: value });
}

/** The names are those of the schemas in lib/ai/slideshow-texts.ts. */
function generateTexts(request: CompletionRequest, cursor: WordCursor): unknown {
  const { name, schema } = request.response_format.json_schema;
  const prompt = parsePrompt(request);
  const texts =
    name === "slideshow"
      ? writeSlideshowTexts(prompt, cursor.at)
      : name === "slide"
        ? writeSlideTexts(prompt, cursor.at)
        : null;
  return texts ?? generateValue(schema, cursor);
}

/** Fields of a prompt that describe the format, not the subject. */
const SETTING_FIELDS = ["slideshow_type", "language", "slides"];
/** Six words of this length must fit into a heading. */
const MAX_WORD_LENGTH = 18;

/** The words of the texts of a JSON prompt, or of the message itself. */
function extractWords(request: CompletionRequest): string[] {
  const words =
    collectTexts(parsePrompt(request))
      .join(" ")
      .match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  return words.length > 0 ? words.map((word) => [...word].slice(0, MAX_WORD_LENGTH).join("")) : ["nothing"];
}

function parsePrompt({ messages }: CompletionRequest): unknown {
  const text = messages.find(({ role }) => role === "user")?.content ?? "";
  return parseJson(text) ?? text;
}

function collectTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (SETTING_FIELDS.includes(name) ? [] : collectTexts(inner)));
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  minItems?: number;
  enum?: unknown[];
}

interface WordCursor {
  words: string[];
  at: number;
}

const PLACEHOLDER = "Placeholder text of the local model:";
/** Names of texts that are too short to say it; another text of the same object does. */
const SHORT_TEXTS = ["heading", "title"];

/** Generates a value that matches the schema; each text consumes the next few words. */
function generateValue(schema: Schema, cursor: WordCursor, name = ""): unknown {
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [
          name,
          generateValue(property, cursor, name),
        ]),
      );
    case "array":
      return Array.from({ length: schema.minItems ?? 1 }, () => generateValue(schema.items ?? {}, cursor));
    case "string": {
      const count = 3 + (cursor.at % 4);
      const words = Array.from({ length: count }, (_, next) => cursor.words[(cursor.at + next) % cursor.words.length]);
      cursor.at += count;
      return SHORT_TEXTS.includes(name) ? words.join(" ") : `${PLACEHOLDER} ${words.join(" ")}`;
    }
    case "boolean":
      return true;
    default:
      return 1;
  }
}

/** Returns the first rule of strict mode that the schema violates, null when there is none. */
function findStrictSchemaError(schema: Schema & Record<string, unknown>): string | null {
  const unknown = Object.keys(schema).find((key) =>
    ["minLength", "maxLength", "$schema", "allOf", "not"].includes(key),
  );
  if (unknown) return `'${unknown}' is not permitted.`;
  if (schema.items) return findStrictSchemaError(schema.items as Schema & Record<string, unknown>);
  if (schema.type !== "object") return null;
  const inner = Object.entries(schema.properties ?? {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (schema.additionalProperties !== false)
    return "'additionalProperties' is required to be supplied and to be false.";
  if (inner.some(([name]) => !required.includes(name))) return "'required' must include every key in properties.";
  return (
    inner.map(([, property]) => findStrictSchemaError(property as Schema & Record<string, unknown>)).find(Boolean) ??
    null
  );
}
