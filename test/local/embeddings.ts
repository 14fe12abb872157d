// A fake embeddings API in OpenAI's format, backed by a model trained on the local corpus.
import * as z from "zod";
import { DIMENSIONS } from "../../lib/ai/embeddings.ts";
import type { CallCounter } from "./call-counter.ts";
import { type TextVectorModel, trainTextVectors } from "./corpus/text-vectors.ts";
import { generateViralPosts } from "./corpus/viral.ts";
import { type HttpServer, parseJson, readText, sendJson, startHttpServer } from "./http-server.ts";

const EmbeddingsRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()).min(1).max(2048)]),
  dimensions: z.literal(DIMENSIONS),
  encoding_format: z.literal("float"),
});

/** Size and seed of the corpus for training. */
const TRAINING_CORPUS = { count: 4_000, seed: 1 };

/** Cosine distance: posts on the same topic are closer to each other, others further apart. */
export const MAX_COSINE_DISTANCE = 0.75;

let trainedModel: TextVectorModel | null = null;

/** Trains on first use; deterministic across processes. */
export function getLocalModel(): TextVectorModel {
  trainedModel ??= trainTextVectors(
    [...generateViralPosts(TRAINING_CORPUS)].map(({ search_summary: summary, caption }) => `${summary} ${caption}`),
    DIMENSIONS,
  );
  return trainedModel;
}

export function startEmbeddings({
  port,
  calls,
  key,
}: {
  port: number;
  calls: CallCounter;
  key: string;
}): Promise<HttpServer> {
  return startHttpServer({
    name: "embeddings",
    calls,
    port,
    async handle(request, response) {
      if (request.method !== "POST" || request.url !== "/v1/embeddings") {
        return sendJson(response, 404, { error: { message: "POST /v1/embeddings" } });
      }
      if (request.headers.authorization !== `Bearer ${key}`) {
        return sendJson(response, 401, { error: { message: "Incorrect API key provided" } });
      }
      const parsed = EmbeddingsRequest.safeParse(parseJson(await readText(request)));
      if (!parsed.success) return sendJson(response, 400, { error: { message: z.prettifyError(parsed.error) } });
      const texts = typeof parsed.data.input === "string" ? [parsed.data.input] : parsed.data.input;
      const data = texts.map((text, index) => ({
        object: "embedding",
        index,
        embedding: getLocalModel().embed(text),
      }));
      return sendJson(response, 200, { object: "list", model: parsed.data.model, data });
    },
  });
}
