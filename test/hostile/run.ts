// `npx node test/hostile/run.ts --seed N --requests 20000 [--short] [--only INDEX,...]`: sends requests generated from the
// OpenAPI document by a seed to a local stack of its own, and checks every response. Exits with 1 on any violation.
import { parseArgs } from "node:util";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { runOnTemporaryStack, type TemporaryStack } from "../local/temporary-stack.ts";
import { checkResponse } from "./check-response.ts";
import { generateRequest, type HostileRequest } from "./generate-request.ts";
import { createOwnership, type Ownership } from "./ownership.ts";
import { describeRequest, describeResponse, printReport, type Result, readStatus, type Violation } from "./report.ts";
import { type HostileResponse, send } from "./send.ts";
import { createTenants, restoreRecords, type Tenant } from "./tenants.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    requests: { type: "string" },
    only: { type: "string" },
    short: { type: "boolean", default: false },
  },
});
const [seed, count] = [Number(values.seed), Number(values.requests ?? (values.short ? 400 : 20_000))];
if (!Number.isInteger(seed) || !Number.isInteger(count) || count < 1) {
  console.error("--seed and --requests must be whole numbers");
  process.exit(2);
}
const only = values.only?.split(",").map(Number);
const TENANTS = values.short ? 2 : 4;
const CONCURRENCY = 4;
/** The machines of CI are slow and busy. */
const MAX_MS = values.short ? 10_000 : 2_000;
/** Between batches no request is in flight: limits are reset, and deleted records are created again. */
const BATCH = 500;

const started = Date.now();
const log = (line: string) => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
const results: Result[] = [];
const violations: Violation[] = [];
const slow: { request: HostileRequest; response: HostileResponse; result: Result }[] = [];

await runOnTemporaryStack("hostile", log, run);

async function run({ stack, worker, workerLog }: TemporaryStack): Promise<"passed" | "failed"> {
  log("tenants");
  const tenants = await createTenants(stack, worker.url, TENANTS);
  const ownership = createOwnership(tenants);
  if (tenants[0]) await warmUp(worker.url, tenants[0]);
  const indexes = only ?? Array.from({ length: count }, (_, index) => index);
  for (let from = 0; from < indexes.length; from += BATCH) {
    await sendBatch(worker.url, indexes.slice(from, from + BATCH), tenants, ownership);
    await repeatSlow(worker.url);
    await resetLimits(stack.vars);
    await restoreRecords(stack, worker.url, tenants);
    for (const tenant of tenants) ownership.register(tenant);
    if (from % 2_000 === 0) log(`${Math.min(from + BATCH, indexes.length)} requests, ${violations.length} violations`);
  }
  await printReport({ seed, results, violations, workerLog });
  return violations.length === 0 ? "passed" : "failed";
}

async function sendBatch(url: string, indexes: number[], tenants: Tenant[], ownership: Ownership): Promise<void> {
  const queue = [...indexes];
  const loop = async () => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      await sendOne(url, generateRequest(seed, index, tenants), ownership);
    }
  };
  await Promise.all(Array.from({ length: only ? 1 : CONCURRENCY }, loop));
}

async function sendOne(url: string, request: HostileRequest, ownership: Ownership): Promise<void> {
  ownership.noteSent(request);
  const { index, method, operation } = request;
  const label = `${method} ${operation.path}`;
  let response: HostileResponse | null = null;
  let reasons: string[];
  try {
    response = await send(url, request);
    reasons = checkResponse(request, response, ownership);
  } catch (error) {
    reasons = [`no response: ${(error as Error).message}`];
  }
  const result: Result = {
    index,
    operation: operation.id,
    label,
    status: response ? readStatus(response) : "no response",
    ms: response?.ms ?? 0,
  };
  results.push(result);
  if (response && response.ms > MAX_MS) slow.push({ request, response, result });
  if (reasons.length > 0) {
    violations.push({ request, response, reasons });
    log(`VIOLATION  --only ${index}  ${label}: ${reasons[0]?.slice(0, 200)}`);
  }
  if (only)
    console.log(
      `\n${describeRequest(request)}\n-> ${response ? describeResponse(response) : ""}\n${reasons.join("\n")}`,
    );
}

/** Sends slow requests again, alone: a request is not to blame when another one kept the only thread busy. */
async function repeatSlow(url: string): Promise<void> {
  for (const { request, response, result } of slow.splice(0)) {
    result.aloneMs = (await send(url, request)).ms;
    if (result.aloneMs <= MAX_MS) continue;
    violations.push({
      request,
      response,
      reasons: [`returned after ${Math.round(result.ms)} ms, and alone as slowly`],
    });
  }
}

/** The first render, caption and generation load code, fonts and models: that time is not of the requests. */
async function warmUp(url: string, { token, records }: Tenant): Promise<void> {
  const calls: [path: string, body: object][] = [
    [`/slideshows/${records.slideshow[0]}/render`, {}],
    [`/editor/projects/${records.project[0]}/captions`, {}],
    ["/slideshows/generate", { prompt: "Tea", slide_count: 1 }],
  ];
  for (const [path, body] of calls) {
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": crypto.randomUUID() };
    const response = await fetch(`${url}${BASE_PATH}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    await response.arrayBuffer();
  }
}

/** Otherwise most responses would soon be 429. */
async function resetLimits({ UPSTASH_REDIS_REST_URL = "", UPSTASH_REDIS_REST_TOKEN }: Record<string, string>) {
  const headers = { authorization: `Bearer ${UPSTASH_REDIS_REST_TOKEN}` };
  const response = await fetch(UPSTASH_REDIS_REST_URL, { method: "POST", headers, body: JSON.stringify(["FLUSHALL"]) });
  if (!response.ok) throw new Error(`FLUSHALL returned ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
