// Round trips: how many calls one after another a request makes to database, Redis and bucket when each takes 25 ms.
import { performance } from "node:perf_hooks";
import { clientOf } from "./client.ts";
import type { Cell, Context, Section } from "./section.ts";

const MS_PER_CALL = 25;
/** A budget holds every time: the worst of several requests counts. */
const REPEATS = 3;
const BUDGET = { cold: 2, read: 1, write: 2, idempotentWrite: 3, replay: 1 } as const;

type Headers = Record<string, string>;

const section: Section = {
  title: "Round trips",

  async run(context) {
    const rows: Record<string, Cell>[] = [];
    await script(context, async (endpoint, budget, times, ask) => {
      rows.push(await measure(context, endpoint, budget, times, ask));
    });
    return [
      {
        title: `What one request calls, ${MS_PER_CALL} ms a call`,
        note: `Calls that are under way together are one round trip. The worst of ${REPEATS} requests; one where cold.`,
        rows,
        counted: true,
        broken: rows
          .filter(({ ok }) => ok === "no")
          .map((row) => `${row.request} takes ${row["round trips"]} round trips, its budget is ${row.budget}`),
        chart: { file: "round-trips.svg", label: "request", value: "round trips", limit: "budget" },
      },
    ];
  },
};

export default section;

type Step = (
  request: string,
  budget: number | null,
  times: number,
  ask: (headers: Headers) => Promise<unknown>,
) => Promise<void>;

/** The cold ones come first: the isolate has met no key yet. */
async function script(context: Context, step: Step): Promise<void> {
  const api = clientOf(context, "workspace");
  const other = clientOf(context, "otherWorkspace");
  const get = (path: string) => (headers: Headers) => api.call("GET", path, { headers });

  const start = (headers: Headers) => api.call("POST", "/files", { headers, body: { contentType: "video/mp4" } });

  await step("GET /accounts, cold", BUDGET.cold, 1, get("/accounts"));
  await step("GET /posts, cold", BUDGET.cold, 1, (headers) => other.call("GET", "/posts", { headers }));
  await step("GET /accounts", BUDGET.read, REPEATS, get("/accounts"));
  // Redis is sent the script of the rate limit once, when it does not know it yet.
  await step("POST /files, first of a Redis", BUDGET.write + 1, 1, start);
  await step("POST /files", BUDGET.write, REPEATS, start);

  const uploads: string[] = [];
  for (let turn = 0; turn < REPEATS; turn++) uploads.push(await api.upload());
  let url = "";
  await step("POST /files/{id}/finalize", null, REPEATS, async (headers) => {
    url = await api.finalize(uploads.pop() ?? "", headers);
  });

  let id = "";
  const post = async (headers: Headers, body: unknown) => {
    ({ id } = await api.call<{ id: string }>("POST", "/posts", { headers, body }));
  };
  const keyed = (headers: Headers, key: string) => ({ ...headers, "idempotency-key": key });
  const body = api.post(url);
  const known = crypto.randomUUID();
  await step("POST /posts", BUDGET.write, REPEATS, (headers) => post(headers, body));
  await step("POST /posts, idempotent", BUDGET.idempotentWrite, REPEATS, (headers) =>
    post(keyed(headers, crypto.randomUUID()), body),
  );
  await post({ "idempotency-key": known }, body);
  await step("POST /posts, replay", BUDGET.replay, REPEATS, (headers) => post(keyed(headers, known), body));

  await step("GET /posts", BUDGET.read, REPEATS, get("/posts"));
  await step("GET /posts/{id}", BUDGET.read, REPEATS, get(`/posts/${id}`));
}

async function measure(
  { world: { calls }, say }: Context,
  request: string,
  budget: number | null,
  times: number,
  ask: (headers: Headers) => Promise<unknown>,
): Promise<Record<string, Cell>> {
  const costs: { cost: ReturnType<typeof calls.report>; ms: number }[] = [];
  calls.setDelay(MS_PER_CALL);
  try {
    for (let turn = 0; turn < times; turn++) {
      const id = crypto.randomUUID();
      const began = performance.now();
      await ask({ "x-request-id": id });
      costs.push({ ms: Math.round(performance.now() - began), cost: calls.report(id) });
    }
  } finally {
    calls.setDelay(0);
  }
  const worst = costs.reduce((one, next) => (next.cost.round_trips > one.cost.round_trips ? next : one));
  const { database, redis, bucket, round_trips } = worst.cost;
  say(`${request}: ${round_trips} round trips, ${worst.ms} ms`);
  // A request that called nobody was not counted at all.
  const kept = budget === null || (round_trips > 0 && round_trips <= budget);
  const ok = budget === null ? "-" : kept ? "yes" : "no";
  return { request, database, redis, bucket, "round trips": round_trips, budget: budget ?? "none", ok, ms: worst.ms };
}
