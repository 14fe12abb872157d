// A caller who replaces the bytes while they are verified gets an error of their own, and no file of other bytes.
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
  expect((await api.get(`/files/${started.id}`)).status).toBe(response.status === 200 ? 200 : 404);
  for (const copy of copies) expect((await fetch(`${vars.CDN_URL}/${copy}`)).status).toBe(404);
  return { response, copies, repeat: await finalize() };
}

const isRead = ({ line, query }: StorageCall) => line.startsWith("GET uploads/") && !query.has("list-type");
const isCopy = ({ line }: StorageCall) => line.startsWith("PUT files/");

test("400 upload_failed when other bytes arrive during verification; the next finalize verifies those", async () => {
  const { response, copies, repeat } = await finalizeWhileReplacing(isRead, Buffer.from("no video"));
  expect([response.status, response.body.error_code, copies]).toEqual([400, "upload_failed", []]);
  expect(response.body.message).toMatch(/changed while they were verified/);
  expect([repeat.status, repeat.body.error_code]).toEqual([400, "upload_failed"]);
  expect(repeat.body.message).toMatch(/no known type|declared as/);
});

test("400 upload_failed when other bytes arrive between verification and copy", async () => {
  const { response, repeat } = await finalizeWhileReplacing(isCopy, Buffer.from("no video"));
  expect([response.status, response.body.error_code]).toEqual([400, "upload_failed"]);
  expect(response.body.message).toMatch(/changed while they were verified/);
  expect(repeat.body.message).toMatch(/no known type|declared as/);
});

test("400 upload_failed when another object with the same ETag is copied; its copy is deleted", async () => {
  const { response, copies, repeat } = await finalizeWhileReplacing(isCopy, video);
  expect([response.status, response.body.error_code, copies.length]).toEqual([400, "upload_failed", 1]);
  expect(response.body.message).toMatch(/changed while they were verified/);
  expect(repeat.status).toBe(200);
});
