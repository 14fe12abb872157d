// Many concurrent moves of folders into each other.

import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { getStatusAndCode, insertChain, moveTo } from "../folders/factories.ts";
import { createTestTenant, queryRows, type Tenant } from "../support/harness.ts";

/** Folders of the scope that are not reachable from the root. */
async function listUnreachableFolders(tenant: Tenant) {
  return queryRows(sql`
    with recursive reached as (
      select id from folders where owner_id = ${tenant.ownerId} and parent_folder_id is null
      union all select f.id from reached r join folders f on f.parent_folder_id = r.id
    ) select id from folders where owner_id = ${tenant.ownerId} and id not in (select id from reached)`);
}

test("two concurrent moves never create a cycle, 200 times", async () => {
  const tenant = await createTestTenant();
  // The moves are far apart, so that they do not change the same rows.
  const [a, b] = [await insertChain(tenant, 3), await insertChain(tenant, 3)];
  for (let round = 0; round < 200; round++) {
    const responses = await Promise.all([moveTo(tenant, at(a, 0), at(b, 2)), moveTo(tenant, at(b, 0), at(a, 2))]);
    expect(responses.map(getStatusAndCode).sort()).toEqual([
      [200, undefined],
      [409, "folder_move_conflict"],
    ]);
    expect(await listUnreachableFolders(tenant)).toEqual([]);
    const winner = responses[0]?.status === 200 ? a : b;
    expect((await moveTo(tenant, at(winner, 0), null)).status).toBe(200);
  }
}, 120_000);
