// The product that a slideshow is about: it must exist, and belong to the key's scope.
import type { Call } from "../call.ts";
import { refuse } from "../errors.ts";
import * as products from "../queries/products.ts";

export type Product = NonNullable<Awaited<ReturnType<typeof products.find>>>;

/** What was asked for, and what was found; to be read beside the check of the key. */
export interface FoundProduct {
  id: string | null;
  product: Product | null;
}

export async function findProduct({ db }: Pick<Call, "db">, id: string | null | undefined): Promise<FoundProduct> {
  return id ? { id, product: await products.find(db, id) } : { id: null, product: null };
}

/** Null when none was asked for; throws 404 when there is no such product and 403 when it is another scope's. */
export function requireProduct({ id, product }: FoundProduct, { scope }: Call["key"]): Product | null {
  if (!id) return null;
  if (!product) throw refuse("product_not_found", "product_id: there is no product with this id.");
  if (product.scopeId === scope.id) return product;
  throw refuse("forbidden_product_access", "product_id: this product belongs to another account.");
}
