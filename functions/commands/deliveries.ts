// `npm run admin -- deliveries ...`: what is stuck, why, and what an operator does about it.
import {
  type DeliverySummary,
  failDelivery,
  findDelivery,
  listStuckDeliveries,
  requeueDelivery,
} from "../../lib/queries/operated-deliveries.ts";
import type { Db } from "../../lib/services/database.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { isUuid } from "../../lib/shared/ids.ts";

const MAX_LISTED = 100;
const DEFAULT_MINUTES = 10;
/** As long as a retry of the customer. */
const DEADLINE_MS = DAY_MS;

export async function listStuck(db: Db, minutes: string | undefined, now: Date): Promise<string> {
  const late = minutes === undefined ? DEFAULT_MINUTES : Number(minutes);
  if (!Number.isFinite(late) || late < 0) throw new Error("--minutes must be a number, 0 or more.");
  const rows = await listStuckDeliveries(db, new Date(now.getTime() - late * 60_000), MAX_LISTED);
  if (rows.length === 0) return `No delivery is more than ${late} minutes late.`;
  const lines = rows.map((row) =>
    [
      row.id,
      `${formatMinutes(row.dueAt, now)} late`,
      `${row.platform} ${row.username}`,
      `scope ${row.scopeId}`,
      `${row.status}/${row.stage}`,
      `attempts ${row.attempts}, claims ${row.claims}`,
      describeNext(row, now),
      row.errorCode ?? "no error",
    ].join("  "),
  );
  const more = rows.length === MAX_LISTED ? ["These are the first; there may be more."] : [];
  return [...lines, ...more].join("\n");
}

export async function show(db: Db, id: string): Promise<string> {
  const found = await findDelivery(db, requireUuid(id));
  if (!found) throw new Error(`There is no delivery ${id}.`);
  const { trace, waitingFor, ...row } = found;
  const columns = Object.entries(row).map(([name, value]) => `${name.padEnd(14)} ${formatValue(value)}`);
  const waiting = waitingFor.map(
    ({ postId, isUnderWay, nextAttemptAt }) =>
      `waits for      post ${postId}, ${isUnderWay ? "which is being published" : `whose next attempt is at ${nextAttemptAt.toISOString()}`}`,
  );
  const steps = trace.map(
    ({ at, attempt, step, outcome, code, message }) =>
      `  ${at.toISOString()}  attempt ${attempt}  ${step}: ${outcome}${code ? ` (${code})` : ""}${message ? `  ${message}` : ""}`,
  );
  return [...columns, ...waiting, steps.length > 0 ? "trace" : "trace          none", ...steps].join("\n");
}

export async function requeue(db: Db, id: string, now: Date): Promise<string> {
  const deadlineAt = new Date(now.getTime() + DEADLINE_MS);
  if (!(await requeueDelivery(db, requireUuid(id), { now, deadlineAt }))) throw await explainUnchanged(db, id, now);
  return `${id} is due now; cron enqueues it within a minute.`;
}

export async function fail(db: Db, id: string, reason: string, confirmed: string | undefined, now: Date) {
  const evenIfPublished = confirmed === "may-be-published";
  if (confirmed !== undefined && !evenIfPublished) throw new Error("--confirm must be may-be-published.");
  const found = await failDelivery(db, requireUuid(id), { reason, evenIfPublished, now });
  if (!found) throw await explainUnchanged(db, id, now);
  return `${id} is failed; its owner reads: ${reason}`;
}

async function explainUnchanged(db: Db, id: string, now: Date): Promise<Error> {
  const row = await findDelivery(db, id);
  if (!row) return new Error(`There is no delivery ${id}.`);
  if (row.leaseUntil && row.leaseUntil > now) {
    return new Error(`A worker holds ${id} until ${row.leaseUntil.toISOString()}. Try again after that.`);
  }
  if (row.nextAttemptAt && (row.stage === "armed" || row.stage === "sent")) {
    return new Error(
      `${id} may be published (stage ${row.stage}). Check the account ${row.username} on ${row.platform}, then add --confirm may-be-published.`,
    );
  }
  return new Error(`${id} is ${row.status}: nothing was changed.`);
}

function requireUuid(id: string): string {
  if (!isUuid(id)) throw new Error("--id must be the UUID of a delivery.");
  return id;
}

function describeNext({ leaseUntil, nextAttemptAt }: DeliverySummary, now: Date): string {
  if (leaseUntil && leaseUntil > now) return `a worker holds it until ${leaseUntil.toISOString()}`;
  return nextAttemptAt && nextAttemptAt > now ? `next attempt at ${nextAttemptAt.toISOString()}` : "due";
}

function formatMinutes(dueAt: Date | null, now: Date): string {
  return dueAt ? `${Math.round((now.getTime() - dueAt.getTime()) / 60_000)} min` : "-";
}

function formatValue(value: unknown): string {
  return value instanceof Date ? value.toISOString() : value === null ? "-" : String(value);
}
