// Requests that are made to be costly: their cost, and the time of another customer's request beside them.
import { performance } from "node:perf_hooks";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { median } from "../support/statistics.ts";
import { findDescendants, measureUsage } from "./process-usage.ts";
import { type LoopRequest, openRequestLoop, type RequestLoop } from "./request-loop.ts";
import type { BenchContext, Section, Table } from "./section.ts";
import { createBenchTenant } from "./tenant.ts";

const MAX_BYTES = 64 * 1024;
const LIMITS = { cpuMs: 50, ratio: 2 };
/** For short runs, whose few times on a busy machine say no more than this. */
const GROSS_LIMITS = { cpuMs: 500, ratio: 20 };
/** A GET beside a GET takes up to twice as long too: a ratio above the limit counts only if it is so many times that. */
const MIN_TIMES_CONTROL = 1.5;
/** As many accounts as a post may have, of the networks whose captions are the most expensive to measure. */
const PLATFORMS: Platform[] = [...Array<Platform>(8).fill("twitter"), "bluesky", "threads"];
const READS_PER_BLOCK = 4;
const READ = { what: "GET /accounts", method: "GET", path: "/accounts", body: "" };

interface CostlyCase {
  what: string;
  method: string;
  path: string;
  body: string;
}

function listCases(accountIds: readonly string[]): CostlyCase[] {
  const post = (caption: string) => JSON.stringify({ caption, accounts: accountIds.map((id) => ({ id })) });
  const deletion = (ids: string) => ({ method: "POST", path: "/posts/delete", body: `{"post_ids":[${ids}]}` });
  const create = (what: string, body: string) => ({ what, method: "POST", path: "/posts", body });
  const id = JSON.stringify("0192f0c0-0000-7000-8000-000000000000");
  const cursor = btoa("999999999999999.0192f0c0-0000-7000-8000-000000000000").replace(/=+$/, "");
  return [
    create("62 KiB of links for 10 accounts", post("https://example.com/ä ".repeat(2_870))),
    create("62 KiB of domains for 10 accounts", post("a.co,".repeat(12_600))),
    create("60 KiB of {}", `{"accounts":[${"{},".repeat(20_000)}{}]}`),
    create("850 KiB of nested lists", `{"caption":"a","accounts":${"[".repeat(425_000)}${"]".repeat(425_000)}}`),
    create("850 KiB of keys", `{${Array.from({ length: 85_000 }, (_, at) => `"k${at}":1`).join()}}`),
    create("850 KiB of text", post("a".repeat(870_000))),
    { what: "22,000 ids", ...deletion(Array(22_000).fill(id).join()) },
    { what: "150,000 short ids", ...deletion(Array(150_000).fill('"a"').join()) },
    { what: "cursor beyond the year 9999", method: "GET", path: `/editor/projects?cursor=${cursor}`, body: "" },
  ];
}

const section: Section = {
  title: "Costly requests",
  async run(context) {
    const attacker = await createBenchTenant(context, PLATFORMS);
    const other = await createBenchTenant(context, ["instagram"]);
    const loop = openRequestLoop();
    context.onCleanup(() => loop.close());
    const workers = findDescendants(process.pid, "workerd");
    const rounds = context.short ? 3 : 25;
    const table: Table = {
      title: "Requests that are made to be costly",
      note: `CPU is that of the Workers' processes per request, less that of a GET /accounts; means of ${rounds}. Beside: the median of another customer's GET /accounts while another thread sends such requests one after another, relative to its median alone; beside GET: the same while the requests are GET /accounts, as a control. The three alternate. Limits: status below 500, ${MAX_BYTES} bytes, ${LIMITS.cpuMs} ms, ${LIMITS.ratio} times alone unless less than ${MIN_TIMES_CONTROL} times the control; short runs check the times against ${GROSS_LIMITS.cpuMs} ms and ${GROSS_LIMITS.ratio}.`,
      rows: [],
      broken: [],
      counted: true,
    };
    await measureCost(context, attacker.token, READ, workers, rounds);
    for (const costly of listCases(attacker.accountIds)) {
      const idle = await measureCost(context, attacker.token, READ, workers, rounds);
      const { status, bytes, cpuMs } = await measureCost(context, attacker.token, costly, workers, rounds);
      const ownMs = cpuMs === null ? null : Math.max(0, Math.round(cpuMs - (idle.cpuMs ?? 0)));
      const times = await measureReads(context, loop, { attacker: attacker.token, other: other.token }, costly, rounds);
      const { alone, beside, control } = times;
      table.rows.push({
        request: costly.what,
        status,
        bytes,
        "CPU ms": ownMs,
        "alone ms": Number(alone.toFixed(1)),
        beside: toRatio(beside, alone),
        "beside GET": toRatio(control, alone),
      });
      table.broken.push(...findBroken(context.short, costly.what, { status, bytes, cpuMs: ownMs, ...times }));
      context.log(`${costly.what}: ${status}, ${bytes} bytes, ${ownMs} ms of CPU, ${toRatio(beside, alone)} beside`);
    }
    return [table];
  },
};
export default section;

interface ReadTimes {
  alone: number;
  beside: number;
  control: number;
}

interface Measured extends ReadTimes {
  status: number;
  bytes: number;
  cpuMs: number | null;
}

function findBroken(short: boolean, what: string, { status, bytes, cpuMs, ...times }: Measured): string[] {
  const limits = short ? GROSS_LIMITS : LIMITS;
  const ratio = toRatio(times.beside, times.alone);
  const maxRatio = Math.max(limits.ratio, MIN_TIMES_CONTROL * toRatio(times.control, times.alone));
  return [
    ...(status >= 500 ? [`${what}: returned ${status}`] : []),
    ...(bytes > MAX_BYTES ? [`${what}: returned ${bytes} bytes`] : []),
    ...(cpuMs !== null && cpuMs > limits.cpuMs ? [`${what}: took ${cpuMs} ms of CPU`] : []),
    ...(ratio > maxRatio ? [`${what}: GET /accounts took ${ratio} times as long beside it`] : []),
  ];
}

const toRatio = (ms: number, alone: number) => Number((ms / alone).toFixed(2));

/** The status, and the size of the response and CPU time per request. */
async function measureCost(context: BenchContext, token: string, request: CostlyCase, pids: number[], rounds: number) {
  const before = measureUsage(pids);
  let response = { status: 0, bytes: 0 };
  for (let at = 0; at < rounds; at++) response = await send(context, token, request);
  const after = measureUsage(pids);
  return { ...response, cpuMs: before && after && ((after.cpuSeconds - before.cpuSeconds) * 1000) / rounds };
}

/** Medians of GET /accounts alone, beside the costly request and beside another GET; in turn, so that load of the machine affects all. */
async function measureReads(
  context: BenchContext,
  loop: RequestLoop,
  tokens: { attacker: string; other: string },
  costly: CostlyCase,
  rounds: number,
): Promise<ReadTimes> {
  const times: Record<keyof ReadTimes, number[]> = { alone: [], beside: [], control: [] };
  const works: [keyof ReadTimes, LoopRequest | null][] = [
    ["alone", null],
    ["beside", toRequest(context, tokens.attacker, costly)],
    ["control", toRequest(context, tokens.attacker, READ)],
  ];
  for (let round = 0; round < rounds; round++) {
    for (const [name, request] of works) {
      if (request) await loop.start(request);
      for (let at = 0; at < READS_PER_BLOCK; at++) {
        const started = performance.now();
        await send(context, tokens.other, READ);
        times[name].push(performance.now() - started);
      }
      if (request) await loop.stop();
    }
  }
  return { alone: median(times.alone), beside: median(times.beside), control: median(times.control) };
}

function toRequest({ worker }: BenchContext, token: string, { method, path, body }: CostlyCase): LoopRequest {
  return {
    url: `${worker.url}${BASE_PATH}${path}`,
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: method === "GET" ? null : new TextEncoder().encode(body),
  };
}

async function send(context: BenchContext, token: string, request: CostlyCase) {
  const { url, ...init } = toRequest(context, token, request);
  // A Worker that refuses a body before it has read it may close the connection, which the next request would find closed.
  const response = await fetch(url, { ...init, headers: { ...init.headers, connection: "close" } });
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}
