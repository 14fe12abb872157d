// The smallest request of each operation that passes its schema, for tests that loop over all of them.
import { v7 as newId } from "uuid";
import { loadAll } from "../functions/routes.ts";
import { routeOf } from "../lib/paths.ts";

const VIDEO = { contentType: "video/mp4", size: 1_000 };
const POST = { caption: "a", accounts: [{ id: newId() }] };
const CONFIG = {
  version: 1,
  structure: { slides: [{ id: newId(), type: "pack", pinnedImageUrl: null, textElements: [] }] },
  content: { mode: "manual", productId: null, language: "en", slideshowType: "educational" },
  visuals: {
    packId: null,
    aspectRatio: "4:5",
    textSettings: { fontSize: "default", preset: "tiktok", width: "default" },
  },
};

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
  "slideshows.create": { slides: [{ text_elements: [{ content: "a", x: 1, y: 1 }], image_url: null }] },
  "slideshows.generate": { skip_ai: true },
  "slideshows.update": { title: "a" },
  "templates.create": { name: "a", config: CONFIG },
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
