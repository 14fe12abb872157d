// Builds the missing templates: a process of database-template.ts.
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "../../../functions/commands/migrate.ts";
import { createCallCounter } from "../call-counter.ts";
import { importViralLibrary } from "../corpus/import-library.ts";
import { type Database, startDatabase } from "../database.ts";
import { localEmbedder } from "../embedding-model.ts";
import { findTemplateFolder, TEMPLATES, type TemplateKind } from "./database-template.ts";

const folder = await findTemplateFolder();
await mkdir(folder, { recursive: true });
const [migrated, library] = [join(folder, "migrated"), join(folder, "library")];
await buildIfMissing("migrated", (path) => useDatabase(path, migrateDatabase));
await buildIfMissing("library", async (path) => {
  await cp(migrated, path, { recursive: true });
  await useDatabase(path, fillLibrary);
});
for (const name of await readdir(TEMPLATES)) {
  if (!folder.endsWith(name)) await rm(join(TEMPLATES, name), { recursive: true, force: true });
}

/** Built beside its place and renamed, so that a process that starts meanwhile sees a complete template or none. */
async function buildIfMissing(kind: TemplateKind, build: (path: string) => Promise<void>): Promise<void> {
  if (existsSync(join(folder, kind))) return;
  const temporary = await mkdtemp(join(folder, `${kind}-`));
  try {
    await build(join(temporary, "data"));
    await rename(join(temporary, "data"), kind === "migrated" ? migrated : library).catch((error) => {
      if (!existsSync(join(folder, kind))) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function useDatabase(dataDir: string, work: (database: Database) => Promise<void>): Promise<void> {
  const database = await startDatabase({ dataDir, calls: createCallCounter() });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

function toConfig({ url, fetchUrl }: Database) {
  return { DATABASE_URL: url, DATABASE_FETCH_URL: fetchUrl };
}

function migrateDatabase(database: Database): Promise<void> {
  return migrate(toConfig(database));
}

/**
 * Without the vector index while rows are inserted: one insert into it takes 33 ms, and building it at once 5 ms a row (measured
 * 2026-11-29). Half of each page stays free, so that the URLs of pictures are replaced without a change to an index.
 */
async function fillLibrary(database: Database): Promise<void> {
  const [index] = await database.query<{ indexdef: string }>(
    "select indexdef from pg_indexes where indexname = 'viral_posts_meaning'",
  );
  if (!index) throw new Error("The migrations create no index viral_posts_meaning.");
  await database.exec("drop index viral_posts_meaning; alter table viral_posts set (fillfactor = 50)");
  const files = await mkdtemp(join(folder, "files-"));
  try {
    await importViralLibrary(toConfig(database), files, localEmbedder);
  } finally {
    await rm(files, { recursive: true, force: true });
  }
  await database.exec(`${index.indexdef}; alter table viral_posts reset (fillfactor); analyze viral_posts; checkpoint`);
}
