// A workspace with an owner and accounts of its own, in a separate database.
import { v7 as newId } from "uuid";
import { insertOwner, insertWorkspace, type TenantIds } from "../../lib/queries/tenants.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Database } from "../local/database.ts";

export async function createWorkspace(db: Db): Promise<TenantIds> {
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Scale" });
  return insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Scale" });
}

/** Inserts as many active accounts of Threads. Returns their ids. */
export async function insertAccounts(database: Database, tenant: TenantIds, count: number): Promise<string[]> {
  const accountIds = Array.from({ length: count }, () => newId());
  await database.query(
    `insert into accounts (id, owner_id, workspace_id, platform, type, status, username, display_name, external_id)
      select id, $1, $2, 'threads', 'byo', 'active', id, id, id from unnest($3::uuid[]) id`,
    [tenant.ownerId, tenant.workspaceId, accountIds],
  );
  return accountIds;
}
