// Feed posts of a page: text with a link or photos, and finding a post after a lost response.
import { isSameText } from "../caption.ts";
import { isObject, pick, pickList, pickString, unanswered } from "../http.ts";
import type { Handle, Job, MediaFile, Published } from "../platform.ts";
import { inconclusiveIfRejected } from "../reconcile-errors.ts";
import { assertPublishable, buildText } from "./content.ts";
import { NETWORK, requestGraph } from "./graph.ts";

/** Tolerance for a Facebook clock that is behind ours, when searching the newest posts. */
const CLOCK_SKEW_MS = 120_000;
const PAGE_SIZE = 100;

export interface FeedHandle extends Handle {
  kind: "feed";
  startedAt: number;
  /** Ids of earlier posts with the same text, which are not ours. */
  before: string[];
  photos: string[];
}

export async function startFeed(job: Job, images: readonly MediaFile[] | null): Promise<FeedHandle> {
  assertPublishable(job.content);
  const { message } = buildText(job.content);
  const startedAt = job.now().getTime();
  // A connection may lack the permission to read posts, which publishing does not need.
  const recent = await inconclusiveIfRejected(listRecentPosts(job, startedAt));
  const posts = "posts" in recent ? recent.posts : [];
  const before = posts.filter((post) => isSameText(post.message, message)).map((post) => post.id);
  const photos: string[] = [];
  for (const image of images ?? []) photos.push(await uploadPhoto(job, image));
  return { kind: "feed", startedAt, before, photos };
}

/** Uploads an unpublished photo, which is visible only once a post attaches it. */
export async function uploadPhoto(job: Job, { url, altText }: MediaFile): Promise<string> {
  const response = await requestGraph(job, "POST", `${job.connection.externalId}/photos`, {
    form: { url, published: "false", alt_text_custom: altText ?? undefined },
  });
  const id = pickString(response.body, "id");
  if (!id) throw unanswered(NETWORK, "photo_without_id");
  return id;
}

export async function publishFeed(job: Job, handle: FeedHandle): Promise<Published> {
  const { message, link } = buildText(job.content);
  const attached = handle.photos.map((id, at) => [`attached_media[${at}]`, JSON.stringify({ media_fbid: id })]);
  const response = await requestGraph(job, "POST", `${job.connection.externalId}/feed`, {
    form: { message, link, ...Object.fromEntries(attached) },
    irreversible: true,
  });
  const id = pickString(response.body, "id");
  if (!id) throw unanswered(NETWORK, "post_without_id");
  return { state: "published", platformPostId: id, url: await fetchPermalink(job, id) };
}

/** When one page of results does not reach back to the start, a missing post cannot be ruled out. */
export async function reconcileFeed(
  job: Job,
  handle: FeedHandle,
): Promise<Published | { state: "not_published" } | { state: "cannot_tell" }> {
  const { message } = buildText(job.content);
  const recent = await inconclusiveIfRejected(listRecentPosts(job, handle.startedAt));
  if (!("posts" in recent)) return recent;
  const { posts, more } = recent;
  const found = posts.find((post) => !handle.before.includes(post.id) && isOwnPost(post, message, handle.photos));
  if (found) return { state: "published", platformPostId: found.id, url: found.url ?? toPermalink(found.id) };
  return { state: more ? "cannot_tell" : "not_published" };
}

interface FeedPost {
  id: string;
  message: string;
  url: string | null;
  /** Ids of the attached media; empty when Facebook does not report them. */
  media: string[];
}

/** Compares photo ids if both have them, because they are unique to this delivery; otherwise the text. */
function isOwnPost(post: FeedPost, message: string, photos: readonly string[]): boolean {
  if (photos.length > 0 && post.media.length > 0) return photos.some((id) => post.media.includes(id));
  return isSameText(post.message, message);
}

async function listRecentPosts(job: Job, startedAt: number): Promise<{ posts: FeedPost[]; more: boolean }> {
  const page = job.connection.externalId;
  // Posts by the page alone: the feed, with those of visitors, needs the permission to read what users wrote.
  // https://developers.facebook.com/docs/graph-api/reference/page/published_posts/, read 2026-11-28, names no permission.
  const response = await requestGraph(job, "GET", `${page}/published_posts`, {
    query: {
      fields: "id,message,created_time,permalink_url,attachments{target{id},subattachments{target{id}}}",
      since: String(Math.floor((startedAt - CLOCK_SKEW_MS) / 1000)),
      limit: String(PAGE_SIZE),
    },
  });
  const rows = pickList(response.body, "data").filter(isObject);
  const posts = rows
    .filter((row) => Date.parse(pickString(row, "created_time") ?? "") >= startedAt - CLOCK_SKEW_MS)
    .map((row) => ({
      id: pickString(row, "id") ?? "",
      message: pickString(row, "message") ?? "",
      url: pickString(row, "permalink_url"),
      media: getMediaIds(row),
    }));
  return { posts, more: rows.length >= PAGE_SIZE || pickString(response.body, "paging", "next") !== null };
}

function getMediaIds(row: Record<string, unknown>): string[] {
  return pickList(row, "attachments", "data")
    .flatMap((one) => [one, ...pickList(one, "subattachments", "data")])
    .map((one) => pickString(pick(one, "target"), "id"))
    .filter((id) => id !== null);
}

/** The post is already published, so on an error the permalink is built from its id. */
async function fetchPermalink(job: Job, id: string): Promise<string> {
  try {
    const response = await requestGraph(job, "GET", id, { query: { fields: "permalink_url" } });
    return pickString(response.body, "permalink_url") ?? toPermalink(id);
  } catch {
    return toPermalink(id);
  }
}

function toPermalink(id: string): string {
  return `https://www.facebook.com/${id}`;
}
