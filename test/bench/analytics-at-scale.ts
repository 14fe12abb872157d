// The summary of 50 accounts with few posts and with ten times as many, a year of daily looks at each of them.
import { performance } from "node:perf_hooks";
import { connect } from "../../lib/db.ts";
import { BASE_PATH } from "../../lib/paths.ts";
import { insertYear, makeYear } from "../analytics/year.ts";
import { interleaved } from "./interleaved.ts";
import type { Cell, Context, Section } from "./section.ts";
import { makeTenant } from "./tenant.ts";

const TARGETS = 50;
const FEW = 2_000;
const MANY = 20_000;
const DAYS = 365;
const TURNS = { short: 25, long: 60 };
const RATIO_AT_MOST = 4;

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
    const turns = context.short ? TURNS.short : TURNS.long;
    const scopes = [await scopeOf(context, FEW), await scopeOf(context, MANY)] as const;
    await context.world.database.exec("analyze");

    const rows: Record<string, Cell>[] = [];
    for (const [request, path] of REQUESTS) {
      const [few, most] = await interleaved(turns, scopes, (token) => ask(context, token, path));
      const ratio = Math.round((most / few) * 100) / 100;
      context.say(`${request}: ${few} ms with ${FEW} posts, ${most} ms with ${MANY}`);
      rows.push({
        request,
        [`ms with ${FEW}`]: few,
        [`ms with ${MANY}`]: most,
        ratio,
        "at most": RATIO_AT_MOST,
        ok: ratio <= RATIO_AT_MOST ? "yes" : "no",
      });
    }
    return [
      {
        title: `GET /analytics/summary of ${FEW} and of ${MANY} posts of ${TARGETS} accounts, ${DAYS} days`,
        note: `Median of ${turns} requests each through the Worker, one of each scope in turn.`,
        rows,
        broken: rows
          .filter(({ ok }) => ok === "no")
          .map((row) => `${row.request} takes ${row.ratio} times as long, at most ${RATIO_AT_MOST} is promised`),
        chart: { file: "analytics-at-scale.svg", label: "request", value: "ratio", limit: "at most" },
      },
    ];
  },
};

export default section;

/** The token of a workspace whose targets have so many posts. */
async function scopeOf(context: Context, posts: number): Promise<string> {
  const { tenant, token } = await makeTenant(context, []);
  const { DATABASE_URL = "", DATABASE_FETCH_URL } = context.world.vars;
  const db = connect({ DATABASE_URL, DATABASE_FETCH_URL }, "bench");
  const began = performance.now();
  const shape = { targets: TARGETS, posts, days: DAYS, until: new Date() };
  const year = makeYear(shape);
  await insertYear(db, context.world.database.query, tenant, year, shape);
  const snapshots = year.reduce((sum, target) => sum + target.posts.reduce((n, { seen }) => n + seen.length, 0), 0);
  context.say(`${posts} posts, ${snapshots} snapshots made in ${Math.round(performance.now() - began)} ms`);
  return token;
}

async function ask({ worker }: Context, token: string, path: string): Promise<void> {
  const answer = await fetch(`${worker.url}${BASE_PATH}/analytics/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`GET /analytics/${path} answered ${answer.status}: ${text}`);
}
