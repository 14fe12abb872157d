// Compares the latency of the same requests between a small and a large scope: it must not depend on the number of records.
import { performance } from "node:perf_hooks";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { median } from "../support/statistics.ts";
import type { BenchContext, Cell, Table } from "./section.ts";

const WARM_UP_ROUNDS = 5;

interface Comparison {
  title: string;
  /** The name of the picture. */
  file: string;
  rounds: number;
  /** The largest ratio of the two medians. */
  maxRatio: number;
  /** The number of records and the key of each scope. */
  few: { count: number; token: string };
  many: { count: number; token: string };
  /** Paths below the base path; a function for one that depends on the scope. */
  requests: readonly (readonly [name: string, path: string | ((token: string) => string)])[];
}

/** A table with the median of each request in both scopes, and their ratio, which has a limit. */
export async function compareScopes(context: BenchContext, comparison: Comparison): Promise<Table> {
  const { title, file, rounds, maxRatio, few, many, requests } = comparison;
  const rows: Record<string, Cell>[] = [];
  for (const [request, path] of requests) {
    const toPath = typeof path === "string" ? () => path : path;
    const [fewMs, manyMs] = await compareLatency(rounds, [few.token, many.token], (token) =>
      sendRequest(context, token, toPath(token)),
    );
    const ratio = Math.round((manyMs / fewMs) * 100) / 100;
    context.log(`${request}: ${fewMs} ms with ${few.count}, ${manyMs} ms with ${many.count}`);
    rows.push({
      request,
      [`ms with ${few.count}`]: fewMs,
      [`ms with ${many.count}`]: manyMs,
      ratio,
      "at most": maxRatio,
      ok: ratio <= maxRatio ? "yes" : "no",
    });
  }
  return {
    title,
    note: `Median of ${rounds} requests each through the Worker, alternating between the scopes.`,
    rows,
    broken: rows
      .filter(({ ok }) => ok === "no")
      .map((row) => `${row.request} takes ${row.ratio} times as long, the limit is ${maxRatio}`),
    chart: { file: `${file}.svg`, label: "request", value: "ratio", limit: "at most" },
  };
}

/** Returns medians in milliseconds; alternates between the scopes, so that temporary load affects both equally. */
async function compareLatency(
  rounds: number,
  tokens: readonly [string, string],
  request: (token: string) => Promise<void>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const [at, token] of tokens.entries()) {
      const began = performance.now();
      await request(token);
      if (round >= 0) times[at]?.push(performance.now() - began);
    }
  }
  const round = (ms: number) => Math.round(ms * 100) / 100;
  return [round(median(times[0])), round(median(times[1]))];
}

async function sendRequest({ worker }: BenchContext, token: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  // While rows are inserted, the Worker closes idle connections, which a client that is busy does not see in time.
  const response = await fetch(`${worker.url}${BASE_PATH}${path}`, { headers: { ...headers, connection: "close" } });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path} returned ${response.status}: ${text}`);
}
