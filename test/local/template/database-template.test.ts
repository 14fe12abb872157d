// A state that starts from the template has the viral library with its index, and the pictures of its own storage.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../../functions/commands/migrate.ts";
import { createCallCounter } from "../call-counter.ts";
import { illustrateLibrary } from "../corpus/import-library.ts";
import { VIRAL_CORPUS } from "../corpus/viral.ts";
import { type Database, startDatabase } from "../database.ts";
import { copyTemplate } from "./database-template.ts";

const folder = mkdtempSync(join(tmpdir(), "template-"));
let database: Database;

beforeAll(async () => {
  const dataDir = join(folder, "database");
  await copyTemplate("library", dataDir);
  database = await startDatabase({ dataDir, calls: createCallCounter() });
}, 300_000);
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

test("the copy has every migration, and every post with its vector and a valid index", async () => {
  const countMigrations = () => database.query("select count(*)::int as count from drizzle.__drizzle_migrations");
  const before = await countMigrations();
  await migrate({ DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl });
  expect(await countMigrations()).toEqual(before);
  expect(
    await database.query("select count(*)::int as posts, count(embedding)::int as vectors from viral_posts"),
  ).toEqual([{ posts: VIRAL_CORPUS.count, vectors: VIRAL_CORPUS.count }]);
  const index = "select indisvalid from pg_index where indexrelid = 'viral_posts_meaning'::regclass";
  expect(await database.query(index)).toEqual([{ indisvalid: true }]);
});

test("pictures are replaced without new entries in the indexes", async () => {
  const pictures = ["http://storage.test/1.jpg", "http://storage.test/2.jpg"];
  const sizes = () =>
    database.query(
      "select pg_relation_size('viral_posts_meaning') as meaning, pg_relation_size('viral_posts_pkey') as key",
    );
  const before = await sizes();
  await illustrateLibrary(database.query, pictures, () => false);
  expect(await sizes()).toEqual(before);
  expect(
    await database.query(
      "select distinct unnest(image_urls || preview_image_url) as url from viral_posts order by url",
    ),
  ).toEqual(pictures.map((url) => ({ url })));
  const [example] = await database.query<{ preview: string; urls: string[]; slides: number }>(
    "select preview_image_url as preview, image_urls as urls, slide_count as slides from viral_posts where slide_count = 3 order by id limit 1",
  );
  expect(example?.urls).toHaveLength(example?.slides ?? 0);
  expect(example?.urls[0]).toBe(example?.preview);
});

test("a data directory that exists stays as it is", async () => {
  await copyTemplate("migrated", join(folder, "database"));
  expect(await database.query("select count(*)::int as posts from viral_posts")).toEqual([
    { posts: VIRAL_CORPUS.count },
  ]);
});
