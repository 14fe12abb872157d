// The levers on an editor project: what the assistant and the web editor do, done to a database of this test's own.
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../drizzle/migrate.ts";
import { connect, type Db } from "../../lib/db.ts";
import * as editor from "../../lib/queries/editor.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { createCalls } from "./calls.ts";
import { type Database, startDatabase } from "./database.ts";
import { editDuringTranscription, lockProject } from "./levers.ts";

let database: Database;
let db: Db;
let scope: { id: string; ownerId: string; workspaceId: string | null };

beforeAll(async () => {
  database = await startDatabase({ calls: createCalls() });
  const address = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };
  await migrate(address);
  db = connect(address, "test");
  const { ownerId } = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Lever" });
  scope = { id: ownerId, ownerId, workspaceId: null };
});
afterAll(() => database.close());

const render = { status: "none" as const, url: null, rendered_at: null };

function project() {
  const document = { assets: [], clips: [], text_clips: [], undo: null, render };
  const row = { id: newId(), title: "Cut", aspectRatio: "9:16", document, createdAt: new Date() };
  return editor.insert(db, scope, row, "test");
}

function write(read: editor.StoredProject, kind: "captions_added" | "edited") {
  const { title, document } = read;
  const written = { title, document, transcript: null, activity: { kind, note: null, actor: "test" }, now: new Date() };
  return editor.change(db, scope, read, written);
}

test("a lock holds every change off until it is lifted", async () => {
  const read = await project();
  await lockProject(database, read.id, true);
  expect(await write(read, "edited")).toEqual({ outcome: "locked" });
  await lockProject(database, read.id, false);
  expect(await write(read, "edited")).toMatchObject({ outcome: "done" });
});

test("an edit during a transcription comes before the captions of that project, once, and before nothing else", async () => {
  const [read, other] = [await project(), await project()];
  editDuringTranscription(database, read.id);
  expect(await write(other, "captions_added")).toMatchObject({ outcome: "done" });
  expect(await write(read, "captions_added")).toEqual({ outcome: "changed" });
  const edited = await editor.find(db, scope, read.id);
  expect(edited).toMatchObject({ title: "Cut (edited)", revision: 2 });
  if (!edited) throw new Error("it is there");
  expect(edited.updatedAt > read.updatedAt).toBe(true);
  expect(await write(edited, "captions_added")).toMatchObject({ outcome: "done" });
});

test("an edit during a transcription comes before the word that nobody speaks, too", async () => {
  const read = await project();
  editDuringTranscription(database, read.id);
  const silence = { cut: "x", language: null, words: [] };
  expect(await editor.keepTranscript(db, scope, read, silence)).toBe(false);
});
