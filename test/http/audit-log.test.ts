// Every change by a key leaves a row in the audit log, written in the statement of the change.
import { expect, test } from "vitest";
import * as audit from "../../lib/queries/audit.ts";
import { createTestAccount, createTestTenant, openTestDatabase } from "../support/harness.ts";

const readLog = (scopeId: string | null) => audit.list(openTestDatabase(), scopeId ?? "", { limit: 50 });

test("a post that is created, changed and deleted leaves one row per request, which names key and operation", async () => {
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "instagram");
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const video = { type: "video", url: "https://media.example.com/a.mp4" };
  const draft = await tenant.api.post("/posts/prepare", { caption: "a", accounts: [{ id: account.id }], media: video });
  const { id } = draft.body.data;
  expect((await tenant.api.patch(`/posts/${id}`, { caption: "b", scheduled_at: later })).status).toBe(200);
  expect((await tenant.api.post("/posts/delete", { post_ids: [id] })).status).toBe(200);

  const log = await readLog(tenant.workspaceId);
  const [publicId] = tenant.token.split(".");
  expect(
    log.map(({ action, noun, recordId, actorKind, actorName }) => [action, noun, recordId, actorKind, actorName]),
  ).toEqual(["posts.delete", "posts.update", "posts.prepare"].map((action) => [action, "posts", id, "key", publicId]));
  expect(log[2]?.requestId).toBe(draft.headers.get("x-request-id"));
});

test("a rejected change, a read and a change that matches nothing leave no row", async () => {
  const tenant = await createTestTenant();
  const other = await createTestTenant();
  const created = await other.api.post("/folders", { name: "a", media_type: "upload" });
  await tenant.api.patch(`/folders/${created.body.data.id}`, { name: "b" });
  await tenant.api.post("/folders", { name: "" });
  await tenant.api.get("/folders?media_type=upload");
  expect(await readLog(tenant.workspaceId)).toEqual([]);
  expect(await readLog(other.workspaceId)).toMatchObject([{ action: "folders.create", noun: "folders" }]);
});
