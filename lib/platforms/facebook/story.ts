// Stories of a page: those with a photo, and finding one among those that are out.
// https://developers.facebook.com/docs/page-stories-api, of 2026-09-11, read 2026-11-28.
import { HOUR_MS } from "../../shared/durations.ts";
import { isObject, pickList, pickString, unanswered } from "../http.ts";
import { getFailure, type Handle, type Job, type MediaFile, type Processing, type Published } from "../platform.ts";
import { pollLater } from "../polling.ts";
import { inconclusiveIfRejected } from "../reconcile-errors.ts";
import { assertPublishable } from "./content.ts";
import { uploadPhoto } from "./feed.ts";
import { NETWORK, requestGraph } from "./graph.ts";

const PAGE_SIZE = 100;
const CLOCK_SKEW_MS = 120_000;
/** A story is published within a day of its start, by the deadline of deliveries. */
const MAX_DELAY_MS = 48 * HOUR_MS;
/** A story may be missing from the list this long after the call that published it. No official page names a time. */
const SETTLE_MS = 60_000;

/** Fields that the handles of all stories and reels have. */
export interface StoryHandle extends Handle {
  /** The id of the photo or video, which is used once. */
  mediaId: string;
  startedAt: number;
  /** Since when the outcome is being determined, in milliseconds. */
  doubtedAt?: number;
  sent?: true;
  /** Of the story, as the call that published it answered. */
  postId?: string | null;
}

export interface PhotoStoryHandle extends StoryHandle {
  kind: "photo_story";
}

export async function startPhotoStory(job: Job, image: MediaFile): Promise<PhotoStoryHandle> {
  assertPublishable(job.content);
  const startedAt = job.now().getTime();
  return { kind: "photo_story", mediaId: await uploadPhoto(job, image), startedAt };
}

export function publishPhotoStory(job: Job, handle: PhotoStoryHandle): Promise<{ state: "sent"; handle: Handle }> {
  return publishStory(job, handle, "photo_stories", { photo_id: handle.mediaId });
}

/** The irreversible call of a story. Facebook takes a medium once, so a rejection may be that of a repetition. */
export async function publishStory(
  job: Job,
  handle: StoryHandle,
  edge: "photo_stories" | "video_stories",
  form: Record<string, string>,
): Promise<{ state: "sent"; handle: Handle }> {
  const path = `${job.connection.externalId}/${edge}`;
  try {
    const { body } = await requestGraph(job, "POST", path, { form, irreversible: true });
    if (body.success !== true) throw unanswered(NETWORK, "story_without_success");
    return { state: "sent", handle: { ...handle, sent: true, postId: pickString(body, "post_id") } };
  } catch (error) {
    const isRejected = getFailure(error)?.class === "content";
    if (isRejected && (await findStory(job, handle).catch(() => null))) {
      return { state: "sent", handle: { ...handle, sent: true } };
    }
    throw error;
  }
}

export async function pollStory(job: Job, handle: StoryHandle): Promise<Published | { state: "ready" }> {
  if (!handle.sent) return { state: "ready" };
  return (await findStory(job, handle)) ?? { state: "published", platformPostId: handle.postId ?? null, url: null };
}

/** When nothing is found, the story is published with the same medium: Facebook rejects one that was used. */
export async function reconcileStory(
  job: Job,
  handle: StoryHandle,
): Promise<Published | Processing | { state: "not_published"; handle: Handle } | { state: "cannot_tell" }> {
  const listed = await inconclusiveIfRejected(listStories(job, handle));
  if (!("stories" in listed)) return listed;
  const story = selectStory(listed.stories, handle);
  if (story) return toPublished(story);
  return listed.more ? { state: "cannot_tell" } : waitForSigns(job, handle);
}

/** A post that a network does not show yet may still appear. */
export function waitForSigns(job: Job, handle: StoryHandle): Processing | { state: "not_published"; handle: Handle } {
  const now = job.now().getTime();
  const doubtedAt = handle.doubtedAt ?? now;
  if (now - doubtedAt < SETTLE_MS) return pollLater({ ...handle, doubtedAt });
  const { doubtedAt: _, polls: _polls, ...rest } = handle;
  return { state: "not_published", handle: rest };
}

/** The story that shows the photo or video; null if there is none. */
export async function findStory(job: Job, handle: StoryHandle): Promise<Published | null> {
  const { stories } = await listStories(job, handle);
  const story = selectStory(stories, handle);
  return story ? toPublished(story) : null;
}

/** False when the page shows the story no more: an archive may still have it. */
export async function isStoryShown(job: Job, handle: StoryHandle): Promise<boolean> {
  const { stories, more } = await listStories(job, handle);
  const story = selectStory(stories, handle);
  return story ? !/^archived$/i.test(pickString(story, "status") ?? "") : more;
}

const selectStory = (stories: readonly Record<string, unknown>[], { mediaId }: StoryHandle) =>
  stories.find((story) => pickString(story, "media_id") === mediaId);

function toPublished(story: Record<string, unknown>): Published {
  return { state: "published", platformPostId: pickString(story, "post_id"), url: pickString(story, "url") };
}

/** The stories that were published since the handle began; `more` if there are others that one page does not hold. */
async function listStories(job: Job, { startedAt }: StoryHandle) {
  const toSeconds = (ms: number) => String(Math.floor(ms / 1000));
  const { body } = await requestGraph(job, "GET", `${job.connection.externalId}/stories`, {
    query: {
      fields: "post_id,status,media_id,url",
      since: toSeconds(startedAt - CLOCK_SKEW_MS),
      until: toSeconds(startedAt + MAX_DELAY_MS),
      limit: String(PAGE_SIZE),
    },
  });
  return { stories: pickList(body, "data").filter(isObject), more: pickString(body, "paging", "next") !== null };
}
