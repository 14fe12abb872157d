// GET /posts of a scope with few posts and of one with a hundred times as many: the list must not feel the difference.
import { performance } from "node:perf_hooks";
import { BASE_PATH } from "../../lib/paths.ts";
import { insertPosts } from "../bulk.ts";
import { interleaved } from "./interleaved.ts";
import type { Cell, Context, Section } from "./section.ts";
import { makeTenant } from "./tenant.ts";

const FEW = 1_000;
const MANY = { short: 20_000, long: 100_000 };
const TURNS = { short: 25, long: 60 };
const RATIO_AT_MOST = 2;
const DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;

const section: Section = {
  title: "Posts at scale",

  async run(context) {
    const { short, say } = context;
    const many = short ? MANY.short : MANY.long;
    const turns = short ? TURNS.short : TURNS.long;
    const scopes = [await scopeOf(context, FEW), await scopeOf(context, many)] as const;
    await context.world.database.exec("analyze");

    const rows: Record<string, Cell>[] = [];
    for (const [request, query] of requests()) {
      const [few, most] = await interleaved(turns, scopes, (token) => ask(context, token, query));
      const ratio = Math.round((most / few) * 100) / 100;
      say(`${request}: ${few} ms with ${FEW} posts, ${most} ms with ${many}`);
      rows.push({
        request,
        [`ms with ${FEW}`]: few,
        [`ms with ${many}`]: most,
        ratio,
        "at most": RATIO_AT_MOST,
        ok: ratio <= RATIO_AT_MOST ? "yes" : "no",
      });
    }
    return [
      {
        title: `GET /posts of ${FEW} and of ${many} posts over ${DAYS} days`,
        note: `Median of ${turns} requests each through the Worker, one of each scope in turn.`,
        rows,
        broken: rows
          .filter(({ ok }) => ok === "no")
          .map((row) => `${row.request} takes ${row.ratio} times as long, at most ${RATIO_AT_MOST} is promised`),
        chart: { file: "posts-at-scale.svg", label: "request", value: "ratio", limit: "at most" },
      },
    ];
  },
};

export default section;

function requests(): [name: string, query: string][] {
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString();
  return [
    ["newest", ""],
    ["one status", "status=failed"],
    ["a status that no post has", "status=retry"],
    ["since 30 days", `since=${day(30)}`],
    ["ten days", `since=${day(60)}&until=${day(50)}`],
  ];
}

/** The token of a workspace with so many posts. */
async function scopeOf(context: Context, count: number): Promise<string> {
  const { tenant, token, accountIds } = await makeTenant(context, ["threads", "bluesky", "twitter"]);
  const began = performance.now();
  const now = Date.now();
  await insertPosts(context.world.database.query, {
    tenant,
    accountIds,
    count,
    statuses: ["posted", "posted", "posted", "failed", "posted"],
    created: [new Date(now - DAYS * DAY_MS), new Date(now)],
    due: [new Date(now - DAYS * DAY_MS), new Date(now)],
    label: `Scale ${count}`,
  });
  context.say(`${count} posts made in ${Math.round(performance.now() - began)} ms`);
  return token;
}

async function ask({ worker }: Context, token: string, query: string): Promise<void> {
  const answer = await fetch(`${worker.url}${BASE_PATH}/posts?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`GET /posts?${query} answered ${answer.status}: ${text}`);
}
