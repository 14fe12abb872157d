// What a slideshow can be about: a product of a scope.
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, tenant } from "./columns.ts";

export const products = pgTable(
  "products",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    name: text("name").notNull(),
    /** What a language model is told of it. */
    description: text("description"),
    createdAt: createdAt(),
  },
  (table) => [index("products_scope").on(table.scopeId)],
);
