// Query plans in a database that was never analyzed, as the rows of a new workspace are until the next time.
import { expect, test } from "vitest";
import { listActiveAccounts } from "../../lib/queries/accounts.ts";
import { insertPosts } from "../support/insert-posts.ts";
import { explainQueries } from "../support/query-plans.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { createWorkspace, insertAccounts } from "./workspace.ts";

const HOUR_MS = 3_600_000;

test("the posts around a time are found by their ids, not among all posts of the scope", async () => {
  const { database, db } = await openSeparateDatabase("no-statistics");
  try {
    const tenant = await createWorkspace(db);
    const accountIds = await insertAccounts(database, tenant, 1);
    const now = new Date();
    const soon = new Date(now.getTime() + HOUR_MS);
    await insertPosts(database.query, {
      ...{
        tenant,
        accountIds,
        count: 600,
        statuses: ["scheduled"],
        created: [now, now],
        due: [soon, soon],
      },
      label: "Soon",
    });
    const scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
    const planned = { platform: "youtube", from: now, to: soon, limit: 100, defaultLimit: 100 } as const;
    const plans = await explainQueries(database, () => listActiveAccounts(db, scope, accountIds, soon, planned));
    const indexes = plans.flatMap((plan) => plan.indexes);
    expect(indexes).toContain("posts_pkey");
    expect(indexes).not.toContain("posts_scope_status_newest");
  } finally {
    await database.close();
  }
});
