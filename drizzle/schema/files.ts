// Media: uploads, and the verified files with a CDN URL that they become.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, instant, job, tenant, updatedAt } from "./columns.ts";

export const uploads = pgTable(
  "uploads",
  {
    /** Becomes the id of the file. */
    id: uuid("id").primaryKey(),
    ...tenant(),
    objectKey: text("object_key").notNull(),
    contentType: text("content_type").notNull(),
    filename: text("filename").notNull(),
    /** The size announced at the start, when one was. */
    size: bigint("size", { mode: "number" }),
    /** `open` after `expires_at` means expired; the state is not updated. */
    state: text("state", { enum: ["open", "finalized", "rejected", "aborted"] }).notNull(),
    /** Why it was rejected, as reported to the customer. */
    reason: text("reason"),
    /** The bucket's id of a multipart upload; null for a single PUT. */
    multipartId: text("multipart_id"),
    partSize: integer("part_size"),
    partCount: integer("part_count"),
    /** Fingerprint of the completed part list. */
    partsHash: text("parts_hash"),
    expiresAt: instant("expires_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("uploads_fruitless").on(table.expiresAt).where(sql`state <> 'finalized'`)],
);

/**
 * Objects to delete, recorded before they are created, so that an interrupted upload leaves no orphan in a bucket. An
 * object that a file refers to is kept.
 */
export const objectDeletions = pgTable(
  "removals",
  {
    bucket: text("bucket", { enum: ["uploads", "files"] }).notNull(),
    objectKey: text("object_key").notNull(),
    /** Aborts this multipart upload, which deletes its parts. */
    multipartId: text("multipart_id"),
    /** The object is kept while this file exists and refers to it. */
    fileId: uuid("file_id"),
    /** When it is due, or its next attempt. */
    dueAt: instant("due_at").notNull(),
    ...job(),
  },
  (table) => [primaryKey({ columns: [table.bucket, table.objectKey] }), index("removals_due").on(table.dueAt)],
);

export const files = pgTable(
  "files",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    objectKey: text("object_key").notNull(),
    url: text("url").notNull(),
    kind: text("kind", { enum: ["image", "video"] }).notNull(),
    /** The source: a customer's upload, a rendered slide, or a generator. */
    origin: text("origin", { enum: ["upload", "render", "ai_image", "ai_video"] })
      .notNull()
      .default("upload"),
    contentType: text("content_type").notNull(),
    filename: text("filename").notNull(),
    size: bigint("size", { mode: "number" }).notNull(),
    sha256: text("sha256").notNull(),
    width: integer("width").notNull(),
    height: integer("height").notNull(),
    durationMs: integer("duration_ms"),
    hasVideo: boolean("has_video").notNull(),
    hasAudio: boolean("has_audio").notNull(),
    /** Codecs and other facts, for the rules of the networks. */
    details: jsonb("details").$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("files_scope_newest").on(
      table.scopeId,
      table.origin,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index("files_scope_kind_newest").on(
      table.scopeId,
      table.origin,
      table.kind,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    uniqueIndex("files_scope_url").on(table.scopeId, table.url),
  ],
);
