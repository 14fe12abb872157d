// Removes and edits pins.

import type { Job } from "../platform.ts";
import type { Edited, PublishedEdit, PublishedPost, Removal } from "../published-post.ts";
import { permissionMissing, postGone } from "../takedown.ts";
import { requestRaw } from "./api.ts";
import { buildDescription } from "./content.ts";
import { assertSuccess } from "./errors.ts";

/** https://github.com/pinterest/api-description/blob/main/v5/openapi.json, pins/delete, read 2026-11-28: 204, or 404. */
export async function unpublish(job: Job, { id }: PublishedPost): Promise<Removal> {
  const response = await requestRaw(job, "DELETE", `pins/${encodeURIComponent(id)}`);
  if (response.status === 404) return "already_gone";
  if (response.status === 403) throw permissionMissing("pinterest", "remove");
  assertSuccess(response);
  return "unpublished";
}

/** pins/update of the same description, read 2026-11-28: fields that are not sent stay. The tags are a part of the description. */
export async function edit(job: Job, { id }: PublishedPost, { caption, title }: PublishedEdit): Promise<Edited> {
  const json = {
    ...(caption === undefined ? {} : { description: buildDescription(job.content) }),
    ...(title === undefined ? {} : { title }),
  };
  const response = await requestRaw(job, "PATCH", `pins/${encodeURIComponent(id)}`, { json });
  if (response.status === 404) throw postGone("pinterest");
  if (response.status === 403) throw permissionMissing("pinterest", "edit");
  assertSuccess(response);
  return {};
}
