// Slideshows and the templates that they are made from; the shapes inside `slides`, `settings` and `config` are lib/schemas'.
import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, tenant, updatedAt } from "./columns.ts";
import { products } from "./products.ts";

export const slideshows = pgTable(
  "slideshows",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    title: text("title").notNull(),
    status: text("status", { enum: ["draft", "rendered"] }).notNull(),
    slideshowType: text("slideshow_type", { enum: ["educational", "personal"] }).notNull(),
    productId: uuid("product_id").references(() => products.id, { onDelete: "set null" }),
    settings: jsonb("settings").$type<Record<string, unknown>>().notNull(),
    /** In order; a rendered slide has the URL of its image. */
    slides: jsonb("slides").$type<Record<string, unknown>[]>().notNull(),
    slideCount: integer("slide_count").notNull().generatedAlwaysAs(sql`jsonb_array_length(slides)`),
    /** The request that generated the slideshow, so that one slide can be regenerated. */
    originalPrompt: text("original_prompt"),
    generation: jsonb("generation").$type<Record<string, unknown>>(),
    previewImageUrl: text("preview_image_url"),
    lastRenderedAt: instant("last_rendered_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("slideshows_scope_newest").on(
      table.scopeId,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
  ],
);

export const templates = pgTable(
  "templates",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    name: text("name").notNull(),
    description: text("description"),
    visibility: text("visibility", { enum: ["private", "workspace", "public"] }).notNull(),
    previewUrl: text("preview_url"),
    useCount: integer("use_count").notNull().default(0),
    lastUsedAt: instant("last_used_at"),
    config: jsonb("config").$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("templates_scope_name").on(table.scopeId, table.name),
    index("templates_scope_newest").on(
      table.scopeId,
      table.createdAt.desc().nullsFirst(),
      table.id.desc().nullsFirst(),
    ),
    index("templates_public_newest")
      .on(table.createdAt.desc().nullsFirst(), table.id.desc().nullsFirst())
      .where(sql`visibility = 'public'`),
  ],
);
