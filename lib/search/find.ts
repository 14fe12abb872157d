// A search of the viral library: the query's vector and the walk through its results are remembered, the rest is SQL.
import stringify from "safe-stable-stringify";
import type { Call } from "../call.ts";
import { describeError } from "../describe-error.ts";
import { refuse } from "../errors.ts";
import * as viral from "../queries/viral.ts";
import { REACH, type ViralPost, type ViralQuery } from "../schemas/viral.ts";
import { sha256Hex } from "../secrets.ts";
import { type Embedder, embedderOf } from "./embedder.ts";

type Io = Pick<Call, "db" | "redis" | "env" | "fetch" | "key" | "after" | "log">;

interface Walk {
  ids: string[];
  total: number;
}

export interface Remembered {
  vector: number[] | null;
  walk: Walk | null;
}

export interface Page {
  posts: ViralPost[];
  total: number;
  has_more: boolean;
  next_offset: number | null;
}

const VECTOR_SECONDS = 7 * 24 * 60 * 60;
/** A walk sees the library as it was at its first page: what is imported meanwhile neither repeats nor hides a post. */
const WALK_SECONDS = 15 * 60;

/** What earlier requests left: leaves together with the charge of the limits, as one round trip. */
export async function recall(io: Io, query: ViralQuery): Promise<Remembered> {
  const embedder = embedderFor(io);
  const [vector, walk] = await Promise.all([
    query.q && embedder ? io.redis.get<number[]>(vectorName(embedder, query.q)) : null,
    query.offset > 0 ? io.redis.get<Walk>(walkName(io, query)) : null,
  ]);
  return { vector, walk };
}

export async function find(io: Io, query: ViralQuery, { vector, walk }: Remembered): Promise<Page> {
  if (walk) {
    const posts = await viral.pick(io.db, walk.ids.slice(query.offset, query.offset + query.limit));
    return pageOf(query, posts, walk);
  }
  const meaning = query.q ? { vector: vector ?? (await embed(io, query.q)), cutoff: io.env.EMBEDDINGS_CUTOFF } : null;
  const { posts, ...found } = await viral.search(io.db, query, meaning);
  const page = pageOf(query, posts, found);
  if (page.next_offset !== null) io.after(io.redis.set(walkName(io, query), found, { ex: WALK_SECONDS }));
  return page;
}

function pageOf({ offset, limit }: ViralQuery, posts: ViralPost[], { ids, total }: Walk): Page {
  const next = offset + limit;
  const more = ids.length > next;
  const reachable = Math.min(ids.length, REACH);
  return { posts, total, has_more: more, next_offset: more && next < reachable && next <= LAST_OFFSET ? next : null };
}

/** The query's largest offset. */
const LAST_OFFSET = 960;

async function embed(io: Io, q: string): Promise<number[]> {
  const embedder = embedderFor(io);
  if (!embedder) {
    throw refuse("provider_unavailable", "Search by meaning (q) is not set up on this service. Search with filters.", {
      retry_after_seconds: 3600,
    });
  }
  const [vector = []] = await embedder.embed([q]);
  const keeping = io.redis.set(vectorName(embedder, q), vector, { ex: VECTOR_SECONDS });
  io.after(keeping.catch((error) => io.log({ level: "error", error: describeError(error) })));
  return vector;
}

function embedderFor({ env, fetch }: Io): Embedder | null {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model, ai } = env;
  return embedderOf({ url, apiKey, model, ai, fetch });
}

function vectorName({ model }: Embedder, q: string): string {
  return `vector:${sha256Hex(`${model}\n${q}`)}`;
}

/** The same for every page of one walk of one customer. */
function walkName({ key }: Io, { limit: _, offset: __, ...query }: ViralQuery): string {
  return `walk:${key.scope.id}:${sha256Hex(stringify(query) ?? "")}`;
}
