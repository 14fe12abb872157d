// A viral library of a given size with a separate Worker and Redis, searched over HTTP.
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toEmbeddingText, ViralLine } from "../../functions/commands/import-viral.ts";
import { migrate } from "../../functions/commands/migrate.ts";
import type { Embedder } from "../../lib/ai/embeddings.ts";
import { openDatabase } from "../../lib/services/database.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { createCallCounter } from "../local/call-counter.ts";
import { createRandom } from "../local/corpus/random.ts";
import { VIRAL_CORPUS, type ViralPostLine } from "../local/corpus/viral.ts";
import { startDatabase } from "../local/database.ts";
import { localEmbedder } from "../local/embedding-model.ts";
import { findFreePort } from "../local/free-port.ts";
import { startRedis } from "../local/redis.ts";
import { formatDotenv } from "../local/stack.ts";
import { startWorker } from "../local/worker.ts";
import { openCorpus } from "../viral-library/corpus.ts";
import type { BenchContext } from "./section.ts";

/** Beside a vector of length 1: a distance of 0.3, where two posts of one topic have 0.67. */
const NOISE = 1;

/**
 * The model would take over an hour for 100,000 posts: beyond those with stored vectors, a post gets the vector of an earlier one of
 * the same topic, with noise.
 */
function createRepeatingEmbedder(lines: ViralPostLine[]): Embedder {
  const texts = lines.map((line) => toEmbeddingText(ViralLine.parse(line)));
  const places = new Map(texts.map((text, at) => [text, at]));
  const random = createRandom(1);
  async function embed(text: string): Promise<number[]> {
    const at = places.get(text) ?? 0;
    const origin = texts[at % VIRAL_CORPUS.count] ?? text;
    const [vector = []] = await localEmbedder.embed([origin]);
    if (origin === text) return vector;
    const noise = vector.map(() => random.next() - 0.5);
    const scale = NOISE / Math.hypot(...noise);
    return vector.map((value, place) => value + (noise[place] ?? 0) * scale);
  }
  return { model: localEmbedder.model, embed: (batch) => Promise.all(batch.map(embed)) };
}

export type ViralLibrary = Awaited<ReturnType<typeof openViralLibrary>>;

export async function openViralLibrary(context: BenchContext, given: number | ViralPostLine[]) {
  const { stack, onCleanup } = context;
  const database = await startDatabase({ calls: createCallCounter() });
  const config = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };
  await migrate(config);
  const opened = { database, db: openDatabase(config, "library"), config };
  const { address, lines, newCustomer, close } = await openCorpus(opened, given, createRepeatingEmbedder, context.log);
  const posts = lines.length;
  onCleanup(close);
  const redis = await startRedis({ token: crypto.randomUUID(), calls: createCallCounter() });
  onCleanup(() => redis.close());
  const folder = await mkdtemp(join(context.folder, `library-${posts}-`));
  const varsFile = join(folder, "worker.env");
  const own = { ...address, UPSTASH_REDIS_REST_URL: redis.url, UPSTASH_REDIS_REST_TOKEN: redis.token };
  await writeFile(varsFile, formatDotenv({ ...stack.vars, ...own }), { mode: 0o600 });
  const worker = await startWorker({ port: await findFreePort(), folder, varsFile });
  onCleanup(() => worker.close());

  async function search(token: string, query: Record<string, string>): Promise<void> {
    const path = `/viral-library?${new URLSearchParams(query)}`;
    const response = await fetch(`${worker.url}${BASE_PATH}${path}`, {
      headers: { authorization: `Bearer ${token}`, connection: "close" },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${text}`);
  }

  return { posts, address, newCustomer, search };
}
