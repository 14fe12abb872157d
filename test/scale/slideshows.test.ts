// The queries of the slideshow endpoints use indexes in large tables.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findUsableTemplate } from "../../lib/queries/slideshow-sources.ts";
import { saveRenderedImages, updateSlideshow } from "../../lib/queries/slideshow-updates.ts";
import {
  deleteSlideshow,
  duplicateSlideshow,
  findSlideshow,
  findSlideshowWithRenderHash,
  listSlideshows,
} from "../../lib/queries/slideshows.ts";
import type { Db } from "../../lib/services/database.ts";
import type { Database } from "../local/database.ts";
import { explainQueries } from "../support/query-plans.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";

let database: Database;
let db: Db;
const owner = newId();
const scope = { id: owner, ownerId: owner, workspaceId: null };
const BIG = ["slideshows", "templates", "packs", "pack_images", "products"];

beforeAll(async () => {
  ({ database, db } = await openSeparateDatabase("explain"));
  await database.exec(`
    create temp table scopes as
      select n as number, case when n = 0 then '${owner}'::uuid else gen_random_uuid() end as id from generate_series(0, 9) n;
    insert into slideshows (id, owner_id, title, status, slideshow_type, settings, slides, created_at)
      select gen_random_uuid(), s.id, 'Slideshow ' || n, case when n % 9 = 0 then 'rendered' else 'draft' end,
        'educational', '{}', '[]', now() - n * interval '1 minute'
      from generate_series(1, 20000) n join scopes s on s.number = n % 10;
    insert into templates (id, owner_id, name, visibility, config)
      select gen_random_uuid(), s.id, 'Template ' || n, 'private',
        '{"structure": {"packAssignments": {"0": "${newId()}"}}, "visuals": {"packId": null}}'
      from generate_series(1, 20000) n join scopes s on s.number = n % 10;
    insert into products (id, owner_id, name)
      select gen_random_uuid(), s.id, 'Product' from generate_series(1, 20000) n join scopes s on s.number = n % 10;
    insert into packs (id, owner_id, name, is_public)
      select gen_random_uuid(), s.id, 'Pack', false from generate_series(1, 20000) n join scopes s on s.number = n % 10;
    insert into pack_images (id, pack_id, url, file_name, content_type, width, height)
      select gen_random_uuid(), id, 'https://example.com/a.png', 'a.png', 'image/png', 1, 1 from packs;
    analyze`);
}, 120_000);

afterAll(async () => {
  await database.close();
});

async function explainLargeTables(work: () => PromiseLike<unknown>) {
  const plans = await explainQueries(database, work);
  for (const plan of plans) expect(plan.scanned.filter((table) => BIG.includes(table))).toEqual([]);
  return plans;
}

test.each([{}, { status: "rendered" as const }])("a page of %j is read in index order", async (filter) => {
  const [page, total] = await explainLargeTables(() => listSlideshows(db, scope, { ...filter, limit: 20, offset: 0 }));
  expect(page).toMatchObject({ indexes: ["slideshows_scope_newest"], sorted: false });
  expect(total?.indexes).toEqual(["slideshows_scope_newest"]);
});

test("reading, updating, duplicating and deleting a slideshow uses its primary key", async () => {
  const id = newId();
  const now = new Date();
  const patch = { slides: [], product_id: newId(), settings: { aspect_ratio: "1:1" } };
  for (const work of [
    () => findSlideshow(db, scope, id),
    () => findSlideshowWithRenderHash(db, scope, id),
    () => duplicateSlideshow(db, scope, id, { id: newId(), now }),
    () => deleteSlideshow(db, scope, id),
    () => updateSlideshow(db, scope, id, patch, now),
    () => saveRenderedImages(db, scope, id, { urls: ["a"], renderHash: "x", now }),
  ]) {
    const plans = await explainLargeTables(work);
    expect(plans.flatMap(({ indexes }) => indexes)).toContain("slideshows_pkey");
  }
});

test("reading a template and the images of its packs uses indexes", async () => {
  const [plan] = await explainLargeTables(() => findUsableTemplate(db, scope, newId()));
  expect(plan?.indexes).toEqual(expect.arrayContaining(["templates_pkey", "packs_pkey", "pack_images_in_order"]));
});
