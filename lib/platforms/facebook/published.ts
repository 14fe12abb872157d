// Removes and edits posts and videos of a Facebook page.
import { assertSuccess, readMetaError } from "../meta.ts";
import { createRemoval, isGone, isPermissionMissing } from "../meta-removal.ts";
import type { Edited, Job, PublishedPost } from "../platform.ts";
import { permissionMissing, postGone } from "../takedown.ts";
import { DIALECT } from "./errors.ts";
import { requestGraph, requestGraphRaw } from "./graph.ts";

/** https://developers.facebook.com/documentation/pages-api/posts.md, read 2026-11-28: `success`; a video is an object as well. */
export const unpublish = createRemoval({
  platform: "facebook",
  requestRaw: requestGraphRaw,
  assertSuccess: (job, response) =>
    assertSuccess(job, response, { prefix: "fb", irreversible: false, dialect: DIALECT }),
  readAccount: (job) => requestGraph(job, "GET", job.connection.externalId, { query: { fields: "id" } }),
});

/**
 * The same page: `message` of a post. A video has a `description`:
 * https://developers.facebook.com/docs/graph-api/reference/video/, read 2026-11-28. Facebook lets an app edit its own posts.
 */
export async function edit(job: Job, { id }: PublishedPost): Promise<Edited> {
  const { caption, media } = job.content;
  const form = media?.type === "video" ? { description: caption } : { message: caption };
  const response = await requestGraphRaw(job, "POST", id, { form });
  const error = readMetaError(response.body);
  if (isGone(error)) throw postGone("facebook");
  if (isPermissionMissing(error)) throw permissionMissing("facebook", "edit");
  assertSuccess(job, response, { prefix: "fb", irreversible: false, dialect: DIALECT });
  return {};
}
