// Every change by a key leaves a row in the audit log, written in the statement of the change.
import { expect, test } from "vitest";
import { listAuditEntries } from "../../lib/queries/audit.ts";
import { createFolder, insertFiles } from "../folders/factories.ts";
import { buildGradientRows, buildPng } from "../media/png-writer.ts";
import { createPack } from "../packs/factories.ts";
import { addImage, serveBytes, startImageHost } from "../packs/image-host.ts";
import { createTestAccount, createTestTenant, openTestDatabase } from "../support/harness.ts";

const readLog = (scopeId: string | null) => listAuditEntries(openTestDatabase(), scopeId ?? "", { limit: 50 });

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

test("an upload, an item of a folder and an image of a pack leave a row of the upload, the folder and the pack", async () => {
  const tenant = await createTestTenant();
  const folder = await createFolder(tenant);
  const items = { item_ids: await insertFiles(tenant, 2, "upload") };
  expect((await tenant.api.post(`/folders/${folder.id}/items`, items)).status).toBe(200);
  const removed = await tenant.api.call("DELETE", `/folders/${folder.id}/items`, { body: items });
  expect(removed.status).toBe(200);
  const pack = await createPack(tenant.api);
  const host = await startImageHost();
  const url = host.at("/a.png", serveBytes(buildPng(7, 5, buildGradientRows(7, 5)), "image/png"));
  const image = await addImage(tenant.api, pack.id, { image_url: url }, [host.host]);
  await host.close();
  expect((await tenant.api.delete(`/packs/${pack.id}/images/${image.body.data.id}`)).status).toBe(200);
  const { body } = await tenant.api.post("/files", { contentType: "video/mp4" });

  const log = await readLog(tenant.workspaceId);
  const rows = log.map(({ action, noun, recordId }) => [action, noun, recordId]);
  expect(rows).toEqual([
    ["files.start", "uploads", body.data.id],
    ["packs.remove-image", "packs", pack.id],
    ["packs.add-image", "packs", pack.id],
    ["packs.create", "packs", pack.id],
    ["folders.remove-items", "folders", folder.id],
    ["folders.add-items", "folders", folder.id],
    ["folders.create", "folders", folder.id],
  ]);
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
