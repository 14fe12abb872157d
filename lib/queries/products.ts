// Products that slideshows can be about.
import { and, asc, eq } from "drizzle-orm";
import { products } from "../../drizzle/schema/products.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { readRows } from "./read.ts";
import { inScope } from "./scope.ts";
import type { TenantIds } from "./tenants.ts";

type ProductRow = typeof products.$inferSelect;
export type ProductFields = Pick<ProductRow, "id" | "name" | "description">;

const MAX_LISTED = 200;

/**
 * Finds a product in any scope. The caller compares `scopeId`: null is 404 product_not_found, another scope is 403
 * forbidden_product_access, without any of its data.
 */
export async function findProductRow(db: ReadOnlyDb, id: string): Promise<ProductRow | null> {
  const [row] = await db.select().from(products).where(eq(products.id, id));
  return row ?? null;
}

/** The products of a scope by name. */
export function listProducts(db: ReadOnlyDb, scope: Scope) {
  const { id, name, description } = products;
  const query = db
    .select({ id, name, description })
    .from(products)
    .where(inScope(products, scope))
    .orderBy(asc(name), asc(id))
    .limit(MAX_LISTED);
  return readRows(db, query);
}

export async function insertProduct(db: Db, tenant: TenantIds, product: ProductFields): Promise<void> {
  const { ownerId, workspaceId } = tenant;
  await db.insert(products).values({ ...product, ownerId, workspaceId });
}

const isOwn = (scope: Scope, id: string) => and(inScope(products, scope), eq(products.id, id));

/** False if the scope has no such product. */
export async function updateProduct(db: Db, scope: Scope, { id, name, description }: ProductFields): Promise<boolean> {
  const query = db.update(products).set({ name, description }).where(isOwn(scope, id));
  return (await query.returning({ id: products.id })).length > 0;
}

/** False if the scope has no such product. Slideshows about it are kept. */
export async function deleteProduct(db: Db, scope: Scope, id: string): Promise<boolean> {
  const rows = await db.delete(products).where(isOwn(scope, id)).returning({ id: products.id });
  return rows.length > 0;
}
