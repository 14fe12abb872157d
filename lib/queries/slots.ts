// The weekly slots of accounts, and the statements that take one.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { accountSlots, accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import type { SlotPlan } from "../shared/slots.ts";
import { type Read, readFirst, readRows } from "./read.ts";
import { inScope } from "./scope.ts";
import {
  instant,
  json,
  jsonList,
  optionalJsonObject,
  qualified,
  rawCommand,
  rawQuery,
  required,
  textArray,
  uuidArray,
} from "./sql.ts";
import { scopeTimeZone } from "./workspaces.ts";

/** The plan of a row of `accounts`; null without slots. */
export const slotPlan = qualified(
  optionalJsonObject(
    { timeZone: accountSlots.timeZone, slots: accountSlots.slots },
    { from: sql`from ${accountSlots} where ${accountSlots.accountId} = ${accounts.id}` },
  ),
);

const PLAN = {
  timeZone: sql<string>`coalesce(${accountSlots.timeZone}, ${scopeTimeZone(accounts.scopeId)})`,
  slots: sql<SlotPlan["slots"]>`coalesce(${accountSlots.slots}, '[]'::jsonb)`,
};

/** An account that has none yet has no slots, in the time zone of its workspace. */
export function findSlots(db: ReadOnlyDb, scope: Scope, accountId: string): Read<SlotPlan | null> {
  const query = db
    .select(PLAN)
    .from(accounts)
    .leftJoin(accountSlots, eq(accountSlots.accountId, accounts.id))
    .where(and(inScope(accounts, scope), eq(accounts.id, accountId)));
  return readFirst(db, query);
}

/** Replaces the slots of an account; null if it is not in scope. */
export async function saveSlots(db: Db, scope: Scope, accountId: string, plan: SlotPlan): Promise<SlotPlan | null> {
  const { accountId: id, scopeId, timeZone, slots, updatedAt } = accountSlots;
  const [saved] = await rawQuery(
    db,
    { timeZone, slots },
    (list) => sql`
      insert into ${accountSlots} (account_id, scope_id, time_zone, slots)
      select ${accounts.id}, ${accounts.scopeId}, ${plan.timeZone}, ${json(plan.slots)} from ${accounts}
      where ${inScope(accounts, scope)} and ${accounts.id} = ${accountId}
      on conflict (${sql.identifier(id.name)}) do update set scope_id = excluded.${sql.identifier(scopeId.name)},
        time_zone = excluded.time_zone, slots = excluded.slots, ${sql.identifier(updatedAt.name)} = now()
      returning ${list}`,
  );
  return saved ?? null;
}

/** The slots of the active accounts of a scope, and which instants between two their open posts hold. */
export function listSlotPlans(db: ReadOnlyDb, scopeId: string, { from, until }: { from: Date; until: Date }) {
  const { accountId, dueAt, nextAttemptAt } = postDeliveries;
  const query = db
    .select({
      ...{ accountId: accounts.id, username: accounts.username, platform: accounts.platform },
      ...{ timeZone: accountSlots.timeZone, slots: accountSlots.slots },
      held: jsonList(
        { at: required(dueAt) },
        {
          from: sql`from ${postDeliveries} where ${accountId} = ${accounts.id} and ${nextAttemptAt} is not null
            and ${dueAt} >= ${instant(from)} and ${dueAt} <= ${instant(until)}`,
        },
      ),
    })
    .from(accounts)
    .innerJoin(accountSlots, eq(accountSlots.accountId, accounts.id))
    .where(and(eq(accounts.scopeId, scopeId), eq(accounts.status, "active")))
    .orderBy(accounts.username, accounts.id);
  return readRows(db, query);
}

/** What a post that takes a slot may take, the earliest first. */
export interface SlotRequest {
  times: Date[];
  accountIds: string[];
  /** A slot that the post itself holds is free for it. */
  postId: string | null;
}

/**
 * Waits until no other request takes a slot of these accounts, until the end of the transaction. It is a statement before the
 * one that takes the slot: only a statement that starts after the wait sees the slots that were taken meanwhile. Accounts
 * are locked in order and before every row, so that nobody waits for ever.
 */
export function lockSlots(db: Db, { accountIds }: SlotRequest) {
  return rawCommand(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended('slots ' || id, 0))
      from (select unnest(${uuidArray(accountIds)})::text as id order by 1) locked_accounts`,
  );
}

/**
 * The rows `at`: the earliest time at which no open delivery of any of the accounts is due; none if all are held. Each time is
 * looked up alone, which `not exists` would not ensure: the planner may read the open deliveries of all customers for it.
 */
export function selectFreeSlot({ times, accountIds, postId }: SlotRequest): SQL {
  const { accountId, dueAt, nextAttemptAt, status } = postDeliveries;
  return sql`
    select slot_times.at::timestamptz(3) as at from unnest(${textArray(times.map((at) => at.toISOString()))}) slot_times(at)
    where (
      select true from ${postDeliveries} where ${accountId} = any(${uuidArray(accountIds)}) and ${dueAt} = slot_times.at::timestamptz
        and ${nextAttemptAt} is not null and ${status} in ('scheduled', 'pending', 'retry')
        and ${postDeliveries.postId} is distinct from ${postId}::uuid limit 1) is null
    order by slot_times.at limit 1`;
}

/** When a delivery that is due at a slot is prepared, and when it ends. */
export interface SlotTiming {
  preparationMs: number;
  deadlineMs: number;
}

/** The time of the slot that a statement takes, some milliseconds later. */
export const fromTakenSlot = (ms = 0) => sql`((select at from taken_slot) + ${ms} * interval '1 millisecond')`;

/** The times of a delivery that is due at the slot. */
export const timesAtSlot = ({ preparationMs, deadlineMs }: SlotTiming, now: Date) => ({
  dueAt: fromTakenSlot(),
  nextAttemptAt: sql`greatest(${instant(now)}, ${fromTakenSlot(-preparationMs)})`,
  deadlineAt: fromTakenSlot(deadlineMs),
});

/** The fields of a record set of deliveries in their order, with the times of the slot. */
export function listFieldsAtSlot(names: readonly string[], timing: SlotTiming, now: Date): SQL {
  const times: Record<string, SQL> = timesAtSlot(timing, now);
  const fields = names.map((name) => sql`${times[name] ?? sql.identifier(name)} as ${sql.identifier(name)}`);
  return sql.join(fields, sql`, `);
}
