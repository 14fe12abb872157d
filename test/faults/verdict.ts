// What became of a case: the network's word against what the caller is told.
import { sql } from "drizzle-orm";
import type { World } from "../../lib/call.ts";
import { rowsOf } from "../../lib/db.ts";
import type { Platform } from "../../lib/platforms/platform.ts";
import type { PublishedItem } from "../local/networks/server.ts";
import type { Outside } from "./outside.ts";
import type { Running } from "./run.ts";

/** How long after its deadline a delivery may end: one look later, or an hour for the address of what is out. */
const MARGIN_MS = { failed: 10 * 60_000, posted: 70 * 60_000 };

export const VERDICTS = ["posted", "failed honestly", "unknown told", "twice", "lost", "stuck"] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Judged {
  running: Running;
  verdict: Verdict;
  /** All that is needed to see why. */
  told: string;
}

interface Row {
  id: string;
  status: string;
  next_attempt_at: string | null;
  updated_at: string;
  error_code: string | null;
  error_message: string | null;
  published_url: string | null;
  trace: string | null;
}

export async function judge({ db }: World, { networks }: Outside, cases: readonly Running[]): Promise<Judged[]> {
  const ids = `{${cases.map(({ deliveryId }) => deliveryId).join(",")}}`;
  const found = await db.execute(sql`
    select d.id, d.status, d.next_attempt_at, d.updated_at, d.error_code, d.error_message, d.published_url,
      (select string_agg(t.step || ':' || t.outcome, ' ' order by t.id) from delivery_attempts t where t.delivery_id = d.id) as trace
    from post_deliveries d where d.id = any(${ids}::uuid[])`);
  const rows = new Map(rowsOf<Row>(found).map((row) => [row.id, row]));
  const published = networks.published();
  return cases.map((running) => {
    const row = rows.get(running.deliveryId);
    if (!row) throw new Error(`No delivery ${running.deliveryId}.`);
    const onAccount = (published[running.kind.platform] ?? []).filter(({ account }) => account === running.externalId);
    const out = onAccount.slice(running.twin ? 1 : 0);
    const told = `${titleOf(running)}: ${row.status} ${row.error_code ?? ""} with ${out.length} out [${row.trace}] ${row.error_message ?? ""}`;
    return { running, verdict: verdictOf(row, out, running.deadlineAt), told };
  });
}

export function titleOf({ kind, plan, twin }: Pick<Running, "kind" | "plan" | "twin">): string {
  const fault = plan ? `${plan.operation.name}#${plan.operation.nth} ${plan.fault}` : "no fault";
  return `${kind.platform} ${kind.name}${twin ? " after its twin" : ""}: ${fault}`;
}

function verdictOf(
  { status, next_attempt_at, updated_at, error_code, error_message, published_url }: Row,
  out: PublishedItem[],
  deadlineAt: Date,
): Verdict {
  if (out.length > 1) return "twice";
  if (next_attempt_at !== null || (status !== "posted" && status !== "failed")) return "stuck";
  if (Date.parse(updated_at) > deadlineAt.getTime() + MARGIN_MS[status]) return "stuck";
  if (status === "posted") {
    return out.length === 1 && out.some((item) => leadsTo(published_url, item)) ? "posted" : "lost";
  }
  const says = error_message ?? "";
  if (error_code === "outcome_unknown") return /look at the account/i.test(says) ? "unknown told" : "lost";
  return out.length === 0 && says !== "" ? "failed honestly" : "lost";
}

/** An address that was never learned leads nowhere wrong. */
function leadsTo(address: string | null, { id, url }: PublishedItem): boolean {
  return address === null || url === null || address === url || address.includes(id);
}

export type Tally = Record<Verdict, number> & { cases: number };

export function tally(judged: readonly Judged[]): Tally {
  const counts = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, judged.filter((one) => one.verdict === verdict).length]),
  );
  return { cases: judged.length, ...(counts as Record<Verdict, number>) };
}

/** One line per network, as wide as its widest cell. */
export function table(tallies: ReadonlyMap<Platform, Tally>): string {
  const head = ["network", "cases", ...VERDICTS];
  const lines = [...tallies].map(([platform, counts]) => [
    platform,
    String(counts.cases),
    ...VERDICTS.map((verdict) => String(counts[verdict])),
  ]);
  const sums = head.map((_, at) => (at === 0 ? "all" : String(lines.reduce((sum, line) => sum + Number(line[at]), 0))));
  const widths = head.map((_, at) => Math.max(...[head, ...lines, sums].map((line) => (line[at] ?? "").length)));
  const show = (line: string[]) =>
    line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ");
  return [head, ...lines, sums].map(show).join("\n");
}
