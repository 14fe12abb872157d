// A fake speech-to-text API in OpenAI's format: decodes the uploaded audio and recognizes its tones.
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { CallCounter } from "./call-counter.ts";
import { sendJson, startHttpServer } from "./http-server.ts";
import type { AudioMessage, RecognitionMessage } from "./speech-worker.ts";

export interface SpeechToText {
  /** The base URL of its API, without a trailing slash. */
  url: string;
  /** The number of successful transcriptions, with or without words. */
  countTranscriptions(): number;
  /** Runs before every transcription until it is set to null; a returned HTTP status replaces the response. */
  setInterceptor(interceptor: (() => Promise<number | undefined>) | null): void;
  close(): Promise<void>;
}

interface Options {
  calls: CallCounter;
  port: number;
  /** The accepted bearer token. */
  key: string;
}

const PATH = "/v1/audio/transcriptions";
const MAX_FILE_BYTES = 25 * 1024 * 1024;

export async function startSpeechToText({ calls, port, key }: Options): Promise<SpeechToText> {
  const recognizer = createRecognizer();
  let transcriptionCount = 0;
  let interceptor: (() => Promise<number | undefined>) | null = null;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || request.url !== PATH) return sendError(response, 404, `Supported: POST ${PATH}.`);
    const form = await readForm(request);
    if (request.headers.authorization !== `Bearer ${key}`)
      return sendError(response, 401, "Incorrect API key provided.");
    const status = await interceptor?.();
    if (status !== undefined) return sendError(response, status, "The server had an error.");
    const file = form.get("file");
    const formError = findFormError(form);
    if (formError || !(file instanceof File)) return sendError(response, 400, formError ?? "The file is missing.");
    if (file.size > MAX_FILE_BYTES) return sendError(response, 413, "Maximum content size limit exceeded.");
    const result = await recognizer.recognize(new Uint8Array(await file.arrayBuffer()));
    if (!result) return sendError(response, 400, "The audio file could not be decoded or its format is not supported.");
    transcriptionCount += 1;
    const words = result.words.map(({ text, startMs, endMs }) => {
      return { word: text, start: startMs / 1000, end: endMs / 1000 };
    });
    const text = words.map(({ word }) => word).join(" ");
    const { duration } = result;
    sendJson(response, 200, { task: "transcribe", language: "english", duration, text, words });
  }

  const server = await startHttpServer({ name: "speech", calls, port, handle });
  return {
    url: `${server.url}/v1`,
    countTranscriptions: () => transcriptionCount,
    setInterceptor: (next) => {
      interceptor = next;
    },
    async close() {
      await Promise.all([server.close(), recognizer.close()]);
    },
  };
}

/** Runs in a worker thread: minutes of audio take seconds, which would block the other servers. */
function createRecognizer() {
  let thread: Worker | null = null;
  let nextId = 0;
  const waiting = new Map<number, (result: RecognitionMessage["result"]) => void>();

  function startThread(): Worker {
    const worker = new Worker(join(import.meta.dirname, "speech-worker.ts"), { execArgv: [] });
    worker.on("message", ({ id, result }: RecognitionMessage) => {
      waiting.get(id)?.(result);
      waiting.delete(id);
    });
    worker.unref();
    return worker;
  }

  return {
    recognize(bytes: Uint8Array<ArrayBuffer>): Promise<RecognitionMessage["result"]> {
      thread ??= startThread();
      const message: AudioMessage = { id: nextId++, bytes };
      const result = new Promise<RecognitionMessage["result"]>((resolve) => waiting.set(message.id, resolve));
      thread.postMessage(message, [bytes.buffer]);
      return result;
    },
    async close(): Promise<void> {
      await thread?.terminate();
    },
  };
}

async function readForm(request: IncomingMessage): Promise<FormData> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  return new Response(Buffer.concat(chunks), { headers }).formData().catch(() => new FormData());
}

function findFormError(form: FormData): string | null {
  if (typeof form.get("model") !== "string") return "you must provide a model parameter";
  if (form.get("response_format") !== "verbose_json")
    return "timestamp_granularities need response_format verbose_json";
  return form.getAll("timestamp_granularities[]").includes("word") ? null : "timestamp_granularities must include word";
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: status < 500 ? "invalid_request_error" : "server_error" } });
}
