// Inserts posts with their deliveries; a post may take a slot of its accounts.
import { type SQL, sql } from "drizzle-orm";
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
import { columnNames, rawQuery, recordSet } from "./sql.ts";

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
  const statement = insertStatement(db, scope, draft, insert);
  if (!insert.slot) return (await statement)[0] ?? null;
  const [, [stored]] = await db.batch([lockSlots(db, insert.slot), statement]);
  return stored ?? null;
}

function insertStatement(
  db: Db,
  { ownerId, workspaceId }: Scope,
  draft: PostDraft,
  { targets, firstAttempt, source, slot, ...given }: PostInsert,
) {
  const { scheduledAt, schedule, scheduleZone, externalId } = draft;
  const row = {
    ...{ ...given, ownerId, workspaceId, ...pickContent(draft), scheduledAt, schedule, scheduleZone, externalId },
    ...{ status: firstAttempt.status, metadata: { source }, updatedAt: given.createdAt },
  };
  const { id, postId, accountId, position, parts, status, dueAt, nextAttemptAt, deadlineAt } = postDeliveries;
  const columns = { id, accountId, position, parts, status, dueAt, nextAttemptAt, deadlineAt };
  const rows = targets.map((target, at) => ({ ...target, position: at, ...firstAttempt }));
  // Aliased to the table's name, so that its columns can be selected from the inserted rows.
  const inserted = sql`from inserted_deliveries ${postDeliveries}
    join ${accounts} on ${accounts.id} = ${postDeliveries.accountId}`;
  const fields = { ...POST_COLUMNS, deliveries: listDeliveries(inserted) };
  const post = slot ? insertAtSlot(row) : db.insert(posts).values(row).onConflictDoNothing().returning();
  const delivery = slot ? listFieldsAtSlot(Object.keys(columns), slot, given.createdAt) : sql`given.*`;
  return rawQuery(
    db,
    fields,
    (list) => sql`
      with ${slot ? sql`taken_slot as (${selectFreeSlot(slot)}),` : sql``} inserted as ${post},
      inserted_deliveries as (
        insert into ${postDeliveries} (${columnNames([...Object.values(columns), postId])})
        select given.*, inserted.id from inserted, (select ${delivery} from ${recordSet("given", columns, rows)}) given
        returning *
      )
      select ${list} from inserted ${posts}`,
  );
}

type PostRow = typeof posts.$inferInsert;

/** Inserts the row with the time of the slot; nothing without one. */
function insertAtSlot(row: PostRow): SQL {
  const { scheduledAt: _, ...fields } = row;
  const columns = Object.fromEntries(Object.keys(fields).map((name) => [name, posts[name as keyof PostRow]]));
  return sql`(insert into ${posts} (${columnNames([...Object.values(columns), posts.scheduledAt])})
    select given_post.*, taken_slot.at from taken_slot, ${recordSet("given_post", columns, [fields])}
    on conflict do nothing returning *)`;
}
