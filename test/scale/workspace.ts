// A workspace with an owner of its own, in a separate database.
import { v7 as newId } from "uuid";
import { insertOwner, insertWorkspace, type TenantIds } from "../../lib/queries/tenants.ts";
import type { Db } from "../../lib/services/database.ts";

export async function createWorkspace(db: Db): Promise<TenantIds> {
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Scale" });
  return insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Scale" });
}
