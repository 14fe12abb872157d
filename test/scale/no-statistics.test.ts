// Rows that are read in a database that was never analyzed, as the rows of a new workspace are until the next time.
import { expect, test } from "vitest";
import { listActiveAccounts } from "../../lib/queries/accounts.ts";
import { HOUR_MS } from "../../lib/shared/durations.ts";
import { insertPosts } from "../support/insert-posts.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { countTableReads } from "../support/table-reads.ts";
import { createWorkspace, insertAccounts } from "./workspace.ts";

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
    const planned = { platform: "youtube", timeZone: "UTC", limit: 100, defaultLimit: 100 } as const;
    const reads = await countTableReads(
      db,
      listActiveAccounts(db, scope, accountIds, { around: soon, nearbyHours: 38 }, planned),
    );
    // All are due at the instant itself: as many as are read after it.
    expect(reads.posts).toEqual({ sequentialScans: 0, rows: 50 });
  } finally {
    await database.close();
  }
});
