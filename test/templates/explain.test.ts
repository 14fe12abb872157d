// With many templates and packs in the tables, what the service asks of them is answered from indexes.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { connect, type Db } from "../../lib/db.ts";
import * as packs from "../../lib/queries/packs.ts";
import * as templates from "../../lib/queries/templates.ts";
import { createCalls } from "../local/calls.ts";
import { type Database, startDatabase } from "../local/database.ts";
import { plansOf } from "../posts/plans.ts";

const BIG = ["templates", "packs", "pack_images"];

/** A database of its own: the large inserts keep nobody waiting. */
let database: Database;
let db: Db;
const workspaceId = newId();
const scope = { id: workspaceId, ownerId: newId(), workspaceId };

beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  const address = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };
  await migrate(address);
  db = connect(address, "explain");
  // A tenth in scope, a tenth of the others public.
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

async function plans(work: () => Promise<unknown>) {
  const found = await plansOf(database, work);
  for (const plan of found) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return found;
}

const page = { limit: 20, offset: 40 };
const bounds = { created_since: new Date(Date.now() - 5 * 24 * 60 * 60 * 1000), created_until: new Date() };

test.each([
  ["all", page],
  ["those found by name", { ...page, search: "template" }],
  ["those within bounds", { ...page, ...bounds }],
])("a page of templates, %s, comes in the order of two indexes without a sort", async (_, query) => {
  const [first] = await plans(() => templates.list(db, scope, query));
  expect(first?.indexes).toEqual(expect.arrayContaining(["templates_scope_newest", "templates_public_newest"]));
  expect(first?.sorted).toBe(false);
});

test("a page of packs comes in the order of two indexes, or of one, and its images by another", async () => {
  const [everybodys] = await plans(() => packs.list(db, scope, { ...page, include_public: true }));
  const wanted = ["packs_scope_newest", "packs_public_newest", "pack_images_in_order"];
  expect(everybodys?.indexes).toEqual(expect.arrayContaining(wanted));
  const [own] = await plans(() => packs.list(db, scope, { ...page, include_public: false }));
  expect(own?.indexes).toContain("packs_scope_newest");
  expect(own?.indexes).not.toContain("packs_public_newest");
});

test("one template, one pack, their changes and a name that is to be free are found by index", async () => {
  const id = newId();
  const config = { version: 1 } as unknown as templates.NewTemplate["config"];
  const template = { id, name: "a", description: null, visibility: "private" as const, previewUrl: null, config };
  await plans(() => templates.find(db, scope, id));
  await plans(() => templates.use(db, scope, id, new Date()).then(String));
  await plans(() => templates.update(db, scope, id, { name: "Template 10" }, new Date()));
  const inserting = await plans(() =>
    templates.insert(db, scope, { ...template, numbered: false, createdAt: new Date() }),
  );
  expect(inserting.flatMap(({ indexes }) => indexes)).toContain("templates_scope_name");
  await plans(() => templates.remove(db, scope, id));
  await plans(() => packs.find(db, scope, id));
  await plans(() => packs.findOwner(db, scope, id));
  await plans(() => packs.findImages(db, scope, [id, newId()]));
  await plans(() => packs.remove(db, scope, id));
});
