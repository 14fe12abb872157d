// Records of requests with an Idempotency-Key: their claim in Redis, and the posts that they created.
import { sql } from "drizzle-orm";
import { sha256Hex } from "../../lib/shared/crypto.ts";
import { openTestRedis, queryRows, type Tenant } from "../support/harness.ts";

/** Ends the lease of the claim, as if its Worker had crashed long ago. */
export async function expireLease(tenant: Tenant, key: string): Promise<void> {
  const [principal] = await queryRows<{ id: string }>(
    sql`select id from api_keys where scope_id = ${tenant.workspaceId}`,
  );
  await openTestRedis().hset(`idem:${principal?.id}:${sha256Hex(key)}`, { until: 0 });
}

export async function countPosts(tenant: Tenant): Promise<number | undefined> {
  const [row] = await queryRows<{ n: number }>(
    sql`select count(*)::int as n from posts where scope_id = ${tenant.workspaceId}`,
  );
  return row?.n;
}
