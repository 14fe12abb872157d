// Round trips: the number of sequential calls of a request to database, Redis and storage, at 25 ms per call.

import { performance } from "node:perf_hooks";
import { at } from "../../lib/shared/at.ts";
import { createClient } from "./client.ts";
import type { BenchContext, Cell, Section } from "./section.ts";

const MS_PER_CALL = 25;
/** The budget applies to every request, so the worst of several counts. */
const REPEATS = 3;
/**
 * A removal is recorded after the network's call, and the post's status read once all accounts are. A finalize finds the object
 * while it takes the lock, copies it, verifies the copy and records the file.
 */
const BUDGET = {
  ...{ cold: 2, read: 1, write: 2, idempotentWrite: 3, replay: 1, unpublish: 4 },
  ...{ finalize: 6, completeMultipart: 7 },
} as const;
/** Queries of a delivery: those of the post, and of each part below it. */
const DELIVERY_QUERIES = { post: 4, part: 2 } as const;
const REPLIES = 4;

type Headers = Record<string, string>;

const section: Section = {
  title: "Round trips",

  async run(context) {
    const rows: Record<string, Cell>[] = [];
    await runSteps(context, async (endpoint, budget, times, sendRequest) => {
      rows.push(await measure(context, endpoint, budget, times, sendRequest));
    });
    const deliveries = await measureThread(context);
    return [
      {
        title: `Calls of one request, ${MS_PER_CALL} ms per call`,
        note: `Parallel calls count as one round trip. The worst of ${REPEATS} requests; cold ones are measured once.`,
        rows,
        counted: true,
        broken: rows
          .filter(({ ok }) => ok === "no")
          .map((row) => `${row.request} takes ${row["round trips"]} round trips, its budget is ${row.budget}`),
        chart: { file: "round-trips.svg", label: "request", value: "round trips", limit: "budget" },
      },
      {
        title: "Queries of one delivery",
        note: "From its claim until all of it is out.",
        rows: [deliveries],
        counted: true,
        broken:
          Number(deliveries.queries) > Number(deliveries.budget)
            ? [`${deliveries.delivery} takes ${deliveries.queries} queries, its budget is ${deliveries.budget}`]
            : [],
      },
    ];
  },
};

export default section;

type MeasureStep = (
  request: string,
  budget: number,
  times: number,
  sendRequest: (headers: Headers) => Promise<unknown>,
) => Promise<void>;

/** Cold requests come first, while the isolate has no cached credentials. */
async function runSteps(context: BenchContext, step: MeasureStep): Promise<void> {
  const api = createClient(context, "workspace");
  const other = createClient(context, "otherWorkspace");
  const get = (path: string) => (headers: Headers) => api.call("GET", path, { headers });

  const start = (headers: Headers) => api.call("POST", "/files", { headers, body: { contentType: "video/mp4" } });

  await step("GET /accounts, cold", BUDGET.cold, 1, get("/accounts"));
  await step("GET /posts, cold", BUDGET.cold, 1, (headers) => other.call("GET", "/posts", { headers }));
  await step("GET /accounts", BUDGET.read, REPEATS, get("/accounts"));
  // The first rate-limited request also loads the script into Redis.
  await step("POST /files, first of a Redis", BUDGET.write + 1, 1, start);
  await step("POST /files", BUDGET.write, REPEATS, start);

  const uploads: string[] = [];
  for (let round = 0; round < REPEATS; round++) uploads.push(await api.upload());
  let url = "";
  await step("POST /files/{id}/finalize", BUDGET.finalize, REPEATS, async (headers) => {
    url = await api.finalize(at(uploads.splice(-1), 0), headers);
  });

  const inParts: Awaited<ReturnType<typeof api.uploadInParts>>[] = [];
  for (let round = 0; round < REPEATS; round++) inParts.push(await api.uploadInParts());
  await step("POST /files/multipart/{id}/complete", BUDGET.completeMultipart, REPEATS, (headers) => {
    const { id, parts } = at(inParts.splice(-1), 0);
    return api.call("POST", `/files/multipart/${id}/complete`, {
      headers: { "idempotency-key": crypto.randomUUID(), ...headers },
      body: { parts },
    });
  });

  let id = "";
  const post = async (headers: Headers, body: unknown) => {
    ({ id } = await api.call<{ id: string }>("POST", "/posts", { headers, body }));
  };
  const withIdempotencyKey = (headers: Headers, key: string) => ({ ...headers, "idempotency-key": key });
  const body = api.buildPost(url);
  const replayedKey = crypto.randomUUID();
  await step("POST /posts", BUDGET.write, REPEATS, (headers) => post(headers, body));
  await step("POST /posts, idempotent", BUDGET.idempotentWrite, REPEATS, (headers) =>
    post(withIdempotencyKey(headers, crypto.randomUUID()), body),
  );
  await post({ "idempotency-key": replayedKey }, body);
  await step("POST /posts, replay", BUDGET.replay, REPEATS, (headers) =>
    post(withIdempotencyKey(headers, replayedKey), body),
  );

  const link = { url: `http://127.0.0.1:${context.stack.pages.port}/plain` };
  const tomorrow = body.scheduled_at;
  await step("POST /posts with a link", BUDGET.write, REPEATS, (headers) =>
    post(headers, api.buildText({ link, scheduled_at: tomorrow })),
  );
  const out: string[] = [];
  for (let round = 0; round < REPEATS; round++) out.push(await api.publish(api.buildText()));
  await step("POST /posts/{id}/unpublish", BUDGET.unpublish, REPEATS, (headers) =>
    api.call("POST", `/posts/${at(out.splice(-1), 0)}/unpublish`, { headers, body: {} }),
  );

  await step("GET /posts", BUDGET.read, REPEATS, get("/posts"));
  await step("GET /posts/{id}", BUDGET.read, REPEATS, get(`/posts/${id}`));
}

/** The queries of workers while a post with replies is published, and nothing else is due. */
async function measureThread(context: BenchContext): Promise<Record<string, Cell>> {
  const { calls } = context.stack;
  const api = createClient(context, "workspace");
  const thread = Array.from({ length: REPLIES }, (_, at) => ({ caption: `Reply ${at + 1}` }));
  const before = calls.countDatabaseCalls("queue.");
  await api.publish(api.buildText({ thread }));
  const queries = calls.countDatabaseCalls("queue.") - before;
  const budget = DELIVERY_QUERIES.post + REPLIES * DELIVERY_QUERIES.part;
  context.log(`thread of five: ${queries} queries`);
  return { delivery: "thread of five", queries, budget, ok: queries <= budget ? "yes" : "no" };
}

async function measure(
  { stack: { calls }, log }: BenchContext,
  request: string,
  budget: number,
  times: number,
  sendRequest: (headers: Headers) => Promise<unknown>,
): Promise<Record<string, Cell>> {
  const costs: { cost: ReturnType<typeof calls.report>; ms: number }[] = [];
  calls.setDelay(MS_PER_CALL);
  try {
    for (let round = 0; round < times; round++) {
      const id = crypto.randomUUID();
      const began = performance.now();
      await sendRequest({ "x-request-id": id });
      costs.push({ ms: Math.round(performance.now() - began), cost: calls.report(id) });
    }
  } finally {
    calls.setDelay(0);
  }
  const worst = costs.reduce((max, next) => (next.cost.round_trips > max.cost.round_trips ? next : max));
  const { database, redis, bucket, round_trips } = worst.cost;
  log(`${request}: ${round_trips} round trips, ${worst.ms} ms`);
  // A request without any call was not counted correctly.
  const ok = round_trips > 0 && round_trips <= budget ? "yes" : "no";
  return { request, database, redis, bucket, "round trips": round_trips, budget, ok, ms: worst.ms };
}
