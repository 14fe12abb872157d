// The queries of templates and packs use indexes in large tables.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deletePack, findPack, findPackImages, findPackOwner, listPacks } from "../../lib/queries/packs.ts";
import {
  countTemplateUse,
  deleteTemplate,
  findTemplate,
  insertTemplate,
  listTemplates,
  type NewTemplate,
  updateTemplate,
} from "../../lib/queries/templates.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Database } from "../local/database.ts";
import { explainQueries } from "../support/query-plans.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";

const BIG = ["templates", "packs", "pack_images"];

/** A separate database, so that other tests do not wait for the large inserts. */
let database: Database;
let db: Db;
const workspaceId = newId();
const scope = { id: workspaceId, ownerId: newId(), workspaceId };

beforeAll(async () => {
  ({ database, db } = await openSeparateDatabase("explain"));
  // 10 % in scope, 10 % of the others public.
  const rows = "from generate_series(1, 20000) n";
  const tenant = `gen_random_uuid(), case when n % 10 = 0 then '${workspaceId}'::uuid else gen_random_uuid() end`;
  await database.exec(`
    insert into templates (id, owner_id, workspace_id, name, visibility, config, created_at)
      select gen_random_uuid(), ${tenant}, 'Template ' || n, case when n % 10 = 1 then 'public' else 'private' end,
        '{}', now() - n * interval '1 minute' ${rows};
    insert into packs (id, owner_id, workspace_id, name, is_public, created_at)
      select gen_random_uuid(), ${tenant}, 'Pack ' || n, n % 10 = 1, now() - n * interval '1 minute' ${rows};
    insert into pack_images (id, pack_id, url, file_name, content_type, width, height)
      select gen_random_uuid(), p.id, 'https://media.example.com/a', 'a', 'image/png', 1, 1
      from packs p, generate_series(1, 5);
    analyze`);
}, 120_000);

afterAll(async () => {
  await database.close();
});

async function explain(work: () => PromiseLike<unknown>) {
  const found = await explainQueries(database, work);
  for (const plan of found) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return found;
}

const page = { limit: 20, offset: 40 };
const bounds = { createdSince: new Date(Date.now() - 5 * 24 * 60 * 60 * 1000), createdUntil: new Date() };

test.each([
  ["all", page],
  ["those found by name", { ...page, search: "template" }],
  ["those within bounds", { ...page, ...bounds }],
])("a page of templates, %s, is read in index order of two indexes without a sort", async (_, query) => {
  const [first] = await explain(() => listTemplates(db, scope, query));
  expect(first?.indexes).toEqual(expect.arrayContaining(["templates_scope_newest", "templates_public_newest"]));
  expect(first?.sorted).toBe(false);
});

test("a page of packs is read in index order, and its images by index", async () => {
  const [everybodys] = await explain(() => listPacks(db, scope, { ...page, includePublic: true }));
  const wanted = ["packs_scope_newest", "packs_public_newest", "pack_images_in_order"];
  expect(everybodys?.indexes).toEqual(expect.arrayContaining(wanted));
  const [own] = await explain(() => listPacks(db, scope, { ...page, includePublic: false }));
  expect(own?.indexes).toContain("packs_scope_newest");
  expect(own?.indexes).not.toContain("packs_public_newest");
});

test("reading and changing a template or a pack and finding a free name use indexes", async () => {
  const id = newId();
  const config = { version: 1 } as unknown as NewTemplate["config"];
  const template = { id, name: "a", description: null, visibility: "private" as const, previewUrl: null, config };
  await explain(() => findTemplate(db, scope, id));
  await explain(() => countTemplateUse(db, scope, id, new Date()).then(String));
  await explain(() => updateTemplate(db, scope, id, { name: "Template 10" }, new Date()));
  const inserting = await explain(() =>
    insertTemplate(db, scope, { ...template, numberIfTaken: false, createdAt: new Date() }),
  );
  expect(inserting.flatMap(({ indexes }) => indexes)).toContain("templates_scope_name");
  await explain(() => deleteTemplate(db, scope, id));
  await explain(() => findPack(db, scope, id));
  await explain(() => findPackOwner(db, scope, id));
  await explain(() => findPackImages(db, scope, [id, newId()]));
  await explain(() => deletePack(db, scope, id));
});
