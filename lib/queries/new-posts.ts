// Inserts posts with their deliveries; a post may take a slot of its accounts.
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import type { Db } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import {
  type FirstAttempt,
  listDeliveries,
  POST_COLUMNS,
  type PostTarget,
  pickContent,
  type StoredPost,
} from "./posts.ts";
import { listFieldsAtSlot, lockSlots, type SlotRequest, type SlotTiming, selectFreeSlot } from "./slots.ts";
import { type BoundValue, columnNames, preparedQuery, rawQuery, recordSet, toBoundValues } from "./sql.ts";

/** A draft becomes a row with these values. */
export interface PostInsert {
  id: string;
  payloadHash: string;
  /** `metadata.source` */
  source: "partner_api" | "dashboard";
  createdAt: Date;
  targets: PostTarget[];
  firstAttempt: FirstAttempt;
  /** The post takes one of these slots, and its times are those of the slot. */
  slot: (SlotRequest & SlotTiming) | null;
}

/**
 * Inserts post and deliveries in one statement; null if the id or the external id exists already, and if there is no slot to
 * take. A slot is taken behind a lock, in one request with it.
 */
export async function insertPost(
  db: Db,
  scope: Scope,
  draft: PostDraft,
  insert: PostInsert,
): Promise<StoredPost | null> {
  const row = toBoundValues(posts, toRow(scope, draft, insert));
  const { targets, firstAttempt, slot, createdAt } = insert;
  const deliveries = targets.map((target, position) => ({ ...target, position, ...firstAttempt }));
  if (!slot) return (await insertPlanned(db, { ...row, deliveries: JSON.stringify(deliveries) }))[0] ?? null;
  const statement = rawQuery(db, FIELDS, (list) => insertAtSlot(list, row, deliveries, slot, createdAt));
  const [, [stored]] = await db.batch([lockSlots(db, slot), statement]);
  return stored ?? null;
}

function toRow({ ownerId, workspaceId }: Scope, draft: PostDraft, insert: PostInsert) {
  const { id, payloadHash, createdAt, source, firstAttempt } = insert;
  const { scheduledAt, schedule, scheduleZone, externalId } = draft;
  return {
    ...{ id, payloadHash, createdAt, ownerId, workspaceId, ...pickContent(draft) },
    ...{ scheduledAt, schedule, scheduleZone, externalId },
    ...{ status: firstAttempt.status, metadata: { source }, updatedAt: createdAt },
  };
}

type Row = Record<keyof ReturnType<typeof toRow>, BoundValue>;
type Values = Row & Record<"deliveries", string>;

// The inserted rows have the name of the table, so that its columns can be selected from them.
const FIELDS = {
  ...POST_COLUMNS,
  deliveries: listDeliveries(sql`from inserted_deliveries ${postDeliveries}
    join ${accounts} on ${accounts.id} = ${postDeliveries.accountId}`),
};

const { id, accountId, position, parts, status, dueAt, nextAttemptAt, deadlineAt } = postDeliveries;
const DELIVERY_COLUMNS = { id, accountId, position, parts, status, dueAt, nextAttemptAt, deadlineAt };

const insertPlanned = preparedQuery<Values, typeof FIELDS>(FIELDS, (list, { deliveries, ...row }) => {
  const values = sql`values (${sql.join(Object.values(row), sql`, `)})`;
  const inserted = insertRow(Object.keys(row), values);
  return sql`with ${insertBoth(inserted, sql`given.*`, deliveries)} select ${list} from inserted ${posts}`;
});

/** Inserts post and deliveries with the times of the slot, and nothing if there is none. */
function insertAtSlot(
  list: SQL,
  { scheduledAt: _, ...row }: Row,
  deliveries: object[],
  slot: SlotRequest & SlotTiming,
  now: Date,
): SQL {
  const values = Object.entries(row).map(([name, value]) => sql`${value}::${sql.raw(getColumn(name).getSQLType())}`);
  const fromSlot = sql`select ${sql.join(values, sql`, `)}, taken_slot.at from taken_slot`;
  const inserted = insertRow([...Object.keys(row), "scheduledAt"], fromSlot);
  const given = listFieldsAtSlot(Object.keys(DELIVERY_COLUMNS), slot, now);
  return sql`with taken_slot as (${selectFreeSlot(slot)}), ${insertBoth(inserted, given, deliveries)}
    select ${list} from inserted ${posts}`;
}

const getColumn = (name: string): PgColumn => posts[name as keyof Row];

const insertRow = (names: string[], values: SQL): SQL => sql`
  insert into ${posts} (${columnNames(names.map(getColumn))}) ${values} on conflict do nothing returning *`;

/** The new post and its deliveries, whose fields are `given` from the JSON of the rows. */
const insertBoth = (inserted: SQL, given: SQL, rows: object[] | Placeholder): SQL => sql`
  inserted as (${inserted}),
  inserted_deliveries as (
    insert into ${postDeliveries} (${columnNames([...Object.values(DELIVERY_COLUMNS), postDeliveries.postId])})
    select given.*, inserted.id from inserted, (select ${given} from ${recordSet("given", DELIVERY_COLUMNS, rows)}) given
    returning *
  )`;
