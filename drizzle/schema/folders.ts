// Folders: a tree per scope and media type, and the items of each folder.
import { sql } from "drizzle-orm";
import { type AnyPgColumn, check, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, tenant, updatedAt } from "./columns.ts";
import { files } from "./files.ts";
import { slideshows } from "./slideshows.ts";

export const folders = pgTable(
  "folders",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    name: text("name").notNull(),
    mediaType: text("media_type", { enum: ["upload", "slideshow", "ai_image", "ai_video"] }).notNull(),
    /** Null at the root. */
    parentId: uuid("parent_folder_id").references((): AnyPgColumn => folders.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    // Sibling names are unique, ignoring case. coalesce, because nulls are distinct in a unique index.
    uniqueIndex("folders_sibling_name").on(
      table.scopeId,
      table.mediaType,
      sql`coalesce(parent_folder_id, '00000000-0000-0000-0000-000000000000'::uuid)`,
      sql`lower(name)`,
    ),
    index("folders_parent").on(table.parentId),
  ],
);

export const folderItems = pgTable(
  "folder_items",
  {
    folderId: uuid("folder_id")
      .notNull()
      .references(() => folders.id, { onDelete: "cascade" }),
    fileId: uuid("file_id").references(() => files.id, { onDelete: "cascade" }),
    slideshowId: uuid("slideshow_id").references(() => slideshows.id, { onDelete: "cascade" }),
    addedAt: createdAt(),
  },
  (table) => [
    check("folder_items_one_kind", sql`num_nonnulls(file_id, slideshow_id) = 1`),
    uniqueIndex("folder_items_file").on(table.folderId, table.fileId),
    uniqueIndex("folder_items_slideshow").on(table.folderId, table.slideshowId),
    index("folder_items_of_file").on(table.fileId),
    index("folder_items_of_slideshow").on(table.slideshowId),
  ],
);
