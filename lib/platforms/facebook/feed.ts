// A page's feed posts: words with a link or with photos, and how to find one whose answer was lost.
import { isObject, pick, pickList, pickString, unanswered } from "../http.ts";
import type { Handle, Job, Published } from "../platform.ts";
import { checkPost, sameWords, wordsOf } from "./content.ts";
import { graph, NETWORK } from "./graph.ts";

/** How far Facebook's clock may lie behind ours when a post is looked for among the newest. */
const CLOCK_SKEW_MS = 120_000;
const PAGE = 100;

export interface FeedHandle extends Handle {
  kind: "feed";
  startedAt: number;
  /** Posts that had the same words before this one was begun: none of them is ours. */
  before: string[];
  photos: string[];
}

export async function startFeed(job: Job, images: readonly { url: string }[] | null): Promise<FeedHandle> {
  checkPost(job.content);
  const { message } = wordsOf(job.content);
  const startedAt = job.now().getTime();
  const { posts } = await recentPosts(job, startedAt);
  const before = posts.filter((post) => sameWords(post.message, message)).map((post) => post.id);
  const photos: string[] = [];
  for (const image of images ?? []) photos.push(await addPhoto(job, image.url));
  return { kind: "feed", startedAt, before, photos };
}

/** A photo that nobody sees until a post attaches it. */
async function addPhoto(job: Job, url: string): Promise<string> {
  const reply = await graph(job, "POST", `${job.connection.externalId}/photos`, { form: { url, published: "false" } });
  const id = pickString(reply.body, "id");
  if (!id) throw unanswered(NETWORK, "photo_without_id");
  return id;
}

export async function publishFeed(job: Job, handle: FeedHandle): Promise<Published> {
  const { message, link } = wordsOf(job.content);
  const attached = handle.photos.map((id, at) => [`attached_media[${at}]`, JSON.stringify({ media_fbid: id })]);
  const reply = await graph(job, "POST", `${job.connection.externalId}/feed`, {
    form: { message, link, ...Object.fromEntries(attached) },
    irreversible: true,
  });
  const id = pickString(reply.body, "id");
  if (!id) throw unanswered(NETWORK, "post_without_id");
  return { state: "published", platformPostId: id, url: await permalinkOf(job, id) };
}

/** A page so busy that one reading does not reach back to the start can not be told from one without the post. */
export async function reconcileFeed(
  job: Job,
  handle: FeedHandle,
): Promise<Published | { state: "not_published" } | { state: "cannot_tell" }> {
  const { message } = wordsOf(job.content);
  const { posts, more } = await recentPosts(job, handle.startedAt);
  const found = posts.find((post) => !handle.before.includes(post.id) && isOurs(post, message, handle.photos));
  if (found) return { state: "published", platformPostId: found.id, url: found.url ?? addressOf(found.id) };
  return { state: more ? "cannot_tell" : "not_published" };
}

interface FeedPost {
  id: string;
  message: string;
  url: string | null;
  /** What the post shows; empty when Facebook does not say. */
  media: string[];
}

/** Photo ids are ours alone; words are only as good as nobody else writes the same. */
function isOurs(post: FeedPost, message: string, photos: readonly string[]): boolean {
  if (photos.length > 0 && post.media.length > 0) return photos.some((id) => post.media.includes(id));
  return sameWords(post.message, message);
}

async function recentPosts(job: Job, startedAt: number): Promise<{ posts: FeedPost[]; more: boolean }> {
  const page = job.connection.externalId;
  const reply = await graph(job, "GET", `${page}/feed`, {
    query: {
      fields: "id,message,created_time,permalink_url,from{id},attachments{target{id},subattachments{target{id}}}",
      since: String(Math.floor((startedAt - CLOCK_SKEW_MS) / 1000)),
      limit: String(PAGE),
    },
  });
  const rows = pickList(reply.body, "data").filter(isObject);
  const posts = rows
    // Visitors may write on the page too.
    .filter((row) => (pickString(row, "from", "id") ?? page) === page)
    .filter((row) => Date.parse(pickString(row, "created_time") ?? "") >= startedAt - CLOCK_SKEW_MS)
    .map((row) => ({
      id: pickString(row, "id") ?? "",
      message: pickString(row, "message") ?? "",
      url: pickString(row, "permalink_url"),
      media: mediaOf(row),
    }));
  return { posts, more: rows.length >= PAGE || pickString(reply.body, "paging", "next") !== null };
}

function mediaOf(row: Record<string, unknown>): string[] {
  return pickList(row, "attachments", "data")
    .flatMap((one) => [one, ...pickList(one, "subattachments", "data")])
    .map((one) => pickString(pick(one, "target"), "id"))
    .filter((id) => id !== null);
}

/** The post is out whatever happens here; its id alone makes an address that leads to it. */
async function permalinkOf(job: Job, id: string): Promise<string> {
  try {
    const reply = await graph(job, "GET", id, { query: { fields: "permalink_url" } });
    return pickString(reply.body, "permalink_url") ?? addressOf(id);
  } catch {
    return addressOf(id);
  }
}

function addressOf(id: string): string {
  return `https://www.facebook.com/${id}`;
}
