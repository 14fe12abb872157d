// Removes and edits videos that YouTube shows.
import { isObject, pick, pickList } from "../http.ts";
import type { Job } from "../platform.ts";
import type { Edited, PublishedEdit, PublishedPost, Removal } from "../published-post.ts";
import { permissionMissing, postGone } from "../takedown.ts";
import { requestRaw } from "./api.ts";
import { fitDescription, replaceBrackets } from "./content.ts";
import { assertSuccess, isScopeMissing } from "./errors.ts";

/** https://developers.google.com/youtube/v3/docs/videos/delete, read 2026-11-28: 204, or 404 `videoNotFound`. */
export async function unpublish(job: Job, { id }: PublishedPost): Promise<Removal> {
  const response = await requestRaw(job, "DELETE", "/youtube/v3/videos", { query: { id } });
  if (response.status === 404) return "already_gone";
  if (isScopeMissing(response)) throw permissionMissing("youtube", "remove");
  assertSuccess(job, response);
  return "unpublished";
}

/** The fields of a snippet that an update can set; those that it does not send are deleted. */
const WRITABLE = ["title", "description", "categoryId", "tags", "defaultLanguage", "defaultAudioLanguage"];

/**
 * https://developers.google.com/youtube/v3/docs/videos/update, read 2026-11-28: an update overwrites the whole snippet, so it
 * is read first. It costs 50 units of the daily quota. The caption is the description.
 */
export async function edit(job: Job, { id }: PublishedPost, { caption, title }: PublishedEdit): Promise<Edited> {
  const listed = await requestRaw(job, "GET", "/youtube/v3/videos", { query: { part: "snippet", id } });
  if (isScopeMissing(listed)) throw permissionMissing("youtube", "edit");
  assertSuccess(job, listed);
  const [video] = pickList(listed.body, "items");
  const snippet = pick(video, "snippet");
  if (!isObject(snippet)) throw postGone("youtube");
  const kept = Object.fromEntries(WRITABLE.filter((name) => name in snippet).map((name) => [name, snippet[name]]));
  const changed = {
    ...(caption === undefined ? {} : { description: fitDescription(caption) }),
    ...(title === undefined ? {} : { title: replaceBrackets(title) }),
  };
  const response = await requestRaw(job, "PUT", "/youtube/v3/videos", {
    query: { part: "snippet" },
    json: { id, snippet: { ...kept, ...changed } },
  });
  if (response.status === 404) throw postGone("youtube");
  if (isScopeMissing(response)) throw permissionMissing("youtube", "edit");
  assertSuccess(job, response);
  return {};
}
