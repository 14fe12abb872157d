// Query plans of files and the cleanup, with as many rows as a large customer has.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteFile, findFile, listFiles } from "../../lib/queries/files.ts";
import { claimDeletions, finishDeletions } from "../../lib/queries/object-deletions.ts";
import { insertOwner, insertWorkspace } from "../../lib/queries/tenants.ts";
import { deleteExpiredUploads } from "../../lib/queries/uploads.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Scope } from "../../lib/shared/scope.ts";
import type { Database } from "../local/database.ts";
import { explainQueries, type Plan } from "../support/query-plans.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { SEED_ROWS_SQL } from "./file-rows.ts";

let database: Database;
let db: Db;
let scope: Scope;

beforeAll(async () => {
  ({ database, db } = await openSeparateDatabase("plans"));
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Plans" });
  const tenant = await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Plans" });
  scope = { ...tenant, id: tenant.workspaceId ?? tenant.ownerId };
}, 60_000);

afterAll(() => database.close());

/** Tables that must not be scanned sequentially. */
const BIG = ["files", "uploads", "removals", "posts", "folder_items"];

async function explainWithoutFullScans(work: () => PromiseLike<unknown>): Promise<Plan[]> {
  const plans = await explainQueries(database, work);
  for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return plans;
}

test("with many rows, the list, a delete and the cron use indexes", async () => {
  const folder = newId();
  await database.exec(SEED_ROWS_SQL.replaceAll("$scope", scope.id).replaceAll("$folder", folder));
  for (const [query, index] of [
    [{}, /^files_scope_newest$/],
    [{ type: "video" }, /^files_scope_kind_newest$/],
    // Both indexes of folder_items begin with the folder.
    [{ folder_id: folder }, /^folder_items_/],
  ] as const) {
    const [page, total] = await explainWithoutFullScans(() => listFiles(db, scope, { ...query, limit: 50, offset: 0 }));
    expect([query, page?.indexes]).toEqual([query, expect.arrayContaining([expect.stringMatching(index)])]);
    expect([query, total?.indexes.length]).not.toEqual([query, 0]);
    // The index provides the order; only the few files of a folder are sorted.
    expect(page?.sorted).toBe("folder_id" in query);
  }
  const [found] = await explainWithoutFullScans(() => findFile(db, scope, newId()));
  expect(found?.indexes).toEqual(["files_pkey"]);
  const [removed] = await explainWithoutFullScans(() => deleteFile(db, scope, newId(), new Date()));
  expect(removed?.indexes).toEqual(expect.arrayContaining(["files_pkey", "posts_scope_status_newest", "uploads_pkey"]));
  const now = new Date();
  const claimed = await explainWithoutFullScans(() =>
    claimDeletions(db, { now, leaseToken: newId(), leaseUntil: now, limit: 500 }),
  );
  expect(claimed[0]?.indexes).toEqual(expect.arrayContaining(["removals_due", "files_pkey"]));
  const one = { bucket: "uploads", objectKey: "a", multipartId: null, fileId: null, dueAt: now } as const;
  expect((await explainWithoutFullScans(() => finishDeletions(db, [one])))[0]?.indexes).toEqual([
    expect.stringMatching(/^removals_/),
  ]);
  expect((await explainWithoutFullScans(() => deleteExpiredUploads(db, now, 1_000)))[0]?.indexes).toContain(
    "uploads_fruitless",
  );
});
