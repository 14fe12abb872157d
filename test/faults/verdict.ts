// Judges a case: compares the posts at the network with the status that the caller sees.
import { sql } from "drizzle-orm";
import type { Services } from "../../lib/services/context.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import type { DeliveryPart } from "../../lib/shared/post-content.ts";
import type { PublishedItem } from "../local/networks/server.ts";
import { toRows } from "../support/rows.ts";
import type { ExternalServices } from "./external-services.ts";
import { type Fault, hasSentAfterArming, LASTING_FAULTS } from "./fault-plans.ts";
import type { Running } from "./run-cases.ts";

/** A delivery may end so long after its deadline: one more check, or the days for the permalink of a published post. */
const MARGIN_MS = { failed: 10 * 60_000, partial: 10 * 60_000, void: 10 * 60_000, posted: 31 * 24 * 60 * 60_000 };

export const VERDICTS = [
  "posted",
  "failed correctly",
  "unknown reported",
  "twice",
  "lost",
  "stuck",
  "untrue reason",
  "hole",
] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Judged {
  running: Running;
  verdict: Verdict;
  /** Details for debugging. */
  summary: string;
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
  deadline_at: string;
  parts: DeliveryPart[] | null;
}

export async function judgeCases(
  { db }: Services,
  { networks }: ExternalServices,
  cases: readonly Running[],
): Promise<Judged[]> {
  const ids = `{${cases.map(({ deliveryId }) => deliveryId).join(",")}}`;
  const found = await db.execute(sql`
    select d.id, d.status, d.next_attempt_at, d.updated_at, d.error_code, d.error_message, d.published_url, d.deadline_at, d.parts,
      (select string_agg(t.step || ':' || t.outcome, ' ' order by t.id) from delivery_attempts t where t.delivery_id = d.id) as trace
    from post_deliveries d where d.id = any(${ids}::uuid[])`);
  const rows = new Map(toRows<Row>(found).map((row) => [row.id, row]));
  const published = networks.published();
  return cases.map((running) => {
    const row = rows.get(running.deliveryId);
    if (!row) throw new Error(`No delivery ${running.deliveryId}.`);
    const onAccount = (published[running.kind.platform] ?? []).filter(({ account }) => account === running.externalId);
    const out = onAccount.slice(running.twin ? 1 : 0);
    const summary = `${getTitle(running)}: ${row.status} ${row.error_code ?? ""} with ${out.length} published [${row.trace}] ${row.error_message ?? ""}`;
    const { parts } = row;
    const verdict = parts ? judgeParts({ ...row, parts }, out) : toVerdict(row, out, running.deadlineAt);
    return { running, verdict: isUntrue(row, verdict, running) ? "untrue reason" : verdict, summary };
  });
}

export function getTitle({ kind, plan, twin }: Pick<Running, "kind" | "plan" | "twin">): string {
  const fault = plan ? `${plan.operation.name}#${plan.operation.nth} ${plan.fault}` : "no fault";
  return `${kind.platform} ${kind.name}${twin ? " after its twin" : ""}: ${fault}`;
}

function toVerdict(
  { status, next_attempt_at, updated_at, error_code, error_message, published_url }: Row,
  out: PublishedItem[],
  deadlineAt: Date,
): Verdict {
  if (out.length > 1) return "twice";
  if (next_attempt_at !== null || !(status in MARGIN_MS)) return "stuck";
  if (Date.parse(updated_at) > deadlineAt.getTime() + MARGIN_MS[status as keyof typeof MARGIN_MS]) return "stuck";
  if (status === "posted") {
    return out.length === 1 && out.some((item) => matchesPermalink(published_url, item)) ? "posted" : "lost";
  }
  const message = error_message ?? "";
  if (error_code === "outcome_unknown") return /check the account/i.test(message) ? "unknown reported" : "lost";
  return out.length === 0 && message !== "" ? "failed correctly" : "lost";
}

/** Of a post with replies or a first comment: what is out at the network, against the state of each part. */
function judgeParts(row: Row & { parts: DeliveryPart[] }, out: PublishedItem[]): Verdict {
  const { status, parts, next_attempt_at, updated_at, deadline_at, error_message } = row;
  const captions = out.map(({ caption }) => caption);
  if (new Set(captions).size < captions.length) return "twice";
  if (out.some((item, at) => at > 0 && item.parent !== getExpectedParent(out, parts, at))) return "hole";
  if (next_attempt_at !== null || !(status in MARGIN_MS)) return "stuck";
  if (Date.parse(updated_at) > Date.parse(deadline_at) + MARGIN_MS[status as keyof typeof MARGIN_MS]) return "stuck";
  if (status === "failed" || status === "void") return toVerdict(row, out, new Date(deadline_at));
  const posted = 1 + parts.filter((part) => part.status === "posted").length;
  const failed = parts.find((part) => part.status === "failed");
  if (!failed) return status === "posted" && out.length === posted && posted > parts.length ? "posted" : "lost";
  const isThread = failed.kind === "reply";
  if (status !== (isThread ? "partial" : "posted") || failed.error !== error_message || !failed.error) return "lost";
  if (/check the account/i.test(failed.error)) return out.length - posted <= 1 ? "unknown reported" : "lost";
  return out.length === posted ? "failed correctly" : "lost";
}

/** A reply answers the part before it, the first comment the post; both are out. */
function getExpectedParent(out: PublishedItem[], parts: DeliveryPart[], at: number): string | undefined {
  return (parts[at - 1]?.kind === "comment" ? out[0] : out[at - 1])?.id;
}

/**
 * True when the reason that the caller reads is another one than what happened: an end of the worker, or of its budget, is
 * no reason to fail a post, and the outcome of a call that this worker did not begin is known.
 */
function isUntrue({ error_code }: Row, verdict: Verdict, { plan, publisher }: Running): boolean {
  if (!plan) return false;
  if (verdict === "failed correctly") return !NETWORK_REASONS.has(plan.fault);
  // It cannot be known what a worker did after its last checkpoint.
  const isKilled = plan.fault.startsWith("killed");
  return error_code === "outcome_unknown" && !isKilled && !hasSentAfterArming(publisher.operations, plan);
}

/** Faults that the network reports, or that last: everything else ends, and the post goes out. */
const NETWORK_REASONS: ReadonlySet<Fault> = new Set<Fault>(["rejected", ...LASTING_FAULTS]);

/** True when a permalink matches the post; a missing permalink is not wrong. */
function matchesPermalink(address: string | null, { id, url }: PublishedItem): boolean {
  return address === null || url === null || address === url || address.includes(id);
}

export type Tally = Record<Verdict, number> & { cases: number };

export function countVerdicts(judged: readonly Judged[]): Tally {
  const counts = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, judged.filter((one) => one.verdict === verdict).length]),
  );
  return { cases: judged.length, ...(counts as Record<Verdict, number>) };
}

/** Formats one line per network. */
export function formatTable(tallies: ReadonlyMap<Platform, Tally>): string {
  const head = ["network", "cases", ...VERDICTS];
  const lines = [...tallies].map(([platform, counts]) => [
    platform,
    String(counts.cases),
    ...VERDICTS.map((verdict) => String(counts[verdict])),
  ]);
  const sums = head.map((_, at) => (at === 0 ? "all" : String(lines.reduce((sum, line) => sum + Number(line[at]), 0))));
  const widths = head.map((_, at) => Math.max(...[head, ...lines, sums].map((line) => (line[at] ?? "").length)));
  const formatLine = (line: string[]) =>
    line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ");
  return [head, ...lines, sums].map(formatLine).join("\n");
}
