// An embedding model with OpenAI's wire format, which knows as much as the local corpus taught it.
import * as z from "zod";
import { DIMENSIONS } from "../../lib/search/embedder.ts";
import type { Calls } from "./calls.ts";
import { learn, type Meaning } from "./corpus/meaning.ts";
import { viralPosts } from "./corpus/viral.ts";
import { parseJson, readText, type Served, sendJson, serve } from "./serve.ts";

const Asked = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()).min(1).max(2048)]),
  dimensions: z.literal(DIMENSIONS),
  encoding_format: z.literal("float"),
});

/** How much of the corpus it has read, and the seed of that corpus. */
const TAUGHT = { count: 4_000, seed: 1 };

/** Posts on the same subject lie nearer to each other, others further off. */
export const CUTOFF = 0.75;

let taught: Meaning | null = null;

/** Learns on first use; the same in every process. */
export function localMeaning(): Meaning {
  taught ??= learn(
    [...viralPosts(TAUGHT)].map(({ search_summary: summary, caption }) => `${summary} ${caption}`),
    DIMENSIONS,
  );
  return taught;
}

export function startEmbeddings({ port, calls, key }: { port: number; calls: Calls; key: string }): Promise<Served> {
  return serve({
    what: "embeddings",
    calls,
    port,
    async answer(request, response) {
      if (request.method !== "POST" || request.url !== "/v1/embeddings") {
        return sendJson(response, 404, { error: { message: "POST /v1/embeddings" } });
      }
      if (request.headers.authorization !== `Bearer ${key}`) {
        return sendJson(response, 401, { error: { message: "Incorrect API key provided" } });
      }
      const asked = Asked.safeParse(parseJson(await readText(request)));
      if (!asked.success) return sendJson(response, 400, { error: { message: z.prettifyError(asked.error) } });
      const texts = typeof asked.data.input === "string" ? [asked.data.input] : asked.data.input;
      const data = texts.map((text, index) => ({
        object: "embedding",
        index,
        embedding: localMeaning().vectorOf(text),
      }));
      return sendJson(response, 200, { object: "list", model: asked.data.model, data });
    },
  });
}
