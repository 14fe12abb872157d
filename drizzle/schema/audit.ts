// The audit log: a row per changed record, written by triggers in the statement that changes it.
import { bigint, bigserial, index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns.ts";

export const auditLog = pgTable(
  "audit_log",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    at: instant("at").notNull().defaultNow(),
    scopeId: uuid("scope_id").notNull(),
    actorKind: text("actor_kind", { enum: ["key", "grant", "member", "link"] }).notNull(),
    /** The id of the key, grant, person or approval link. */
    actorId: uuid("actor_id").notNull(),
    /** The public id of a key or grant, the email address of a person, whom an approval link was made for. */
    actorName: text("actor_name").notNull(),
    /** The operation, as `posts.create`. */
    action: text("action").notNull(),
    /** The table of the record. */
    noun: text("noun").notNull(),
    recordId: uuid("record_id").notNull(),
    requestId: text("request_id").notNull(),
    /** The transaction: one that changes a record several times leaves one row. */
    transaction: bigint("transaction", { mode: "number" }).notNull(),
  },
  (table) => [
    index("audit_log_scope_newest").on(table.scopeId, table.id.desc()),
    index("audit_log_record").on(table.recordId, table.id.desc()),
  ],
);
