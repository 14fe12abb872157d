// Removes and edits posts that X shows.
import { HOUR_MS } from "../../shared/durations.ts";
import { pick, pickList, pickString, unanswered } from "../http.ts";
import { failure, getFailure, type Job } from "../platform.ts";
import type { Edited, PublishedPost, Removal } from "../published-post.ts";
import { permissionMissing } from "../takedown.ts";
import { request, requestRaw } from "./api.ts";
import { buildTweet, toUrl } from "./content.ts";
import { assertSuccess, NETWORK } from "./errors.ts";

/** https://docs.x.com/x-api/posts/delete-post, read 2026-11-28: `data.deleted`; with a post its whole history of edits goes. */
export async function unpublish(job: Job, { id }: PublishedPost): Promise<Removal> {
  const response = await requestRaw(job, "DELETE", `tweets/${encodeURIComponent(id)}`);
  const { status, body } = response;
  const [first] = pickList(body, "errors");
  const type = pickString(body, "type") ?? pickString(first, "type") ?? "";
  if (status === 404 || type.endsWith("/resource-not-found")) return "already_gone";
  if (status === 403 && (type === "" || type.endsWith("about:blank"))) throw permissionMissing("twitter", "remove");
  assertSuccess(job, response);
  if (pick(body, "data", "deleted") === true) return "unpublished";
  throw failure({ class: "transient", code: "x_not_deleted", message: "X did not delete the post." });
}

/** https://help.x.com/en/using-x/edit-post, read 2026-11-28: an hour; https://docs.x.com/x-api/fundamentals/edit-posts: 30 minutes. */
const EDITABLE_MS = HOUR_MS;

/**
 * `edit_options.previous_post_id` of https://docs.x.com/x-api/posts/create-post, read 2026-11-28: an edit is a new post with an
 * id of its own, up to five times, for accounts with Premium. Media are sent again.
 */
export async function edit(job: Job, post: PublishedPost): Promise<Edited> {
  if (job.now().getTime() - post.publishedAt.getTime() > EDITABLE_MS) throw tooLate();
  try {
    return await sendEdit(job, post, post.id);
  } catch (error) {
    const kind = getFailure(error)?.class;
    if (kind === "rate_limited" || kind === "auth") throw error;
    // An earlier try may have made the newest version; its answer was lost.
    const newest = await findNewestVersion(job, post.id);
    if (newest === null || newest === post.id) throw error;
    if (kind === "unanswered" || kind === "transient") return { id: newest, url: toUrl(newest) };
    return sendEdit(job, post, newest);
  }
}

async function sendEdit(job: Job, { handle }: PublishedPost, previous: string): Promise<Edited> {
  const mediaIds = pickList(handle, "mediaIds").map(String);
  const response = await requestRaw(job, "POST", "tweets", {
    json: { ...buildTweet(job, mediaIds), edit_options: { previous_post_id: previous } },
    irreversible: true,
  });
  if (response.status === 403) throw notEditable();
  assertSuccess(job, response);
  const id = pickString(response.body, "data", "id");
  if (!id) throw unanswered(NETWORK, "edit_without_id");
  return { id, url: toUrl(id) };
}

/** The id of the last edit of a post, by its history, which every response has. Null when X does not say. */
async function findNewestVersion(job: Job, id: string): Promise<string | null> {
  try {
    const { body } = await request(job, "GET", "tweets", { query: { ids: id } });
    const [post] = pickList(body, "data");
    return pickList(post, "edit_history_tweet_ids").map(String).at(-1) ?? null;
  } catch {
    return null;
  }
}

function tooLate() {
  const message = "X lets a post be edited within an hour of publishing, and that has passed.";
  return failure({ class: "content", code: "x_edit_too_late", message });
}

function notEditable() {
  const message =
    "X does not let this account edit the post: edits are for accounts with Premium, up to five times and within an hour of publishing.";
  return failure({ class: "account", code: "x_edit_not_allowed", message });
}
