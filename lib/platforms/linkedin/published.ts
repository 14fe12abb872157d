// Removes and edits posts that LinkedIn shows.

import type { Job } from "../platform.ts";
import type { Edited, PublishedPost, Removal } from "../published-post.ts";
import { permissionMissing, postGone } from "../takedown.ts";
import { requestRaw } from "./api.ts";
import { toCommentary } from "./content.ts";
import { assertSuccess } from "./errors.ts";

/**
 * Deletions are idempotent: LinkedIn answers 204 also for a post that was deleted before.
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api, read 2026-11-28.
 */
export async function unpublish(job: Job, { id }: PublishedPost): Promise<Removal> {
  const response = await requestRaw(job, "DELETE", `rest/posts/${encodeURIComponent(id)}`, {
    headers: { "x-restli-method": "DELETE" },
  });
  if (response.status === 404) return "already_gone";
  if (response.status === 403) throw permissionMissing("linkedin", "remove");
  assertSuccess(response);
  return "unpublished";
}

/** Of an organic post only the commentary can be changed; the page is that of the deletion. */
export async function edit(job: Job, { id }: PublishedPost): Promise<Edited> {
  const response = await requestRaw(job, "POST", `rest/posts/${encodeURIComponent(id)}`, {
    headers: { "x-restli-method": "PARTIAL_UPDATE" },
    json: { patch: { $set: { commentary: toCommentary(job.content.caption) } } },
  });
  if (response.status === 404) throw postGone("linkedin");
  if (response.status === 403) throw permissionMissing("linkedin", "edit");
  assertSuccess(response);
  return {};
}
