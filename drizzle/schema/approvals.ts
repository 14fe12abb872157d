// Links with which a person without an account here approves a draft, or says what has to change.
import { index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, tenant } from "./columns.ts";
import { posts } from "./posts.ts";
import { owners } from "./tenants.ts";

export const approvalLinks = pgTable(
  "approval_links",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    postId: uuid("post_id")
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    /** SHA-256 of the 256-bit token in the link's URL, hex. The token itself is shown once and kept nowhere. */
    tokenHash: text("token_hash").notNull().unique(),
    /** The version of the post that the link shows. */
    postVersion: integer("post_version").notNull(),
    /** The plan that the link shows and approves; a draft that has changed since is not approved. */
    planHash: text("plan_hash").notNull(),
    /** The recipient, in the words of the person who asks. */
    recipient: text("recipient").notNull(),
    message: text("message"),
    /** The member who made the link, and gets the answer; null for a link of a key. */
    createdBy: uuid("created_by").references(() => owners.id, { onDelete: "cascade" }),
    /** When it was ended before its time: by a person, or because its author may no longer ask. */
    withdrawnAt: instant("withdrawn_at"),
    decision: text("decision", { enum: ["approved", "commented"] }),
    comment: text("comment"),
    decidedAt: instant("decided_at"),
    expiresAt: instant("expires_at").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("approval_links_post").on(table.postId),
    index("approval_links_end").on(table.expiresAt),
    index("approval_links_scope").on(table.scopeId, table.expiresAt),
  ],
);
