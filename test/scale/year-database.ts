// The database of a generated year: 50 accounts and 20,000 posts of one tenant, and rows of others around them.
import { v7 as newId } from "uuid";
import { insertKey, savePlan, type TenantIds } from "../../lib/queries/tenants.ts";
import { generateYear, insertYear, type YearTarget } from "../analytics/year.ts";
import type { Database } from "../local/database.ts";
import { insertPosts } from "../support/insert-posts.ts";
import { openSeparateDatabase, type SeparateDatabase } from "../support/separate-database.ts";
import { createWorkspace } from "./workspace.ts";

export const NOW = new Date();
export const TODAY = NOW.toISOString().slice(0, 10);
const YEAR = { targets: 50, posts: 20_000, days: 365, until: NOW };
export const SMALL = { targets: 6, posts: 240, days: 60, until: NOW };

export interface YearDatabase extends SeparateDatabase {
  /** The key of the tenant with the year. */
  token: string;
  scope: { id: string; ownerId: string; workspaceId: string | null };
  targets: YearTarget[];
}

export async function openYearDatabase(): Promise<YearDatabase> {
  const opened = await openSeparateDatabase("year");
  const { database, db } = opened;
  const tenant = await createWorkspace(db);
  await savePlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  const token = await insertKey(db, tenant, { id: newId(), name: "year", kind: "key", expiresAt: null });
  const targets = generateYear(YEAR);
  await insertYear(db, database.query, tenant, targets, YEAR);
  // The year of another tenant.
  await insertYear(db, database.query, await createWorkspace(db), generateYear(SMALL), SMALL);
  await publishElsewhere(database, await createWorkspace(db));
  await database.exec(`${MANY}; analyze`);
  return { ...opened, token, scope: { ...tenant, id: tenant.workspaceId ?? tenant.ownerId }, targets };
}

/** Posts of this service, which are joined by the network's post id. */
async function publishElsewhere(database: Database, tenant: TenantIds): Promise<void> {
  const account = newId();
  await database.query(
    `insert into accounts (id, owner_id, workspace_id, platform, type, status, username, display_name, external_id)
      values ($1, $2, $3, 'tiktok', 'byo', 'active', 'a', 'a', 'a')`,
    [account, tenant.ownerId, tenant.workspaceId],
  );
  const when = [new Date(NOW.getTime() - 1_000_000), NOW] as const;
  const bulk = { tenant, accountIds: [account], count: 5_000, statuses: ["posted" as const], created: when, due: when };
  await insertPosts(database.query, { ...bulk, label: "elsewhere" });
  await database.exec("update post_deliveries set platform_post_id = id::text");
}

/** Targets and refreshes of other scopes. */
const MANY = `
  insert into analytics_targets (id, owner_id, platform, identifier, normalized_identifier, display_name, max_posts)
    select gen_random_uuid(), gen_random_uuid(), 'tiktok', n, n, n, 1 from generate_series(1, 3000) n;
  insert into analytics_refreshes (id, target_id, status, was_free, deadline_at)
    select id, id, 'completed', true, now() from analytics_targets where max_posts = 1`;
