// The smallest request of each operation that passes its schema, for tests that loop over all of them.
import { v7 as newId } from "uuid";
import { loadAll } from "../functions/routes.ts";
import { routeOf } from "../lib/paths.ts";
import { slide } from "./slideshows/made.ts";
import { wholeConfig } from "./templates/templates.ts";

const VIDEO = { contentType: "video/mp4", size: 1_000 };
const POST = { caption: "a", accounts: [{ id: newId() }] };
const BODIES: Record<string, object> = {
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
  "posts.delete": { post_ids: [newId()] },
  "posts.prepare": POST,
  "posts.retry": { post_ids: [newId()] },
  "posts.update": { caption: "a" },
  "slideshows.create": { slides: [slide("a")] },
  "slideshows.generate": { skip_ai: true },
  "slideshows.update": { title: "a" },
  "templates.create": { name: "a", config: wholeConfig() },
  "templates.update": { name: "a" },
};

/** A keyword of its own, since briefs are remembered. */
const QUERIES: Record<string, string> = { "trends.brief": `?keyword=${newId()}` };

/** Every operation with its path filled by ids that nobody has. */
export const endpoints = (await loadAll()).map(({ id, spec }) => {
  const { method, path } = routeOf(spec.route);
  const filled = path.replaceAll(/\{index\}/g, "0").replaceAll(/\{\w+\}/g, () => newId());
  return { id, spec, method, path, filled, body: BODIES[id], query: QUERIES[id] ?? "" };
});

/** A key header for those that need one, so that the check under test is the one that answers. */
export function headersFor(spec: { idempotent?: string | undefined }): Record<string, string> {
  return spec.idempotent === "required" ? { "Idempotency-Key": newId() } : {};
}
