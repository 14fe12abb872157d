// Products of a scope, which slideshows can be about.
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, tenant } from "./columns.ts";

export const products = pgTable(
  "products",
  {
    id: uuid("id").primaryKey(),
    ...tenant(),
    name: text("name").notNull(),
    /** Passed to the language model. */
    description: text("description"),
    createdAt: createdAt(),
  },
  (table) => [index("products_scope").on(table.scopeId)],
);
