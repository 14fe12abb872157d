// With many folders and items in the tables, what the folder endpoints ask is answered from indexes: Postgres' plans say so.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { connect, type Db } from "../../lib/db.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { client } from "../harness.ts";
import { createCalls } from "../local/calls.ts";
import { type Database, startDatabase } from "../local/database.ts";
import { type Plan, plansOf } from "../posts/plans.ts";

const BIG = ["folders", "folder_items", "files", "slideshows"];

let database: Database;
let db: Db;
let token: string;
/** Of the caller: a folder in the middle of a chain, its topmost ancestor, and items that lie nowhere. */
const some = { folder: "", root: "", slideshowFolder: "", file: "", slideshow: "" };
const address = () => ({ DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl });

beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  await migrate(address());
  db = connect(address(), "explain");
  const tenant = await workspace();
  await tenants.setPlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  token = await tenants.createKey(db, tenant, { id: newId(), name: "explain", kind: "key", expiresAt: null });
  await fill(tenant, 300);
  for (let other = 0; other < 20; other++) await fill(await workspace(), 300);
  await database.exec("analyze folders, folder_items, files, slideshows");
  const ids = await database.query<typeof some>(
    `select f.id as folder, f.parent_folder_id as root,
      (select s.id from folders s where s.scope_id = f.scope_id and s.media_type = 'slideshow' limit 1) as "slideshowFolder",
      (select x.id from files x where x.scope_id = f.scope_id and x.origin = 'upload' limit 1) as file,
      (select s.id from slideshows s where s.scope_id = f.scope_id limit 1) as slideshow
    from folders f where f.scope_id = $1 and f.media_type = 'upload' and f.name = 'Folder 2'`,
    [tenant.workspaceId],
  );
  Object.assign(some, ids[0]);
}, 120_000);

afterAll(async () => {
  await database.close();
});

async function workspace(): Promise<tenants.Tenant> {
  const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Explain" });
  return tenants.createWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Explain" });
}

/** Chains of 8 folders in two trees, 4 items in each, and as many files and slideshows. */
async function fill(tenant: tenants.Tenant, count: number) {
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

/** A UUID that the same words and number give again. */
const idOf = (words: string, number: string) =>
  `overlay(overlay(md5(${words} || $2::text || (${number})) placing '4' from 13) placing '8' from 17)::uuid`;

const FILES = `
  insert into files (id, owner_id, workspace_id, object_key, url, kind, origin, content_type, filename, size, sha256,
    width, height, has_video, has_audio, details)
  select ${idOf("'file'", "n")}, $1::uuid, $2::uuid, n, 'https://cdn.example.com/' || $2::text || n, 'image', 'upload',
    'image/jpeg', n || '.jpg', 1, '', 1, 1, false, false, '{}'
  from generate_series(1, $3::int) n`;

const SLIDESHOWS = `
  insert into slideshows (id, owner_id, workspace_id, title, status, slideshow_type, settings, slides, preview_image_url)
  select ${idOf("'slideshow'", "n")}, $1::uuid, $2::uuid, 'Slideshow ' || n, 'rendered', 'educational',
    '{"aspect_ratio": "4:5", "advanced_settings": {}, "pack_assignments": null}', '[]',
    'https://cdn.example.com/' || $2::text || n
  from generate_series(1, $3::int) n`;

const FOLDERS = `
  insert into folders (id, owner_id, workspace_id, name, media_type, parent_folder_id)
  select ${idOf("$4::text", "n")}, $1::uuid, $2::uuid, 'Folder ' || n, $4::text,
    case when n % 8 <> 1 then ${idOf("$4::text", "n - 1")} end
  from generate_series(1, $3::int) n`;

/** The plans of everything that one request asks; none of them reads a big table from end to end. */
async function plansOfRequest(method: string, path: string, body?: unknown): Promise<Plan[]> {
  let status = 0;
  const plans = await plansOf(database, async () => {
    ({ status } = await client(token).call(method, path, { body, env: address() }));
  });
  expect(status).toBeLessThan(300);
  for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return plans;
}

/** Two indexes begin with the folder of an item, and either one serves to find what lies in it. */
const indexesOf = (plans: Plan[]) =>
  plans.flatMap(({ indexes }) => indexes).map((name) => name.replace(/^folder_items_(file|slideshow)$/, ITEMS));

const ITEMS = "folder_items by folder";

test("a plan that reads folders from end to end is seen", async () => {
  const [plan] = await plansOf(database, () => db.execute("select count(*) from folders where name = 'x'"));
  expect(plan?.scanned).toEqual(["folders"]);
});

test("the lists of folders, and a folder, are read from indexes whatever they are asked for", async () => {
  const OF_ONE = ["folders_pkey", "folders_parent", ITEMS, "files_pkey"];
  for (const query of [
    "?limit=100",
    "?media_type=upload&limit=100",
    "?parent_folder_id=root",
    "?media_type=slideshow&parent_folder_id=root",
  ]) {
    const indexes = indexesOf(await plansOfRequest("GET", `/folders${query}`));
    expect(indexes).toEqual(expect.arrayContaining([...OF_ONE, "folders_sibling_name", "files_scope_url"]));
  }
  for (const path of [`?parent_folder_id=${some.root}`, `/${some.folder}`, `/${some.slideshowFolder}`]) {
    const indexes = indexesOf(await plansOfRequest("GET", `/folders${path}`));
    expect(indexes).toEqual(expect.arrayContaining(OF_ONE));
  }
});

test("a page of items and the way to the root are read from indexes", async () => {
  for (const id of [some.folder, some.slideshowFolder]) {
    const indexes = indexesOf(await plansOfRequest("GET", `/folders/${id}/items`));
    expect(indexes).toEqual(expect.arrayContaining(["folders_pkey", ITEMS, "files_pkey", "slideshows_pkey"]));
  }
  expect(indexesOf(await plansOfRequest("GET", `/folders/${some.folder}/ancestors`))).toContain("folders_pkey");
});

test("creating and moving find parents, siblings and descendants by index", async () => {
  const body = { name: "New", media_type: "upload", parent_folder_id: some.folder };
  const TREE = ["folders_pkey", "folders_sibling_name"];
  expect(indexesOf(await plansOfRequest("POST", "/folders", body))).toEqual(expect.arrayContaining(TREE));
  const moved = await plansOfRequest("PATCH", `/folders/${some.folder}`, { parent_folder_id: null });
  expect(indexesOf(moved)).toEqual(expect.arrayContaining([...TREE, "folders_parent"]));
});

test("items are put in, taken out and their folder deleted by index", async () => {
  const kinds: [string, string][] = [
    [some.folder, some.file],
    [some.slideshowFolder, some.slideshow],
  ];
  for (const [folder, item] of kinds) {
    const items = { item_ids: [item] };
    const added = indexesOf(await plansOfRequest("POST", `/folders/${folder}/items`, items));
    expect(added).toEqual(expect.arrayContaining(["folders_pkey", "files_pkey", "slideshows_pkey"]));
    expect(indexesOf(await plansOfRequest("DELETE", `/folders/${folder}/items`, items))).toContain(ITEMS);
  }
  expect(indexesOf(await plansOfRequest("DELETE", `/folders/${some.folder}`))).toContain("folders_pkey");
});
