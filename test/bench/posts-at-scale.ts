// GET /posts of a scope with few posts and of one with a hundred times as many: latency must not depend on the number.
import { performance } from "node:perf_hooks";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { insertPosts } from "../support/insert-posts.ts";
import { compareLatency } from "./compare-latency.ts";
import type { BenchContext, Cell, Section } from "./section.ts";
import { createBenchTenant } from "./tenant.ts";

const FEW = 1_000;
const MANY = { short: 10_000, long: 100_000 };
const ROUNDS = { short: 12, long: 60 };
const MAX_RATIO = 2;
const DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;

const section: Section = {
  title: "Posts at scale",

  async run(context) {
    const { short, log } = context;
    const many = short ? MANY.short : MANY.long;
    const rounds = short ? ROUNDS.short : ROUNDS.long;
    const scopes = [await createScope(context, FEW), await createScope(context, many)] as const;
    await context.stack.database.exec("analyze");

    const rows: Record<string, Cell>[] = [];
    for (const [request, query] of listRequests()) {
      const [few, most] = await compareLatency(rounds, scopes, (token) => sendRequest(context, token, query));
      const ratio = Math.round((most / few) * 100) / 100;
      log(`${request}: ${few} ms with ${FEW} posts, ${most} ms with ${many}`);
      rows.push({
        request,
        [`ms with ${FEW}`]: few,
        [`ms with ${many}`]: most,
        ratio,
        "at most": MAX_RATIO,
        ok: ratio <= MAX_RATIO ? "yes" : "no",
      });
    }
    return [
      {
        title: `GET /posts of ${FEW} and of ${many} posts over ${DAYS} days`,
        note: `Median of ${rounds} requests each through the Worker, alternating between the scopes.`,
        rows,
        broken: rows
          .filter(({ ok }) => ok === "no")
          .map((row) => `${row.request} takes ${row.ratio} times as long, the limit is ${MAX_RATIO}`),
        chart: { file: "posts-at-scale.svg", label: "request", value: "ratio", limit: "at most" },
      },
    ];
  },
};

export default section;

function listRequests(): [name: string, query: string][] {
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString();
  return [
    ["newest", ""],
    ["one status", "status=failed"],
    ["a status that no post has", "status=retry"],
    ["since 30 days", `since=${day(30)}`],
    ["ten days", `since=${day(60)}&until=${day(50)}`],
  ];
}

/** Creates a workspace with this many posts and returns its token. */
async function createScope(context: BenchContext, count: number): Promise<string> {
  const { tenant, token, accountIds } = await createBenchTenant(context, ["threads", "bluesky", "twitter"]);
  const began = performance.now();
  const now = Date.now();
  await insertPosts(context.stack.database.query, {
    tenant,
    accountIds,
    count,
    statuses: ["posted", "posted", "posted", "failed", "posted"],
    created: [new Date(now - DAYS * DAY_MS), new Date(now)],
    due: [new Date(now - DAYS * DAY_MS), new Date(now)],
    label: `Scale ${count}`,
  });
  context.log(`${count} posts created in ${Math.round(performance.now() - began)} ms`);
  return token;
}

async function sendRequest({ worker }: BenchContext, token: string, query: string): Promise<void> {
  const response = await fetch(`${worker.url}${BASE_PATH}/posts?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET /posts?${query} returned ${response.status}: ${text}`);
}
