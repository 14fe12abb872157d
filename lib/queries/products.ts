// What slideshows can be about.
import { eq } from "drizzle-orm";
import { products } from "../../drizzle/schema/products.ts";
import type { Db } from "../db.ts";
import type { Tenant } from "./tenants.ts";

type ProductRow = typeof products.$inferSelect;

/**
 * A product of any scope, or null: by its `scopeId` the caller tells one that nobody has (404 product_not_found) from
 * one of another scope (403 forbidden_product_access), and shows nothing of the latter.
 */
export async function find(db: Db, id: string): Promise<ProductRow | null> {
  const [row] = await db.select().from(products).where(eq(products.id, id));
  return row ?? null;
}

export async function insert(
  db: Db,
  tenant: Tenant,
  product: Pick<ProductRow, "id" | "name" | "description">,
): Promise<void> {
  const { ownerId, workspaceId } = tenant;
  await db.insert(products).values({ ...product, ownerId, workspaceId });
}
