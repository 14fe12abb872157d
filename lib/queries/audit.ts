// The audit log of a scope, newest first. Triggers write it; nothing here does.
import { and, desc, eq, lt } from "drizzle-orm";
import { auditLog } from "../../drizzle/schema/audit.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { readRows } from "./read.ts";

export interface AuditFilter {
  /** Entries before this id: the last of the page before. */
  before?: number | undefined;
  recordId?: string | undefined;
  limit: number;
}

export function listAuditEntries(db: ReadOnlyDb, scopeId: string, { before, recordId, limit }: AuditFilter) {
  const query = db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      actorKind: auditLog.actorKind,
      actorName: auditLog.actorName,
      action: auditLog.action,
      noun: auditLog.noun,
      recordId: auditLog.recordId,
      requestId: auditLog.requestId,
    })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.scopeId, scopeId),
        before === undefined ? undefined : lt(auditLog.id, before),
        recordId === undefined ? undefined : eq(auditLog.recordId, recordId),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit);
  return readRows(db, query);
}
