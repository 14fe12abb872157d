// Products that slideshows can be about.
import { eq } from "drizzle-orm";
import { products } from "../../drizzle/schema/products.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { TenantIds } from "./tenants.ts";

type ProductRow = typeof products.$inferSelect;

/**
 * Finds a product in any scope. The caller compares `scopeId`: null is 404 product_not_found, another scope is 403
 * forbidden_product_access, without any of its data.
 */
export async function findProductRow(db: ReadOnlyDb, id: string): Promise<ProductRow | null> {
  const [row] = await db.select().from(products).where(eq(products.id, id));
  return row ?? null;
}

export async function insertProduct(
  db: Db,
  tenant: TenantIds,
  product: Pick<ProductRow, "id" | "name" | "description">,
): Promise<void> {
  const { ownerId, workspaceId } = tenant;
  await db.insert(products).values({ ...product, ownerId, workspaceId });
}
