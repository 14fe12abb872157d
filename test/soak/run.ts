// `npx node test/soak/run.ts [--minutes 10] [--short]`: mixed load on a local stack of its own while database, Redis, bucket,
// networks and the Worker fail in turn. Prints tables, writes .soak/timeline.svg, exits with 1 on anything unexplained.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { formatTable } from "../bench/format-table.ts";
import { findDescendants, measureUsage } from "../bench/process-usage.ts";
import { createBenchTenant } from "../bench/tenant.ts";
import { runOnTemporaryStack, type TemporaryStack } from "../local/temporary-stack.ts";
import { createFailures, type Failure, type FailureName, type PlannedFailure } from "./failures.ts";
import { createLedger, KINDS } from "./ledger.ts";
import { createLoad } from "./load.ts";
import { addNewKey, rotateKey, tabulateRotation } from "./rotate-key.ts";
import { renderTimeline } from "./timeline.ts";
import {
  dropTwins,
  type MemorySample,
  tabulateFailures,
  tabulateMemory,
  tabulatePosts,
  tabulateRequests,
} from "./verdict.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, short: { type: "boolean", default: false } },
});
const minutes = Number(values.minutes);
if (!(minutes >= 1)) {
  console.error("--minutes must be a number, 1 or more");
  process.exit(2);
}

const RESULTS = join(import.meta.dirname, "../../.soak");
const MEMORY_SAMPLE_MS = 2_000;
const CRON_MS = 10_000;
const ROTATED_ACCOUNTS = 200;
/** Above what ten minutes publish: LinkedIn takes 150 posts of a member a day, Threads 250. */
const DAILY_QUOTAS = { postsPerDay: 100_000, quotaTotal: 100_000 };
const [SECOND, MINUTE] = [1_000, 60_000];
/** The Worker crashes before it, so that one process serves all that is measured. */
const CRASHES_UNTIL_MS = minutes > 3 ? 2 * MINUTE : minutes * MINUTE * 0.5;
/**
 * The local runtime keeps about 40 KB of each request until its first 20,000 requests, and so does its proxy, which runs
 * none of our code. Both are past that before memory is measured.
 */
const WARM_UP = { requests: 30_000, concurrent: 8, path: "/nothing" };
const DRAIN_MS = values.short ? 8 * SECOND : 2 * MINUTE;

const started = Date.now();
const log = (line: string) => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);

await runOnTemporaryStack("soak", log, run, addNewKey);

async function run(context: TemporaryStack): Promise<"passed" | "failed"> {
  const { stack, worker } = context;
  const platforms = ["bluesky", "threads", "twitter", "linkedin", "facebook"] as const;
  const tenant = await createBenchTenant({ stack }, [...platforms]);
  stack.networks.register(...tenant.networkAccounts.map((account) => ({ ...account, facts: DAILY_QUOTAS })));
  // The accounts of the second are rotated only.
  const idle = Array.from({ length: ROTATED_ACCOUNTS }, () => "threads" as const);
  const tenants = [tenant, await createBenchTenant({ stack }, idle), await createBenchTenant({ stack }, [])];
  const ledger = createLedger();
  const load = createLoad({ url: worker.url, tenants, ledger });
  // The first request of each kind loads code and fonts: it is no part of the load.
  for (const kind of KINDS) await load.runOnce(kind);

  log("load");
  const memory: MemorySample[] = [];
  const sampling = setInterval(() => {
    const usage = measureUsage(findDescendants(worker.pid(), "workerd"));
    if (usage) memory.push({ at: ledger.now(), residentMiB: usage.residentMiB });
  }, MEMORY_SAMPLE_MS);
  const cron = setInterval(() => void worker.runCron().catch(() => undefined), CRON_MS);

  const running = load.run(KINDS);
  const rotation = await rotateKey(stack, context.vars);
  log(`token key: ${rotation.replaced} accounts rotated`);
  const failures = createFailures(context, load, ledger, !values.short);
  const happened: Failure[] = [];
  const cause = async (plan: PlannedFailure[]) => {
    for (const planned of plan) {
      const failure = await failures.run(planned);
      happened.push(failure);
      const times = Object.entries(failure.recovery).map(([kind, ms]) => `${kind} ${ms} ms`);
      log(`${failure.name}: ${times.join(", ")}`);
    }
  };
  let memoryFromMs = 0;
  if (values.short) await cause(planShort());
  else {
    await cause(planCrashes());
    await warmUp(worker.url);
    memoryFromMs = ledger.now();
    log(`the local runtime is warm after ${WARM_UP.requests} requests`);
    const measuredMs = minutes * MINUTE - CRASHES_UNTIL_MS;
    await cause(planFailures(memoryFromMs, measuredMs));
    await sleep(Math.max(0, memoryFromMs + measuredMs - ledger.now()));
  }
  load.stop();
  log("waiting for requests and deliveries to end");
  await running;
  clearInterval(sampling);
  await drainDeliveries(context);
  clearInterval(cron);

  const twins = dropTwins(ledger);
  log(`${twins} simultaneous requests of a key got 409 request_in_progress and were retried`);
  const tables = [
    tabulateRequests(ledger, happened),
    tabulateFailures(ledger, happened),
    await tabulatePosts(ledger, stack, tenant),
    await tabulateRotation(stack, context.vars, rotation),
    tabulateMemory(memory, memoryFromMs, !values.short),
  ];
  console.log(`\n${tables.map(formatTable).join("\n\n\n")}\n`);
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, "timeline.svg"), renderTimeline(ledger, happened, memory));
  await writeFile(
    join(RESULTS, "results.json"),
    `${JSON.stringify({ minutes, tables, failures: happened, memory }, null, 2)}\n`,
  );
  console.log("also in .soak/results.json and .soak/timeline.svg");
  return tables.every(({ broken }) => broken.length === 0) ? "passed" : "failed";
}

/** Every failure once, one right after the other has recovered. */
function planShort(): PlannedFailure[] {
  const names: FailureName[] = ["database", "redis", "bucket", "networks", "worker"];
  return names.map((name, index) => ({ name, at: (index + 1) * SECOND, ms: 1_500 }));
}

function planCrashes(): PlannedFailure[] {
  return [0.15, 0.55].map((part) => ({ name: "worker", at: part * CRASHES_UNTIL_MS, ms: 0 }));
}

/** The others in turn, until shortly before the end. */
function planFailures(fromMs: number, durationMs: number): PlannedFailure[] {
  const names: FailureName[] = ["database", "redis", "bucket", "networks"];
  const [first, pause] = [15 * SECOND, 25 * SECOND];
  const count = Math.max(names.length, Math.floor((durationMs - first - 30 * SECOND) / pause));
  return Array.from({ length: count }, (_, index) => ({
    name: names[index % names.length] ?? ("database" as const),
    at: fromMs + first + index * pause,
    ms: (3 + (index % 3) * 2) * SECOND,
  }));
}

/** Requests that end at the router: no part of the load, and not in its tables. */
async function warmUp(url: string): Promise<void> {
  let left = WARM_UP.requests;
  const loop = async () => {
    while (left-- > 0) await (await fetch(`${url}${WARM_UP.path}`)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: WARM_UP.concurrent }, loop));
}

/** Waits until no delivery has work left; whatever is due later is made due now. */
async function drainDeliveries({ stack, worker }: TemporaryStack): Promise<void> {
  const deadline = Date.now() + DRAIN_MS;
  while (Date.now() < deadline) {
    const [row] = await stack.database.query<{ left: number }>(
      "select count(*)::int as left from post_deliveries where next_attempt_at is not null",
    );
    if (Number(row?.left ?? 0) === 0) return;
    await stack.database.query(
      `update post_deliveries set lease_until = now(), next_attempt_at = now(), armed_at = armed_at - interval '2 minutes'
        where next_attempt_at is not null`,
    );
    await stack.database.query("update accounts set lease_until = now() where lease_until is not null");
    await worker.runCron().catch(() => undefined);
    await sleep(2 * SECOND);
  }
}
