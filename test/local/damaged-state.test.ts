// The local stack with damaged files of its state.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrate } from "../../functions/commands/migrate.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { createCallCounter } from "./call-counter.ts";
import { readStateFile } from "./damaged-state.ts";
import { startDatabase } from "./database.ts";
import { startRedis } from "./redis.ts";
import { startLocalStack } from "./stack.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "damaged-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const calls = createCallCounter();

test("a damaged state.json is named, with the way out, and nothing is started", async () => {
  const path = join(folder, "state.json");
  writeFileSync(path, '{"ports": {"database"');
  const started = startLocalStack({ folder, fresh: false, log: () => undefined });
  await expect(started).rejects.toThrow(`${path} cannot be read`);
  await expect(started).rejects.toThrow("npm start -- --fresh");
});

test("a state file that is no object cannot be read, one that is absent is not", async () => {
  writeFileSync(join(folder, "a.json"), "12");
  await expect(readStateFile(join(folder, "a.json"))).rejects.toThrow("cannot be read: it holds no JSON object.");
  expect(await readStateFile(join(folder, "b.json"))).toBeNull();
});

test("a damaged redis.json is named", async () => {
  const file = join(folder, "redis.json");
  writeFileSync(file, '[{"key":');
  await expect(startRedis({ file, token: "t", calls })).rejects.toThrow(`${file} cannot be read`);
});

test("a damaged database is named", async () => {
  const dataDir = join(folder, "database");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "PG_VERSION"), "not a version");
  await expect(startDatabase({ dataDir, calls })).rejects.toThrow(`${dataDir} cannot be read`);
});

test("a database of older migrations is named, and kept as it is", async () => {
  const { database, config } = await openSeparateDatabase("older");
  await database.exec(`drop schema public, drizzle cascade; create schema public; create schema drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('0000', 1763000000000)`);
  await expect(migrate(config)).rejects.toThrow("The database was made by older migrations");
  expect(await database.query("select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
  await database.close();
});
