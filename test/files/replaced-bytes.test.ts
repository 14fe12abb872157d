// A caller who replaces the bytes while they are finalized gets a file of verified bytes, or an error of its own.
import { readFile } from "node:fs/promises";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestTenant, vars } from "../support/harness.ts";
import { openStorageProxy, type StorageCall, type StorageProxy } from "./fault-injection.ts";
import { DEMO_VIDEO, putBytes } from "./upload-file.ts";

const video = await readFile(DEMO_VIDEO);
let proxy: StorageProxy;
beforeAll(async () => {
  proxy = await openStorageProxy();
});
afterAll(() => proxy.close());

/** Finalizes an upload whose bytes are replaced just before the first call to storage that matches. */
async function finalizeWhileReplacing(isMoment: (call: StorageCall) => boolean, replacement: Uint8Array) {
  const { api } = await createTestTenant();
  const started = (await api.post("/files", { contentType: "video/mp4" })).body.data;
  await putBytes(started, video);
  const finalize = (env = {}) =>
    api.call("POST", `/files/${started.id}/finalize`, { headers: { "Idempotency-Key": newId() }, env });
  let replaced = false;
  const copies: string[] = [];
  const replace = async (call: StorageCall) => {
    if (call.line.startsWith("PUT files/")) copies.push(call.line.slice("PUT files/".length));
    if (!replaced && isMoment(call)) {
      replaced = true;
      await putBytes(started, replacement);
    }
    return null;
  };
  const response = await proxy.withBrokenCalls(replace, () => finalize(proxy.env));
  expect(replaced).toBe(true);
  return { response, copies, api, id: started.id, repeat: await finalize() };
}

const isUploadHead = ({ line }: StorageCall) => line.startsWith("HEAD uploads/");
const isCopy = ({ line }: StorageCall) => line.startsWith("PUT files/");
const isRead = ({ line }: StorageCall) => line.startsWith("GET files/");

test("200 with the bytes that were there before, when others arrive during verification", async () => {
  const { response, repeat } = await finalizeWhileReplacing(isRead, Buffer.from("no video"));
  expect([response.status, repeat.status]).toEqual([200, 200]);
  const served = await fetch(response.body.data.file.url);
  expect(Buffer.from(await served.arrayBuffer()).equals(video)).toBe(true);
});

test("400 upload_failed when other bytes arrive before they are copied; the next finalize verifies those", async () => {
  const { response, repeat, api, id } = await finalizeWhileReplacing(isCopy, Buffer.from("no video"));
  expect([response.status, response.body.error_code]).toEqual([400, "upload_failed"]);
  expect(response.body.message).toMatch(/replaced in the meantime/);
  expect([repeat.status, repeat.body.error_code]).toEqual([400, "upload_failed"]);
  expect(repeat.body.message).toMatch(/no known type|declared as/);
  expect((await api.get(`/files/${id}`)).status).toBe(404);
});

test("400 upload_failed for bytes that are not a video: their copy is deleted", async () => {
  const { response, copies } = await finalizeWhileReplacing(isUploadHead, Buffer.from("no video"));
  expect([response.status, response.body.error_code, copies.length]).toEqual([400, "upload_failed", 1]);
  for (const copy of copies) expect((await fetch(`${vars.CDN_URL}/${copy}`)).status).toBe(404);
});
