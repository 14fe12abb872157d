// Searches the viral library. The query's vector and the result ids for paging are cached; the rest is SQL.

import stringify from "safe-stable-stringify";
import { createEmbedder, type Embedder } from "../ai/embeddings.ts";
import { findViralPosts, type StoredViralPost, searchViralPosts } from "../queries/viral.ts";
import { MAX_OFFSET, MAX_RESULTS, type ViralPost, type ViralQuery } from "../schemas/viral.ts";
import type { ReadContext } from "../services/context.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { encodeCursor } from "../shared/cursor.ts";
import { DAY_SECONDS } from "../shared/durations.ts";
import { apiError } from "../shared/errors.ts";
import { formatError } from "../shared/format-error.ts";
import { toViralPostResponse } from "./to-response.ts";

type Context = Pick<ReadContext, "db" | "redis" | "env" | "fetch" | "key" | "waitUntil" | "log">;

interface ResultSnapshot {
  ids: string[];
  total: number;
}

export interface CachedSearch {
  vector: number[] | null;
  snapshot: ResultSnapshot | null;
}

export interface SearchPage {
  posts: ViralPost[];
  total: number;
  has_more: boolean;
  next_offset: number | null;
  next_cursor: string | null;
}

const VECTOR_SECONDS = 7 * DAY_SECONDS;
/** All pages show the results of the first page's time, so that an import neither repeats nor hides a post. */
const SNAPSHOT_SECONDS = 15 * 60;
/** For a cursor, which names its results: a later search with the same query does not replace them. */
const RESULTS_SECONDS = 60 * 60;

/** Reads the caches of earlier requests, in the same round trip as the rate limits. */
export async function loadCachedSearch(context: Context, query: ViralQuery): Promise<CachedSearch> {
  const embedder = getEmbedder(context);
  const [vector, snapshot] = await Promise.all([
    query.q && embedder ? context.redis.get<number[]>(toVectorKey(embedder, query.q)) : null,
    query.cursor || query.offset > 0 ? context.redis.get<ResultSnapshot>(toSnapshotKey(context, query)) : null,
  ]);
  return { vector, snapshot };
}

export async function searchViralLibrary(
  context: Context,
  query: ViralQuery,
  { vector, snapshot }: CachedSearch,
): Promise<SearchPage> {
  const offset = Math.min(MAX_RESULTS, (query.cursor?.offset ?? 0) + query.offset);
  const place = { offset, limit: Math.min(query.limit, MAX_RESULTS - offset) };
  if (snapshot) {
    const posts = await findViralPosts(context.db, snapshot.ids.slice(offset, offset + place.limit));
    return toPage(place, posts, snapshot);
  }
  const meaning = query.q
    ? { vector: vector ?? (await embedQuery(context, query.q)), cutoff: context.env.EMBEDDINGS_CUTOFF }
    : null;
  const { posts, ...found } = await searchViralPosts(context.db, { ...query, ...place }, meaning);
  const page = toPage(place, posts, found);
  if (page.next_offset !== null) context.waitUntil(storeSnapshots(context, query, found));
  return page;
}

/** Once for pages by offset, which have no name for it, and once for those by cursor. */
async function storeSnapshots(context: Context, query: ViralQuery, found: ResultSnapshot): Promise<void> {
  const results = nameResults(found);
  await Promise.all([
    context.redis.set(toSnapshotKey(context, { ...query, cursor: undefined }), found, { ex: SNAPSHOT_SECONDS }),
    context.redis.set(toSnapshotKey(context, { ...query, cursor: { offset: 0, results } }), found, {
      ex: RESULTS_SECONDS,
    }),
  ]);
}

function nameResults({ ids }: ResultSnapshot): string {
  return sha256Hex(ids.join("\n"));
}

function toPage(
  { offset, limit }: Pick<ViralQuery, "offset" | "limit">,
  posts: StoredViralPost[],
  found: ResultSnapshot,
): SearchPage {
  const { ids, total } = found;
  const next = offset + limit;
  const more = ids.length > next;
  const reachable = Math.min(ids.length, MAX_RESULTS);
  const isReachable = more && next < reachable && next <= MAX_OFFSET;
  return {
    posts: posts.map((post) => toViralPostResponse(post)),
    total,
    has_more: more,
    next_offset: isReachable ? next : null,
    next_cursor: isReachable ? encodeCursor([next, nameResults(found)]) : null,
  };
}

async function embedQuery(context: Context, q: string): Promise<number[]> {
  const embedder = getEmbedder(context);
  if (!embedder) {
    throw apiError(
      "provider_unavailable",
      "Semantic search (q) is not configured on this service. Search with filters instead.",
      {
        retry_after_seconds: 3600,
      },
    );
  }
  const [vector = []] = await embedder.embed([q]);
  const caching = context.redis.set(toVectorKey(embedder, q), vector, { ex: VECTOR_SECONDS });
  context.waitUntil(caching.catch((error) => context.log({ level: "error", error: formatError(error) })));
  return vector;
}

function getEmbedder({ env, fetch }: Context): Embedder | null {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model, ai } = env;
  return createEmbedder({ url, apiKey, model, ai, fetch });
}

function toVectorKey({ model }: Embedder, q: string): string {
  return `vector:${sha256Hex(`${model}\n${q}`)}`;
}

/** The same for every page of one query of one customer; pages by cursor have the results that the cursor names. */
function toSnapshotKey({ key }: Context, { limit: _, offset: __, cursor, ...query }: ViralQuery): string {
  const search = `viral-search:${key.scope.id}:${sha256Hex(stringify(query) ?? "")}`;
  return cursor ? `${search}:${cursor.results}` : search;
}
