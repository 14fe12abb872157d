// A viral library of a given size with a separate Worker and Redis, searched over HTTP.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { createCallCounter } from "../local/call-counter.ts";
import { findFreePort } from "../local/free-port.ts";
import { startRedis } from "../local/redis.ts";
import { formatDotenv } from "../local/stack.ts";
import { startWorker } from "../local/worker.ts";
import { openCorpus } from "../viral-library/corpus.ts";
import type { BenchContext } from "./section.ts";

export type ViralLibrary = Awaited<ReturnType<typeof openViralLibrary>>;

export async function openViralLibrary(context: BenchContext, posts: number) {
  const { stack, onCleanup } = context;
  const { address, newCustomer, close } = await openCorpus(posts);
  onCleanup(close);
  const redis = await startRedis({ token: crypto.randomUUID(), calls: createCallCounter() });
  onCleanup(() => redis.close());
  const folder = join(context.folder, `library-${posts}`);
  await mkdir(folder);
  const varsFile = join(folder, "worker.env");
  const own = { ...address, UPSTASH_REDIS_REST_URL: redis.url, UPSTASH_REDIS_REST_TOKEN: redis.token };
  await writeFile(varsFile, formatDotenv({ ...stack.vars, ...own }), { mode: 0o600 });
  const worker = await startWorker({ port: await findFreePort(), folder, varsFile });
  onCleanup(() => worker.close());

  async function search(token: string, query: Record<string, string>): Promise<void> {
    const path = `/viral-library?${new URLSearchParams(query)}`;
    const response = await fetch(`${worker.url}${BASE_PATH}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${text}`);
  }

  return { posts, address, newCustomer, search };
}
