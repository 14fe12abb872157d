// Analytics summaries of 50 accounts with few posts and with ten times as many, with daily snapshots for a year.
import { performance } from "node:perf_hooks";
import { openDatabase } from "../../lib/services/database.ts";
import { generateYear, insertYear } from "../analytics/year.ts";
import { compareScopes } from "./compare-latency.ts";
import type { BenchContext, Section } from "./section.ts";
import { createBenchTenant } from "./tenant.ts";

const TARGETS = 50;
const FEW = 2_000;
const MANY = 20_000;
const DAYS = 365;
const ROUNDS = { short: 12, long: 60 };

const REQUESTS = [
  ["30 days", "summary"],
  ["a year", "summary?range=1y"],
  ["everything", "summary?range=all"],
  ["one platform, 90 days", "summary?range=90d&platforms=tiktok"],
  ["three accounts, a year", "summary?range=1y&accounts=account.1,account.2,account.3"],
  ["posts of 90 days by views", "summary/posts?range=90d&sortBy=views"],
] as const;

const section: Section = {
  title: "Analytics at scale",

  async run(context) {
    const rounds = context.short ? ROUNDS.short : ROUNDS.long;
    const scopes = [await createScope(context, FEW), await createScope(context, MANY)] as const;
    await context.stack.database.exec("analyze");

    return [
      await compareScopes(context, {
        title: `GET /analytics/summary of ${FEW} and of ${MANY} posts of ${TARGETS} accounts, ${DAYS} days`,
        file: "analytics-at-scale",
        rounds,
        maxRatio: 4,
        few: { count: FEW, token: scopes[0] },
        many: { count: MANY, token: scopes[1] },
        requests: REQUESTS.map(([name, path]) => [name, `/analytics/${path}`]),
      }),
    ];
  },
};

export default section;

/** Creates a workspace whose targets have this many posts in total and returns its token. */
async function createScope(context: BenchContext, posts: number): Promise<string> {
  const { tenant, token } = await createBenchTenant(context, []);
  const { DATABASE_URL = "", DATABASE_FETCH_URL } = context.stack.vars;
  const db = openDatabase({ DATABASE_URL, DATABASE_FETCH_URL }, "bench");
  const began = performance.now();
  const shape = { targets: TARGETS, posts, days: DAYS, until: new Date() };
  const year = generateYear(shape);
  await insertYear(db, context.stack.database.query, tenant, year, shape);
  const snapshots = year.reduce((sum, target) => sum + target.posts.reduce((n, { seen }) => n + seen.length, 0), 0);
  context.log(`${posts} posts, ${snapshots} snapshots created in ${Math.round(performance.now() - began)} ms`);
  return token;
}
