// Empties a test scope: everything but the scope itself, its keys and the accounts that it begins with.
import { eq, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { analyticsTargets } from "../../drizzle/schema/analytics.ts";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { auditLog } from "../../drizzle/schema/audit.ts";
import { connections, connectLinks } from "../../drizzle/schema/connections.ts";
import { editorProjects, speechTranscripts } from "../../drizzle/schema/editor.ts";
import { eventCounters, events, webhookDeliveries, webhooks } from "../../drizzle/schema/events.ts";
import { files, objectDeletions, uploads } from "../../drizzle/schema/files.ts";
import { folders } from "../../drizzle/schema/folders.ts";
import { networkApps } from "../../drizzle/schema/network-apps.ts";
import { packs } from "../../drizzle/schema/packs.ts";
import { postCounts, posts } from "../../drizzle/schema/posts.ts";
import { products } from "../../drizzle/schema/products.ts";
import { sandboxes } from "../../drizzle/schema/sandboxes.ts";
import { simulatorStates } from "../../drizzle/schema/simulator.ts";
import { slideshows, templates } from "../../drizzle/schema/slideshows.ts";
import type { Db } from "../services/database.ts";
import { instant, rawCommand } from "./sql.ts";
import { insertAccounts, type NewAccount } from "./tenants.ts";

/** In an order in which no row refers to one that is gone. */
const EMPTIED = [
  ...[approvalLinks, connections, connectLinks, posts, networkApps, folders, editorProjects, speechTranscripts],
  ...[
    slideshows,
    templates,
    packs,
    products,
    uploads,
    files,
    analyticsTargets,
    webhooks,
    accounts,
    auditLog,
    simulatorStates,
  ],
];

/** One transaction. The objects are deleted from storage by cron, from `now` on. */
export async function emptySandbox(
  db: Db,
  tenant: { ownerId: string; workspaceId: string },
  virtual: NewAccount[],
  now: Date,
): Promise<void> {
  const scopeId = tenant.workspaceId;
  const { bucket, objectKey, multipartId, dueAt } = objectDeletions;
  const objects = sql`
    select 'files', ${files.objectKey}, null::text from ${files} where ${files.scopeId} = ${scopeId}::uuid
    union all select 'uploads', ${uploads.objectKey}, ${uploads.multipartId} from ${uploads} where ${uploads.scopeId} = ${scopeId}::uuid`;
  await db.batch([
    rawCommand(
      db,
      sql`insert into ${objectDeletions} (${sql.identifier(bucket.name)}, ${sql.identifier(objectKey.name)},
          ${sql.identifier(multipartId.name)}, ${sql.identifier(dueAt.name)})
        select object.*, ${instant(now)} from (${objects}) object
        on conflict (${sql.identifier(bucket.name)}, ${sql.identifier(objectKey.name)}) do update set due_at = excluded.due_at`,
    ),
    rawCommand(
      db,
      sql`delete from ${webhookDeliveries} using ${webhooks}
        where ${webhookDeliveries.webhookId} = ${webhooks.id} and ${webhooks.scopeId} = ${scopeId}::uuid`,
    ),
    ...EMPTIED.map((table) => rawCommand(db, sql`delete from ${table} where ${table.scopeId} = ${scopeId}::uuid`)),
    // After what their triggers have counted.
    db.delete(postCounts).where(eq(postCounts.scopeId, scopeId)),
    db.delete(events).where(eq(events.scopeId, scopeId)),
    db.delete(eventCounters).where(eq(eventCounters.scopeId, scopeId)),
    db
      .update(sandboxes)
      .set({ clockOffsetMs: 0, frozenAt: null, resets: sql`${sandboxes.resets} + 1` })
      .where(eq(sandboxes.scopeId, scopeId)),
    insertAccounts(db, tenant, virtual),
  ]);
}
