// Removes and edits posts, videos and reels of a Facebook page.
import { assertSuccess, readMetaError } from "../meta.ts";
import { createRemoval, isGone, isPermissionMissing } from "../meta-removal.ts";
import type { Job } from "../platform.ts";
import type { Edited, PublishedPost, Removal } from "../published-post.ts";
import { notSupported, permissionMissing, postGone } from "../takedown.ts";
import { isStory } from "./content.ts";
import { DIALECT } from "./errors.ts";
import { requestGraph, requestGraphRaw } from "./graph.ts";
import { isStoryShown, type StoryHandle } from "./story.ts";

/** https://developers.facebook.com/documentation/pages-api/posts.md, read 2026-11-28: `success`; a video is an object as well. */
const removeObject = createRemoval({
  platform: "facebook",
  requestRaw: requestGraphRaw,
  assertSuccess: (job, response) =>
    assertSuccess(job, response, { prefix: "fb", irreversible: false, dialect: DIALECT }),
  readAccount: (job) => requestGraph(job, "GET", job.connection.externalId, { query: { fields: "id" } }),
});

export async function unpublish(job: Job, post: PublishedPost): Promise<Removal> {
  if (!isStory(job.content)) return removeObject(job, post);
  // No page documents a call that removes a story, and it ends by itself.
  if (!(await isStoryShown(job, post.handle as StoryHandle))) return "already_gone";
  throw notSupported(
    "Stories of Facebook cannot be removed by this service. It ends by itself 24 hours after it was published; to remove it before, open it in the Facebook app, tap the three dots, then Delete.",
  );
}

/**
 * The same page: `message` of a post. A video has a `description`:
 * https://developers.facebook.com/docs/graph-api/reference/video/, read 2026-11-28. Facebook lets an app edit its own posts.
 */
export async function edit(job: Job, { id }: PublishedPost): Promise<Edited> {
  const { caption, media } = job.content;
  if (isStory(job.content)) throw notSupported("A story of Facebook has no text that could be changed.");
  const form = media?.type === "video" ? { description: caption } : { message: caption };
  const response = await requestGraphRaw(job, "POST", id, { form });
  const error = readMetaError(response.body);
  if (isGone(error)) throw postGone("facebook");
  if (isPermissionMissing(error)) throw permissionMissing("facebook", "edit");
  assertSuccess(job, response, { prefix: "fb", irreversible: false, dialect: DIALECT });
  return {};
}
