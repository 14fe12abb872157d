// A speech recogniser with OpenAI's wire format that truly listens: it decodes what it is sent and hears its tones.
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Calls } from "./calls.ts";
import type { Heard, Sent } from "./listener.ts";
import { sendJson, serve } from "./serve.ts";

export interface Speech {
  /** The base URL of its API, without a slash at its end. */
  url: string;
  /** How many requests it has answered with words or silence. */
  heard(): number;
  /** Runs before the next transcription is answered; what it answers, an HTTP status, goes out in its place. */
  before(work: (() => Promise<number | undefined>) | null): void;
  close(): Promise<void>;
}

interface Options {
  calls: Calls;
  port: number;
  /** Whoever calls must know it. */
  key: string;
}

const PATH = "/v1/audio/transcriptions";
const SENT_AT_MOST = 25 * 1024 * 1024;

export async function startSpeech({ calls, port, key }: Options): Promise<Speech> {
  const ear = earOf();
  let heard = 0;
  let before: (() => Promise<number | undefined>) | null = null;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || request.url !== PATH) return fail(response, 404, `There is only POST ${PATH}.`);
    const form = await formOf(request);
    if (request.headers.authorization !== `Bearer ${key}`) return fail(response, 401, "Incorrect API key provided.");
    const status = await before?.();
    if (status !== undefined) return fail(response, status, "The server had an error.");
    const file = form.get("file");
    const wrong = faultOf(form);
    if (wrong || !(file instanceof File)) return fail(response, 400, wrong ?? "The file is missing.");
    if (file.size > SENT_AT_MOST) return fail(response, 413, "Maximum content size limit exceeded.");
    const sound = await ear.hear(new Uint8Array(await file.arrayBuffer()));
    if (!sound) return fail(response, 400, "The audio file could not be decoded or its format is not supported.");
    heard += 1;
    const words = sound.words.map(({ text, startMs, endMs }) => {
      return { word: text, start: startMs / 1000, end: endMs / 1000 };
    });
    const text = words.map(({ word }) => word).join(" ");
    const { duration } = sound;
    sendJson(response, 200, { task: "transcribe", language: "english", duration, text, words });
  }

  const server = await serve({ what: "speech", calls, port, answer });
  return {
    url: `${server.url}/v1`,
    heard: () => heard,
    before: (work) => {
      before = work;
    },
    async close() {
      await Promise.all([server.close(), ear.close()]);
    },
  };
}

/** Listens in a thread of its own: minutes of sound take seconds, in which the servers beside it have to answer. */
function earOf() {
  let thread: Worker | null = null;
  let asked = 0;
  const waiting = new Map<number, (sound: Heard["sound"]) => void>();

  function open(): Worker {
    const opened = new Worker(join(import.meta.dirname, "listener.ts"), { execArgv: [] });
    opened.on("message", ({ id, sound }: Heard) => {
      waiting.get(id)?.(sound);
      waiting.delete(id);
    });
    opened.unref();
    return opened;
  }

  return {
    hear(bytes: Uint8Array<ArrayBuffer>): Promise<Heard["sound"]> {
      thread ??= open();
      const sent: Sent = { id: asked++, bytes };
      const answer = new Promise<Heard["sound"]>((resolve) => waiting.set(sent.id, resolve));
      thread.postMessage(sent, [bytes.buffer]);
      return answer;
    },
    async close(): Promise<void> {
      await thread?.terminate();
    },
  };
}

async function formOf(request: IncomingMessage): Promise<FormData> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  return new Response(Buffer.concat(chunks), { headers }).formData().catch(() => new FormData());
}

function faultOf(form: FormData): string | null {
  if (typeof form.get("model") !== "string") return "you must provide a model parameter";
  if (form.get("response_format") !== "verbose_json")
    return "timestamp_granularities need response_format verbose_json";
  return form.getAll("timestamp_granularities[]").includes("word") ? null : "no word timestamps were asked for";
}

function fail(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: status < 500 ? "invalid_request_error" : "server_error" } });
}
