// GET /posts of a scope with few posts and of one with a hundred times as many: latency must not depend on the number.
import { performance } from "node:perf_hooks";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { insertPosts } from "../support/insert-posts.ts";
import { compareScopes } from "./compare-latency.ts";
import type { BenchContext, Section } from "./section.ts";
import { createBenchTenant } from "./tenant.ts";

const FEW = 1_000;
const MANY = { short: 10_000, long: 100_000 };
const ROUNDS = { short: 12, long: 60 };
const DAYS = 90;

const section: Section = {
  title: "Posts at scale",

  async run(context) {
    const { short } = context;
    const many = short ? MANY.short : MANY.long;
    const rounds = short ? ROUNDS.short : ROUNDS.long;
    const scopes = [await createScope(context, FEW), await createScope(context, many)] as const;
    await context.stack.database.exec("analyze");

    return [
      await compareScopes(context, {
        title: `GET /posts of ${FEW} and of ${many} posts over ${DAYS} days`,
        file: "posts-at-scale",
        rounds,
        maxRatio: 2,
        few: { count: FEW, token: scopes[0] },
        many: { count: many, token: scopes[1] },
        requests: listRequests(),
      }),
    ];
  },
};

export default section;

function listRequests(): [name: string, path: string][] {
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString();
  return [
    ["newest", "/posts"],
    ["one status", "/posts?status=failed"],
    ["a status that no post has", "/posts?status=retry"],
    ["since 30 days", `/posts?since=${day(30)}`],
    ["ten days", `/posts?since=${day(60)}&until=${day(50)}`],
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
