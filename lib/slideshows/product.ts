// The product that a slideshow is about.

import { findProductRow } from "../queries/products.ts";
import type { ReadContext, RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";

export type Product = NonNullable<Awaited<ReturnType<typeof findProductRow>>>;

/** The requested id and its row. Loaded before the key is verified, so access is checked later by `requireProduct`. */
export interface ProductLookup {
  id: string | null;
  product: Product | null;
}

/** Of any scope: `requireProduct` distinguishes 404 from the 403 that the specification demands. */
export async function findProduct(
  { db }: Pick<ReadContext, "db">,
  id: string | null | undefined,
): Promise<ProductLookup> {
  return id ? { id, product: await findProductRow(db, id) } : { id: null, product: null };
}

/** Null when none was requested. Throws 404 when the product does not exist and 403 when it is in another scope. */
export function requireProduct({ id, product }: ProductLookup, { scope }: RequestContext["key"]): Product | null {
  if (!id) return null;
  if (!product) throw apiError("product_not_found", "product_id: there is no product with this id.");
  if (product.scopeId === scope.id) return product;
  throw apiError("forbidden_product_access", "product_id: this product belongs to another workspace or owner.");
}
