// Control actions on editor projects, run on a separate database.
import { randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DatabaseConfig } from "../../functions/commands/migrate.ts";
import {
  findProject,
  insertProject,
  type StoredProject,
  saveProject,
  saveProjectTranscript,
} from "../../lib/queries/editor.ts";
import { findCredential } from "../../lib/queries/keys.ts";
import { insertKey, insertOwner } from "../../lib/queries/tenants.ts";
import type { Db } from "../../lib/services/database.ts";
import { sha256Hex } from "../../lib/shared/crypto.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { createKey, editDuringTranscription, lockProject } from "./control-actions.ts";
import type { Database } from "./database.ts";

let database: Database;
let db: Db;
let config: DatabaseConfig;
let scope: { id: string; ownerId: string; workspaceId: string | null };

beforeAll(async () => {
  ({ database, db, config } = await openSeparateDatabase("control"));
  const { ownerId } = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Control" });
  scope = { id: ownerId, ownerId, workspaceId: null };
});
afterAll(() => database.close());

const render = { status: "none" as const, url: null, rendered_at: null };

function createProject() {
  const document = { assets: [], clips: [], text_clips: [], undo: null, render };
  const row = { id: newId(), title: "Cut", aspectRatio: "9:16", document, createdAt: new Date() };
  return insertProject(db, scope, row, "test");
}

function updateProject(read: StoredProject, kind: "captions_added" | "edited") {
  const { title, document } = read;
  const written = { title, document, transcript: null, activity: { kind, note: null, actor: "test" }, now: new Date() };
  return saveProject(db, scope, read, written);
}

test("a lock blocks every change until it is removed", async () => {
  const read = await createProject();
  await lockProject(database, read.id, true);
  expect(await updateProject(read, "edited")).toEqual({ outcome: "locked" });
  await lockProject(database, read.id, false);
  expect(await updateProject(read, "edited")).toMatchObject({ outcome: "done" });
});

test("an edit during transcription precedes the captions of that project, once, and no other write", async () => {
  const [read, other] = [await createProject(), await createProject()];
  editDuringTranscription(database, read.id);
  expect(await updateProject(other, "captions_added")).toMatchObject({ outcome: "done" });
  expect(await updateProject(read, "captions_added")).toEqual({ outcome: "changed" });
  const edited = await findProject(db, scope, read.id);
  expect(edited).toMatchObject({ title: "Cut (edited)", revision: 2 });
  if (!edited) throw new Error("the project exists");
  expect(edited.updatedAt > read.updatedAt).toBe(true);
  expect(await updateProject(edited, "captions_added")).toMatchObject({ outcome: "done" });
});

test("an edit during transcription also precedes an empty transcript", async () => {
  const read = await createProject();
  editDuringTranscription(database, read.id);
  const silence = { cut: "x", language: null, words: [] };
  expect(await saveProjectTranscript(db, scope, read, silence)).toBe(false);
});

test("a created key has the permissions, accounts and end of the request", async () => {
  const tenant = { ownerId: scope.ownerId, workspaceId: null };
  const key = await insertKey(db, tenant, { id: newId(), name: "first", kind: "key", expiresAt: null });
  const account_ids = [newId()];
  const expires_at = "2099-01-01T01:00:00+01:00";
  const token = await createKey(
    config,
    key,
    { permissions: ["posts:read"], account_ids, expires_at },
    randomBytes(32).toString("base64"),
  );
  const [publicId = "", secret = ""] = token.split(".");
  const found = await findCredential(db, { publicId, secretHash: sha256Hex(secret), operation: "posts.list" });
  expect(found).toMatchObject({
    credential: { scope: { id: scope.id, accountIds: account_ids }, permissions: ["posts:read"] },
    standing: { expiresAt: new Date("2099-01-01T00:00:00Z"), revokedAt: null },
  });
});
