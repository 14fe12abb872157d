// Text embeddings by any OpenAI-compatible API or the Workers AI binding.
import * as z from "zod";
import type { AiBinding } from "../services/env.ts";
import { unavailableError } from "../shared/errors.ts";

/** Dimensions of a vector; the pgvector column has the same number. */
export const DIMENSIONS = 384;

export interface Embedder {
  /** Name of the model; vectors of different models are never compared. */
  model: string;
  /** One vector per text, in order. Throws 503 when the provider does not respond. */
  embed(texts: string[]): Promise<number[][]>;
}

interface EmbedderSettings {
  url: string | undefined;
  apiKey: string | undefined;
  model: string | undefined;
  ai: AiBinding | null;
  fetch: typeof fetch;
  /** Waiting time of a call in milliseconds; what a request of the API may wait by default. */
  timeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 10_000;
const WORKERS_AI_MODEL = "@cf/baai/bge-small-en-v1.5";

/** Null when no provider is configured. */
export function createEmbedder(settings: EmbedderSettings): Embedder | null {
  const { url, model, ai, timeoutMs = REQUEST_TIMEOUT_MS } = settings;
  if (url) return createHttpEmbedder({ ...settings, url, model: model ?? "default", timeoutMs });
  return ai ? createWorkersAiEmbedder(ai, model ?? WORKERS_AI_MODEL, timeoutMs) : null;
}

const OpenAiEmbeddings = z.object({ data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()) })) });

interface HttpEmbedderSettings extends EmbedderSettings {
  url: string;
  model: string;
  timeoutMs: number;
}

function createHttpEmbedder({ url, apiKey, model, fetch, timeoutMs }: HttpEmbedderSettings): Embedder {
  return {
    model,
    async embed(input) {
      try {
        const response = await fetch(`${url.replace(/\/+$/, "")}/embeddings`, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...(apiKey ? { Authorization: `Bearer ${apiKey}` } : {}) },
          body: JSON.stringify({ model, input, dimensions: DIMENSIONS, encoding_format: "float" }),
          signal: AbortSignal.timeout(timeoutMs),
        });
        if (!response.ok) throw new Error(`HTTP ${response.status}: ${(await response.text()).slice(0, 200)}`);
        const { data } = OpenAiEmbeddings.parse(await response.json());
        return checkVectors(
          input,
          data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding),
        );
      } catch (error) {
        throw unavailableError("embedding model", error);
      }
    },
  };
}

const WorkersAiEmbeddings = z.object({ data: z.array(z.array(z.number())) });

function createWorkersAiEmbedder(ai: AiBinding, model: string, timeoutMs: number): Embedder {
  return {
    model,
    async embed(text) {
      try {
        const response = await ai.run(model, { text }, { signal: AbortSignal.timeout(timeoutMs) });
        return checkVectors(text, WorkersAiEmbeddings.parse(response).data);
      } catch (error) {
        throw unavailableError("embedding model", error);
      }
    },
  };
}

function checkVectors(texts: string[], vectors: number[][]): number[][] {
  const fit = vectors.length === texts.length && vectors.every((vector) => vector.length === DIMENSIONS);
  if (fit) return vectors;
  throw new Error(`expected ${texts.length} vectors of ${DIMENSIONS} dimensions, got ${vectors.map((v) => v.length)}`);
}
