// Requests per second of reads through the Worker, beside a bare Hono route and beside the same SQL without a Worker.
import { performance } from "node:perf_hooks";
import { startBareHono } from "./bare-hono.ts";
import { clientOf } from "./client.ts";
import type { Cell, Context, Section } from "./section.ts";
import { recordSql } from "./sql.ts";

const POSTS = 20;
const WARM_UP = 40;
const CONCURRENT = 10;
/** Whichever comes first ends a measurement, so that a busy machine makes it rougher and not longer. */
const SHORT = { requests: 300, ms: 1_500 };
const LONG = { requests: 2_000, ms: 20_000 };

type Ask = () => Promise<unknown>;

const section: Section = {
  title: "Requests per second",

  async run(context) {
    const { short, say } = context;
    const limit = short ? SHORT : LONG;
    const api = clientOf(context, "workspace");
    await makePosts(context);
    const bare = await startBareHono(context);

    const rows: Record<string, Cell>[] = [];
    const hono = await rates("bare Hono route", say, limit, bare.ask);
    rows.push({ what: "bare Hono route", ...hono });
    for (const path of ["/accounts", "/posts"]) {
      const sql = await recordSql(context, "workspace", path);
      const straight = await rates(`SQL of GET ${path}`, say, limit, sql);
      const worker = await rates(`GET ${path}`, say, limit, () => api.call("GET", path, {}));
      rows.push({ what: `SQL of GET ${path}, straight to the database`, ...straight });
      rows.push({
        what: `GET ${path}`,
        ...worker,
        "of bare Hono": share(worker["10 at a time"], hono["10 at a time"]),
        "of its SQL": share(worker["10 at a time"], straight["10 at a time"]),
      });
    }
    return [
      {
        title: `Requests per second, ${limit.requests} requests or ${limit.ms / 1000} s each`,
        note:
          "One run. Load, database and Worker share this machine; both Workers run in wrangler dev. " +
          `The shares compare ${CONCURRENT} at a time.`,
        rows,
        broken: [],
      },
    ];
  },
};

export default section;

/** A list that has something to read. */
async function makePosts(context: Context): Promise<void> {
  const api = clientOf(context, "workspace");
  const body = api.post(await api.finalize(await api.upload(), {}));
  for (let made = 0; made < POSTS; made++) await api.call("POST", "/posts", { body });
}

async function rates(what: string, say: Context["say"], limit: typeof LONG, ask: Ask) {
  await perSecond({ ...limit, requests: WARM_UP }, CONCURRENT, ask);
  const one = await perSecond(limit, 1, ask);
  const many = await perSecond(limit, CONCURRENT, ask);
  say(`${what}: ${one}/s one at a time, ${many}/s with ${CONCURRENT}`);
  return { "one at a time": one, "10 at a time": many };
}

async function perSecond({ requests, ms }: typeof LONG, concurrent: number, ask: Ask): Promise<number> {
  let begun = 0;
  const began = performance.now();
  const loop = async () => {
    while (begun < requests && performance.now() - began < ms) {
      begun += 1;
      await ask();
    }
  };
  await Promise.all(Array.from({ length: concurrent }, loop));
  return Math.round((begun * 1000) / (performance.now() - began));
}

function share(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}
