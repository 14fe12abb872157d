// Accounts of the modelled networks in a database, and deliveries that are due on them.
import { v7 as newId } from "uuid";
import { insertOwner, insertWorkspace, type TenantIds } from "../../lib/queries/tenants.ts";
import { openDatabase } from "../../lib/services/database.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { encryptTokens } from "../../lib/shared/token-encryption.ts";
import { insertPosts } from "../support/insert-posts.ts";
import type { BenchDatabase } from "./bench-database.ts";

export interface DueAccounts {
  tenant: TenantIds;
  accountIds: string[];
}

/** One workspace with this many accounts. */
export async function createAccounts(
  { database, vars }: BenchDatabase,
  platform: Platform,
  count: number,
): Promise<DueAccounts> {
  const { DATABASE_URL = "", DATABASE_FETCH_URL, TOKEN_KEY = "" } = vars;
  const db = openDatabase({ DATABASE_URL, DATABASE_FETCH_URL }, "bench");
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Bench" });
  const tenant = await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Bench" });
  const accountIds = Array.from({ length: count }, () => newId());
  const tokens = await Promise.all(
    accountIds.map((id) => encryptTokens({ current: TOKEN_KEY }, id, { accessToken: id, refreshToken: id })),
  );
  await database.query(
    `insert into accounts (id, owner_id, workspace_id, platform, type, status, username, display_name, external_id,
      access_token, refresh_token)
    select id, $1::uuid, $2::uuid, $3, 'byo', 'active', id, id, id, access, refresh
    from unnest($4::uuid[], $5::text[], $6::text[]) given(id, access, refresh)`,
    [
      tenant.ownerId,
      tenant.workspaceId,
      platform,
      accountIds,
      tokens.map(({ accessToken }) => accessToken),
      tokens.map(({ refreshToken }) => refreshToken),
    ],
  );
  return { tenant, accountIds };
}

/** Text posts with the captions `label 0`, `label 1`, ...; returns the ids of their deliveries in the order they are due. */
export async function createDuePosts(
  { database }: BenchDatabase,
  { tenant, accountIds }: DueAccounts,
  { count, due, label }: { count: number; due: readonly [Date, Date]; label: string },
): Promise<string[]> {
  const created = [due[0], due[0]] as const;
  await insertPosts(database.query, { tenant, accountIds, count, statuses: ["pending"], created, due, label });
  const rows = await database.query<{ id: string }>(
    "select id from post_deliveries where account_id = any($1::uuid[]) and next_attempt_at is not null order by due_at, id",
    [accountIds],
  );
  return rows.map(({ id }) => id);
}
