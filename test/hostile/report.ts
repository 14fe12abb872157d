// Prints what the hostile requests returned: violations with their replay, statuses, slowest responses.
import { readFile } from "node:fs/promises";
import { formatTable } from "../bench/format-table.ts";
import type { HostileRequest } from "./generate-request.ts";
import type { HostileResponse } from "./send.ts";

export interface Violation {
  request: HostileRequest;
  response: HostileResponse | null;
  reasons: string[];
}

export interface Result {
  index: number;
  operation: string;
  label: string;
  status: string;
  ms: number;
  /** Of a slow request: the time when it was sent again with no other in flight. */
  aloneMs?: number;
}

interface Report {
  seed: number;
  results: Result[];
  violations: Violation[];
  workerLog: string;
}

const SHOWN_VIOLATIONS = 40;

export async function printReport({ seed, results, violations, workerLog }: Report): Promise<void> {
  for (const { request, response, reasons } of violations.slice(0, SHOWN_VIOLATIONS)) {
    console.log(`\nVIOLATION  --seed ${seed} --only ${request.index}`);
    console.log(reasons.map((reason) => `  ${reason}`).join("\n"));
    console.log(`  ${describeRequest(request)}`);
    if (response) console.log(`  -> ${describeResponse(response)}`);
    if (response && response.status >= 500) console.log(await readWorkerLog(workerLog, response));
  }
  const statuses = Map.groupBy(results, ({ status }) => status);
  const slowest = [...results].sort((a, b) => b.ms - a.ms).slice(0, 10);
  const tables = [
    {
      title: `Responses to ${results.length} requests of seed ${seed}`,
      rows: [...statuses]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([status, list]) => ({
          status,
          requests: list.length,
          "slowest ms": Math.round(Math.max(...list.map(({ ms }) => ms))),
        })),
      broken: [],
    },
    {
      title: "Slowest responses",
      rows: slowest.map(({ label, status, ms, aloneMs, index }) => ({
        index,
        request: label,
        status,
        ms: Math.round(ms),
        "alone ms": aloneMs === undefined ? null : Math.round(aloneMs),
      })),
      broken: [],
    },
    {
      title: "Violations",
      rows: [
        ...Map.groupBy(violations, ({ request, reasons }) => `${request.operation.id}: ${reasons[0]?.slice(0, 120)}`),
      ]
        .sort(([, a], [, b]) => b.length - a.length)
        .map(([violation, list]) => ({ violation, requests: list.length, replay: `--only ${list[0]?.request.index}` })),
      broken: [],
    },
  ];
  console.log(`\n${tables.map(formatTable).join("\n\n\n")}\n`);
  console.log(`Operations that never succeeded: ${listNeverSucceeded(results).join(", ") || "none"}`);
  console.log(
    `${results.length} requests, ${violations.length} violations, slowest ${Math.round(slowest[0]?.ms ?? 0)} ms`,
  );
}

/** Lists operations that the requests hardly test: nothing behind their validation ran. */
function listNeverSucceeded(results: readonly Result[]): string[] {
  const operations = Map.groupBy(results, ({ operation }) => operation);
  return [...operations].filter(([, list]) => !list.some(({ status }) => status.startsWith("2"))).map(([id]) => id);
}

export function readStatus({ status, text }: HostileResponse): string {
  const code = /"error_code":"([a-z_]+)"/.exec(text.slice(0, 2_000).concat(text.slice(-500)))?.[1];
  return code ? `${status} ${code}` : String(status);
}

export function describeRequest({ tenant, method, path, headers, body }: HostileRequest): string {
  const { authorization, ...shown } = headers;
  const key = authorization === `Bearer ${tenant.token}` ? `tenant ${tenant.index}` : JSON.stringify(authorization);
  const text = body ? `${body.length} bytes: ${body.toString("utf8").slice(0, 600)}` : "no body";
  return `${method} ${path.slice(0, 600)}  ${key}  ${JSON.stringify(shown)}  ${text}`;
}

export function describeResponse({ status, text, ms }: HostileResponse): string {
  return `${status} after ${Math.round(ms)} ms, ${Buffer.byteLength(text)} bytes: ${text.slice(0, 600)}`;
}

/** Lines that the Worker logged for the request. */
async function readWorkerLog(path: string, { headers }: HostileResponse): Promise<string> {
  const lines = (await readFile(path, "utf8")).split("\n");
  const id = headers["x-request-id"];
  return id
    ? lines
        .filter((line) => line.includes(id))
        .join("\n")
        .slice(0, 3_000)
    : "";
}
