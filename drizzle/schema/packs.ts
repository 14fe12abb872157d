// Image packs: named sets of images for the backgrounds of slideshows.
import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, tenant, updatedAt } from "./columns.ts";

export const packs = pgTable(
  "packs",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    name: text("name").notNull(),
    /** True when every key may read it. */
    isPublic: boolean("is_public").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("packs_scope_newest").on(table.scopeId, table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst()),
    index("packs_public_newest")
      .on(table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`is_public`),
  ],
);

export const packImages = pgTable(
  "pack_images",
  {
    id: uuid("id").primaryKey(),
    packId: uuid("pack_id")
      .notNull()
      .references(() => packs.id, { onDelete: "cascade" }),
    url: text("url").notNull(),
    fileName: text("file_name").notNull(),
    contentType: text("content_type").notNull(),
    width: integer("width").notNull(),
    height: integer("height").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("pack_images_in_order").on(table.packId, table.createdAt, table.id)],
);
