// An embeddings API in OpenAI's format with the local model.
import * as z from "zod";
import { DIMENSIONS } from "../../lib/ai/embeddings.ts";
import type { CallCounter } from "./call-counter.ts";
import { EMBEDDING_MODEL, localEmbedder } from "./embedding-model.ts";
import { type HttpServer, parseJson, readText, sendJson, startHttpServer } from "./http-server.ts";

const EmbeddingsRequest = z.object({
  model: z.literal(EMBEDDING_MODEL),
  input: z.union([z.string(), z.array(z.string()).min(1).max(2048)]),
  dimensions: z.literal(DIMENSIONS),
  encoding_format: z.literal("float"),
});

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
      const vectors = await localEmbedder.embed(texts);
      const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
      return sendJson(response, 200, { object: "list", model: parsed.data.model, data });
    },
  });
}
