// Texts to vectors, behind one small interface: any OpenAI-compatible API, or the Workers AI binding.
import * as z from "zod";
import type { AiBinding } from "../env.ts";
import { unavailable } from "../errors.ts";

/** Numbers in a vector; the column in Postgres has as many. */
export const DIMENSIONS = 384;

export interface Embedder {
  /** Names what the vectors were made by: those of two models never meet. */
  model: string;
  /** One vector per text, in order. Throws 503 when the provider does not answer. */
  embed(texts: string[]): Promise<number[][]>;
}

interface Settings {
  url: string | undefined;
  apiKey: string | undefined;
  model: string | undefined;
  ai: AiBinding | null;
  fetch: typeof fetch;
}

const TIME_LIMIT_MS = 10_000;
const WORKERS_AI_MODEL = "@cf/baai/bge-small-en-v1.5";

/** Null when no provider is configured. */
export function embedderOf({ url, apiKey, model, ai, fetch }: Settings): Embedder | null {
  if (url) return overHttp(`${url.replace(/\/+$/, "")}/embeddings`, apiKey, model ?? "default", fetch);
  return ai ? onWorkersAi(ai, model ?? WORKERS_AI_MODEL) : null;
}

const OpenAiAnswer = z.object({ data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()) })) });

function overHttp(url: string, apiKey: string | undefined, model: string, fetch: Settings["fetch"]): Embedder {
  return {
    model,
    async embed(input) {
      try {
        const answer = await fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...(apiKey ? { Authorization: `Bearer ${apiKey}` } : {}) },
          body: JSON.stringify({ model, input, dimensions: DIMENSIONS, encoding_format: "float" }),
          signal: AbortSignal.timeout(TIME_LIMIT_MS),
        });
        if (!answer.ok) throw new Error(`HTTP ${answer.status}: ${(await answer.text()).slice(0, 200)}`);
        const { data } = OpenAiAnswer.parse(await answer.json());
        return checked(
          input,
          data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding),
        );
      } catch (error) {
        throw unavailable("embedding model", error);
      }
    },
  };
}

const WorkersAiAnswer = z.object({ data: z.array(z.array(z.number())) });

function onWorkersAi(ai: AiBinding, model: string): Embedder {
  return {
    model,
    async embed(text) {
      try {
        const answer = await ai.run(model, { text }, { signal: AbortSignal.timeout(TIME_LIMIT_MS) });
        return checked(text, WorkersAiAnswer.parse(answer).data);
      } catch (error) {
        throw unavailable("embedding model", error);
      }
    },
  };
}

function checked(texts: string[], vectors: number[][]): number[][] {
  const fit = vectors.length === texts.length && vectors.every((vector) => vector.length === DIMENSIONS);
  if (fit) return vectors;
  throw new Error(`asked for ${texts.length} vectors of ${DIMENSIONS} numbers, got ${vectors.map((v) => v.length)}`);
}
