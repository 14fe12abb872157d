// Media: an upload is a promise of bytes, a file is bytes that were verified and have a CDN URL.
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
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";

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
    /** One that is open past its time is expired; nothing needs to write that down. */
    state: text("state", { enum: ["open", "finalized", "rejected", "aborted"] }).notNull(),
    /** Why it was rejected, as told to the customer. */
    reason: text("reason"),
    /** The bucket's own id of an upload in parts; null for one that comes in a single PUT. */
    multipartId: text("multipart_id"),
    partSize: integer("part_size"),
    partCount: integer("part_count"),
    /** A hash of the list that its parts were put together by. */
    partsHash: text("parts_hash"),
    expiresAt: instant("expires_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("uploads_fruitless").on(table.expiresAt).where(sql`state <> 'finalized'`)],
);

/**
 * Objects that have to go, written down before they can come to be: whatever dies halfway leaves nothing behind in a
 * bucket. One that a file has become is kept.
 */
export const removals = pgTable(
  "removals",
  {
    bucket: text("bucket", { enum: ["uploads", "files"] }).notNull(),
    objectKey: text("object_key").notNull(),
    /** Parts that were never put together go with it. */
    multipartId: text("multipart_id"),
    /** Keeps the object for as long as this file is there and has it. */
    fileId: uuid("file_id"),
    /** When it is removed; a run that takes it in hand moves this on, and so comes back to what failed. */
    dueAt: instant("due_at").notNull(),
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
    /** Where it came from: a customer's upload, a drawn slide, or a generator. */
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
    /** Codecs and the like, for the rules of the networks. */
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
