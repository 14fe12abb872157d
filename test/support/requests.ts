// A minimal valid request of each operation, for tests that loop over all operations.
import { v7 as newId } from "uuid";
import { expect } from "vitest";
import { loadEndpoints } from "../../functions/routes.ts";
import { parseRoute } from "../../lib/http/route-path.ts";
import { buildSlide } from "../slideshows/factories.ts";
import { buildTemplateConfig } from "../templates/factories.ts";
import type { Client } from "./harness.ts";

const VIDEO = { contentType: "video/mp4", size: 1_000 };
const POST = { caption: "a", accounts: [{ id: newId() }] };
const BODIES: Record<string, object> = {
  "accounts.set-slots": { time_zone: "UTC", slots: [] },
  "workspace-settings.update": { time_zone: "UTC" },
  "analytics.create-target": { platform: "tiktok", identifier: "a" },
  "analytics.update-target": { favorite: true },
  "editor.create": { title: "a", file_ids: [newId()] },
  "editor.update": { expected_updated_at: "2026-11-20T18:00:00Z", title: "a" },
  "files.complete-multipart": { parts: [{ partNumber: 1, etag: "a" }] },
  "files.sign-parts": { partNumbers: [1] },
  "files.start": VIDEO,
  "files.start-multipart": VIDEO,
  "folders.add-items": { item_ids: [newId()] },
  "folders.create": { name: "a", media_type: "upload" },
  "folders.remove-items": { item_ids: [newId()] },
  "folders.update": { parent_folder_id: null },
  "packs.add-image": { image_url: "https://media.example.com/a.png" },
  "packs.create": { name: "a" },
  "packs.update": { name: "a" },
  "posts.create": POST,
  "posts.edit-published": { caption: "a" },
  "posts.delete": { post_ids: [newId()] },
  "posts.prepare": POST,
  "posts.retry": { post_ids: [newId()] },
  "posts.update": { caption: "a" },
  "sandbox.advance": { seconds: 1 },
  "slideshows.create": { slides: [buildSlide("a")] },
  "slideshows.generate": { skip_ai: true },
  "slideshows.update": { title: "a" },
  "templates.create": { name: "a", config: buildTemplateConfig() },
  "templates.update": { name: "a" },
  // An address without a name is not looked up, and nothing is sent to it.
  "webhooks.create": { url: "https://1.1.1.1/hook", types: ["*"] },
  "webhooks.replay": { after: null },
  "webhooks.update": { description: "a" },
};

/** A unique keyword, because briefs are cached. Public packs are those of all tenants, also of other tests. */
const QUERIES: Record<string, string> = {
  "packs.list": "?include_public=false",
  "trends.brief": `?keyword=${newId()}`,
};

/** Every operation, with a path of random ids. */
export const endpoints = (await loadEndpoints()).map(({ id, spec }) => {
  const { method, path } = parseRoute(spec.route);
  const filled = path.replaceAll(/\{index\}/g, "0").replaceAll(/\{\w+\}/g, () => newId());
  return { id, spec, method, path, filled, body: BODIES[id], query: QUERIES[id] ?? "" };
});

/** The Idempotency-Key header for operations that require it, so that the check under test is reached. */
export function headersFor(spec: { idempotent?: string | undefined }): Record<string, string> {
  return spec.idempotent === "required" ? { "Idempotency-Key": newId() } : {};
}

/** The operations that read without naming a record. The log of requests is left out: it grows with each of these. */
export const reads = endpoints.filter(
  ({ id, spec, method }) => method === "GET" && spec.auth !== "public" && !spec.params && !id.startsWith("requests."),
);

/** What these operations answer to a client, by operation. */
export async function readAll(client: Client): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { id, path, query } of reads) {
    const { status, body } = await client.get(path + query);
    expect([id, status]).toEqual([id, 200]);
    answers[id] = body.data;
  }
  return answers;
}
