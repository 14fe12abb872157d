// A viral library of so many posts, with a Worker and a Redis of its own, searched over HTTP.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BASE_PATH } from "../../lib/paths.ts";
import { createCalls } from "../local/calls.ts";
import { startRedis } from "../local/redis.ts";
import { startWorker } from "../local/worker.ts";
import { dotenv } from "../local/world.ts";
import { openCorpus } from "../search/corpus.ts";
import { freePort } from "./port.ts";
import type { Context } from "./section.ts";

export type Library = Awaited<ReturnType<typeof openLibrary>>;

export async function openLibrary(context: Context, posts: number) {
  const { world, atEnd } = context;
  const { address, newCustomer, close } = await openCorpus(posts);
  atEnd(close);
  const redis = await startRedis({ token: crypto.randomUUID(), calls: createCalls() });
  atEnd(() => redis.close());
  const folder = join(context.folder, `library-${posts}`);
  await mkdir(folder);
  const varsFile = join(folder, "worker.env");
  const own = { ...address, UPSTASH_REDIS_REST_URL: redis.url, UPSTASH_REDIS_REST_TOKEN: redis.token };
  await writeFile(varsFile, dotenv({ ...world.vars, ...own }), { mode: 0o600 });
  const worker = await startWorker({ port: await freePort(), folder, varsFile });
  atEnd(() => worker.close());

  async function search(token: string, query: Record<string, string>): Promise<void> {
    const path = `/viral-library?${new URLSearchParams(query)}`;
    const answer = await fetch(`${worker.url}${BASE_PATH}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${text}`);
  }

  return { posts, address, newCustomer, search };
}
