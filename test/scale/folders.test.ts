// The queries of the folder endpoints use indexes in large tables.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertKey, savePlan, type TenantIds } from "../../lib/queries/tenants.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Database } from "../local/database.ts";
import { createClient } from "../support/harness.ts";
import { explainQueries, type Plan } from "../support/query-plans.ts";
import { openSeparateDatabase, type SeparateDatabase } from "../support/separate-database.ts";
import { createWorkspace } from "./workspace.ts";

const BIG = ["folders", "folder_items", "files", "slideshows"];

let database: Database;
let db: Db;
let token: string;
/** The caller's: a folder in the middle of a chain, its root ancestor, and items outside of folders. */
const samples = { folder: "", root: "", slideshowFolder: "", file: "", slideshow: "" };
let config: SeparateDatabase["config"];

beforeAll(async () => {
  ({ database, db, config } = await openSeparateDatabase("explain"));
  const tenant = await createWorkspace(db);
  await savePlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  token = await insertKey(db, tenant, { id: newId(), name: "explain", kind: "key", expiresAt: null });
  await insertRows(tenant, 300);
  for (let other = 0; other < 20; other++) await insertRows(await createWorkspace(db), 300);
  await database.exec("analyze folders, folder_items, files, slideshows");
  const ids = await database.query<typeof samples>(
    `select f.id as folder, f.parent_folder_id as root,
      (select s.id from folders s where s.scope_id = f.scope_id and s.media_type = 'slideshow' limit 1) as "slideshowFolder",
      (select x.id from files x where x.scope_id = f.scope_id and x.origin = 'upload' limit 1) as file,
      (select s.id from slideshows s where s.scope_id = f.scope_id limit 1) as slideshow
    from folders f where f.scope_id = $1 and f.media_type = 'upload' and f.name = 'Folder 2'`,
    [tenant.workspaceId],
  );
  Object.assign(samples, ids[0]);
}, 120_000);

afterAll(async () => {
  await database.close();
});

/** Chains of 8 folders in two trees with 4 items each, and the same number of files and slideshows. */
async function insertRows(tenant: TenantIds, count: number) {
  const params = [tenant.ownerId, tenant.workspaceId, count];
  await database.query(FILES, params);
  await database.query(SLIDESHOWS, params);
  for (const [mediaType, items] of [
    ["upload", "insert into folder_items (folder_id, file_id) select f.id, x.id from folders f join files x"],
    [
      "slideshow",
      "insert into folder_items (folder_id, slideshow_id) select f.id, x.id from folders f join slideshows x",
    ],
  ]) {
    await database.query(FOLDERS, [...params, mediaType]);
    await database.query(
      `${items} on x.scope_id = f.scope_id and (hashtext(x.id::text)::bigint - hashtext(f.id::text)) % 75 = 0
      where f.scope_id = $1 and f.media_type = $2`,
      [tenant.workspaceId, mediaType],
    );
  }
}

/** A deterministic UUID of a label and a number, as SQL. */
const toIdSql = (words: string, number: string) =>
  `overlay(overlay(md5(${words} || $2::text || (${number})) placing '4' from 13) placing '8' from 17)::uuid`;

const FILES = `
  insert into files (id, owner_id, workspace_id, object_key, url, kind, origin, content_type, filename, size, sha256,
    width, height, has_video, has_audio, details)
  select ${toIdSql("'file'", "n")}, $1::uuid, $2::uuid, n, 'https://cdn.example.com/' || $2::text || n, 'image', 'upload',
    'image/jpeg', n || '.jpg', 1, '', 1, 1, false, false, '{}'
  from generate_series(1, $3::int) n`;

const SLIDESHOWS = `
  insert into slideshows (id, owner_id, workspace_id, title, status, slideshow_type, settings, slides, preview_image_url)
  select ${toIdSql("'slideshow'", "n")}, $1::uuid, $2::uuid, 'Slideshow ' || n, 'rendered', 'educational',
    '{"aspect_ratio": "4:5", "advanced_settings": {}, "pack_assignments": null}', '[]',
    'https://cdn.example.com/' || $2::text || n
  from generate_series(1, $3::int) n`;

const FOLDERS = `
  insert into folders (id, owner_id, workspace_id, name, media_type, parent_folder_id)
  select ${toIdSql("$4::text", "n")}, $1::uuid, $2::uuid, 'Folder ' || n, $4::text,
    case when n % 8 <> 1 then ${toIdSql("$4::text", "n - 1")} end
  from generate_series(1, $3::int) n`;

/** The query plans of one request, without sequential scans of large tables. */
async function explainRequest(method: string, path: string, body?: unknown): Promise<Plan[]> {
  let status = 0;
  const plans = await explainQueries(database, async () => {
    ({ status } = await createClient(token).call(method, path, { body, env: config }));
  });
  expect(status).toBeLessThan(300);
  for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return plans;
}

/** Two indexes start with the folder of an item; either one finds the items of a folder. */
const listIndexes = (plans: Plan[]) =>
  plans.flatMap(({ indexes }) => indexes).map((name) => name.replace(/^folder_items_(file|slideshow)$/, ITEMS));

const ITEMS = "folder_items by folder";

test("a sequential scan of folders is detected", async () => {
  const [plan] = await explainQueries(database, () => db.execute("select count(*) from folders where name = 'x'"));
  expect(plan?.scanned).toEqual(["folders"]);
});

test("reading folders uses indexes with every filter", async () => {
  const OF_ONE = ["folders_pkey", "folders_parent", ITEMS, "files_pkey"];
  for (const query of [
    "?limit=100",
    "?media_type=upload&limit=100",
    "?parent_folder_id=root",
    "?media_type=slideshow&parent_folder_id=root",
  ]) {
    const indexes = listIndexes(await explainRequest("GET", `/folders${query}`));
    expect(indexes).toEqual(expect.arrayContaining([...OF_ONE, "folders_sibling_name", "files_scope_url"]));
  }
  for (const path of [`?parent_folder_id=${samples.root}`, `/${samples.folder}`, `/${samples.slideshowFolder}`]) {
    const indexes = listIndexes(await explainRequest("GET", `/folders${path}`));
    expect(indexes).toEqual(expect.arrayContaining(OF_ONE));
  }
});

test("reading items and ancestors uses indexes", async () => {
  for (const id of [samples.folder, samples.slideshowFolder]) {
    const indexes = listIndexes(await explainRequest("GET", `/folders/${id}/items`));
    expect(indexes).toEqual(expect.arrayContaining(["folders_pkey", ITEMS, "files_pkey", "slideshows_pkey"]));
  }
  expect(listIndexes(await explainRequest("GET", `/folders/${samples.folder}/ancestors`))).toContain("folders_pkey");
});

test("creating and moving folders uses indexes", async () => {
  const body = { name: "New", media_type: "upload", parent_folder_id: samples.folder };
  const TREE = ["folders_pkey", "folders_sibling_name"];
  expect(listIndexes(await explainRequest("POST", "/folders", body))).toEqual(expect.arrayContaining(TREE));
  const moved = await explainRequest("PATCH", `/folders/${samples.folder}`, { parent_folder_id: null });
  expect(listIndexes(moved)).toEqual(expect.arrayContaining([...TREE, "folders_parent"]));
});

test("adding and removing items and deleting folders uses indexes", async () => {
  const kinds: [string, string][] = [
    [samples.folder, samples.file],
    [samples.slideshowFolder, samples.slideshow],
  ];
  for (const [folder, item] of kinds) {
    const items = { item_ids: [item] };
    const added = listIndexes(await explainRequest("POST", `/folders/${folder}/items`, items));
    expect(added).toEqual(expect.arrayContaining(["folders_pkey", "files_pkey", "slideshows_pkey"]));
    expect(listIndexes(await explainRequest("DELETE", `/folders/${folder}/items`, items))).toContain(ITEMS);
  }
  expect(listIndexes(await explainRequest("DELETE", `/folders/${samples.folder}`))).toContain("folders_pkey");
});
