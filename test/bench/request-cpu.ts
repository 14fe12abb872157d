// CPU time of one request in each process: a change shows on a busy machine too, where requests per second do not.
import { v7 as newId } from "uuid";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { resetRateLimits } from "../local/reset-rate-limits.ts";
import { insertPosts } from "../support/insert-posts.ts";
import { median } from "../support/statistics.ts";
import { startBareHono } from "./bare-hono.ts";
import { createClient } from "./client.ts";
import { findDescendants, findProcesses, measureUsage } from "./process-usage.ts";
import { openRequestThread, type SentBatch, type SentRequest } from "./request-thread.ts";
import type { BenchContext, Cell, Section, Table } from "./section.ts";
import { createBenchTenant } from "./tenant.ts";

const CONCURRENCY = 10;
const POSTS = 1_000;
const SIZE = { short: { rounds: 3, requests: 60 }, long: { rounds: 9, requests: 100 } } as const;
const FLOOR = "an empty route";

interface Target {
  what: string;
  /** The requests of a round; what they need is made before they are counted. */
  prepare(count: number): Promise<SentRequest[]>;
}

/** CPU of one request, in milliseconds, by process. */
type Cost = Record<(typeof PROCESSES)[number], number> & { rate: number };

const PROCESSES = ["client", "Worker", "bridge", "storage", "PostgreSQL", "Redis"] as const;

const section: Section = {
  title: "CPU of a request",

  async run(context) {
    const { rounds, requests } = context.short ? SIZE.short : SIZE.long;
    const targets = await listTargets(context);
    const thread = openRequestThread();
    context.onCleanup(() => thread.close());
    const costs = new Map<string, Cost[]>(targets.map(({ what }) => [what, []]));
    for (const { prepare } of targets) await thread.send(await prepare(requests), CONCURRENCY);
    for (let round = 0; round < rounds; round++) {
      for (const { what, prepare } of round % 2 === 0 ? targets : targets.toReversed()) {
        await resetRateLimits(context.stack.vars);
        const prepared = await prepare(requests);
        costs.get(what)?.push(await measureCost(context, () => thread.send(prepared, CONCURRENCY), requests));
      }
      context.log(`round ${round + 1} of ${rounds}`);
    }
    return [toTable(costs, rounds, requests)];
  },
};

export default section;

async function listTargets(context: BenchContext): Promise<Target[]> {
  const { stack, worker } = context;
  const bare = await startBareHono(context, {});
  const { tenant, token, accountIds } = await createBenchTenant(context, ["bluesky", "threads", "twitter"]);
  const now = Date.now();
  const created = [new Date(now - 90 * DAY_MS), new Date(now - DAY_MS)] as const;
  const statuses = ["posted", "posted", "posted", "failed", "posted"] as const;
  await insertPosts(stack.database.query, {
    ...{ tenant, accountIds, count: POSTS, statuses: [...statuses], created, due: created, label: "Measured" },
  });
  await stack.database.exec("analyze");
  const api = createClient(context, "workspace");
  const mediaUrl = await api.finalize(await api.upload(), {});
  const workspaceKey = stack.seed.keys.workspace;
  const request = (method: string, path: string, key: string, body: unknown = null): SentRequest => ({
    url: `${worker.url}${BASE_PATH}${path}`,
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(method === "POST" ? { "content-type": "application/json", "idempotency-key": newId() } : {}),
    },
    body: body === null ? null : JSON.stringify(body),
  });
  const repeat = (build: () => SentRequest) => async (count: number) => Array.from({ length: count }, build);
  // From tomorrow on an account posts twelve times a day, which is much: what is around the time of a post is compared with it.
  let scheduled = 0;
  const nextTime = () => new Date(now + DAY_MS + (scheduled++ * DAY_MS) / 12).toISOString();
  const text = () => ({ caption: `Measured ${newId()}`, accounts: [{ id: accountIds[0] }], scheduled_at: nextTime() });
  return [
    { what: FLOOR, prepare: repeat(() => ({ url: `${bare.url}/`, method: "GET", headers: {}, body: null })) },
    { what: "GET /accounts", prepare: repeat(() => request("GET", "/accounts", token)) },
    { what: `GET /posts, the latest 20 of ${POSTS}`, prepare: repeat(() => request("GET", "/posts?limit=20", token)) },
    { what: "POST /posts, text", prepare: repeat(() => request("POST", "/posts", token, text())) },
    {
      what: "POST /posts, media",
      prepare: repeat(() =>
        request("POST", "/posts", workspaceKey, { ...api.buildPost(mediaUrl), scheduled_at: nextTime() }),
      ),
    },
    {
      what: "POST /files/{id}/finalize",
      async prepare(count) {
        const ids = await Promise.all(Array.from({ length: count }, api.upload));
        return ids.map((id) => request("POST", `/files/${id}/finalize`, workspaceKey));
      },
    },
  ];
}

/** The difference of the CPU times of all processes before and after, without those that nothing was sent to. */
async function measureCost(context: BenchContext, send: () => Promise<SentBatch>, requests: number): Promise<Cost> {
  const before = readCpu(context);
  const { cpuMs: client, seconds } = await send();
  const after = readCpu(context);
  const each = (name: keyof typeof after) => ((after[name] - before[name]) * 1000) / requests;
  return {
    rate: requests / seconds,
    client: client / requests,
    Worker: each("Worker"),
    // The servers of this process, without the thread of the client.
    bridge: each("bridge") - client / requests,
    storage: each("storage"),
    PostgreSQL: each("PostgreSQL"),
    Redis: each("Redis"),
  };
}

/** Seconds so far. Servers of the machine count whole: nothing else may use them meanwhile. */
function readCpu({ worker, stack: { storage } }: BenchContext) {
  const ofStorage = [storage.pid, ...findDescendants(storage.pid, "workerd")];
  const runtimes = findDescendants(process.pid, "workerd").filter((pid) => !ofStorage.includes(pid));
  const { user, system } = process.cpuUsage();
  const read = (pids: number[]) => measureUsage(pids)?.cpuSeconds ?? 0;
  return {
    Worker: read([worker.pid(), ...runtimes]),
    storage: read(ofStorage),
    bridge: (user + system) / 1e6,
    PostgreSQL: process.env.LOCAL_POSTGRES_URL ? read(findProcesses("postgres")) : 0,
    Redis: process.env.LOCAL_REDIS_URL ? read(findProcesses("redis-server")) : 0,
  };
}

const sumUp = (cost: Cost) => PROCESSES.reduce((sum, name) => sum + cost[name], 0);
const round = (value: number) => Math.round(value * 100) / 100;

function toTable(costs: Map<string, Cost[]>, rounds: number, requests: number): Table {
  const floor = median((costs.get(FLOOR) ?? []).map(sumUp));
  return {
    title: `CPU of one request in milliseconds, ${CONCURRENCY} at a time`,
    note:
      `Medians of ${rounds} rounds of ${requests} requests, in turns. The bridge is this process: Neon's protocol in front of the ` +
      "database, and the embedded database and Redis themselves where no servers are named. PostgreSQL and Redis are all " +
      "processes of this machine with these names. The empty route is a bare Hono Worker on the same runtime.",
    rows: [...costs].map(([what, each]): Record<string, Cell> => {
      const total = median(each.map(sumUp));
      return {
        request: what,
        "a second": Math.round(median(each.map(({ rate }) => rate))),
        ...Object.fromEntries(PROCESSES.map((name) => [name, round(median(each.map((cost) => cost[name])))])),
        all: round(total),
        "beyond the empty route": round(total - floor),
      };
    }),
    broken: [],
  };
}
