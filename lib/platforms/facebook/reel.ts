// Reels, and stories with a video: Facebook fetches the file into an upload, then one call publishes its video.
// https://developers.facebook.com/documentation/video-api/guides/reels-publishing, of 2026-07-30, and
// https://developers.facebook.com/docs/page-stories-api, of 2026-09-11, read 2026-11-28.
import { pickString, sendRequest, unanswered } from "../http.ts";
import { assertSuccess, readMetaError } from "../meta.ts";
import {
  failure,
  getFailure,
  type Handle,
  type Job,
  type MediaFile,
  type Processing,
  type Published,
} from "../platform.ts";
import { pollLater } from "../polling.ts";
import { partSent } from "../upload-session.ts";
import { assertPublishable, buildText, getTitle } from "./content.ts";
import { DIALECT } from "./errors.ts";
import { NETWORK, requestGraph } from "./graph.ts";
import { findStory, publishStory, reconcileStory, type StoryHandle, waitForSigns } from "./story.ts";
import { fetchStatus, type VideoStatus } from "./video-status.ts";

/** Facebook fetches the file before it answers, or while. */
const FETCH_TIMEOUT_MS = 120_000;

export interface ReelHandle extends StoryHandle {
  kind: "video_reels" | "video_stories";
  uploadUrl: string;
  /** Facebook was asked to fetch the file. */
  requested?: true;
}

export async function startReel(job: Job, kind: ReelHandle["kind"]): Promise<ReelHandle> {
  assertPublishable(job.content);
  const startedAt = job.now().getTime();
  const { body } = await requestGraph(job, "POST", `${job.connection.externalId}/${kind}`, {
    form: { upload_phase: "start" },
  });
  const mediaId = pickString(body, "video_id");
  const uploadUrl = pickString(body, "upload_url");
  if (!mediaId || !uploadUrl) throw unanswered(NETWORK, "session_without_id");
  return { kind, mediaId, uploadUrl, startedAt };
}

/** Before `publish`: has the file fetched and waits for it. Afterwards: waits for the reel or story. */
export async function pollReel(
  job: Job,
  handle: ReelHandle,
  video: MediaFile,
): Promise<Published | Processing | { state: "ready"; handle: Handle }> {
  const status = await fetchStatus(job, handle.mediaId);
  if (status?.failed) throw failure(status.failed);
  if (handle.sent) return pollPublished(job, handle, status);
  if (status?.uploading === "complete" || status?.state === "upload_complete") {
    const { polls: _, ...rest } = handle;
    return { state: "ready", handle: rest };
  }
  if (handle.requested || (status?.bytes ?? 0) > 0) return pollLater(handle);
  await requestUpload(job, handle, video.url);
  return partSent({ ...handle, requested: true });
}

/** Nothing becomes visible. The token is a header of its own form at this host. */
async function requestUpload(job: Job, { uploadUrl }: ReelHandle, fileUrl: string): Promise<void> {
  const response = await sendRequest(job, {
    network: NETWORK,
    method: "POST",
    url: uploadUrl,
    headers: { authorization: `OAuth ${job.connection.accessToken}`, file_url: fileUrl },
    timeoutMs: FETCH_TIMEOUT_MS,
  });
  if (response.status < 400 && response.body.success === true) return;
  // The errors of this host are not those of the Graph API.
  if (readMetaError(response.body))
    assertSuccess(job, response, { prefix: "fb", irreversible: false, dialect: DIALECT });
  throw failure({
    ...{ class: "transient", code: "fb_fetch_failed", restart: true, tries: 3 },
    message:
      "Facebook could not fetch the video. Its URL must be readable without signing in, and its host must not exclude facebookexternalhit by robots.txt.",
  });
}

async function pollPublished(
  job: Job,
  handle: ReelHandle,
  status: VideoStatus | null,
): Promise<Published | Processing> {
  const isOut = status !== null && isPublished(status);
  if (handle.kind === "video_reels") {
    return isOut ? { state: "published", platformPostId: handle.mediaId, url: status.url } : pollLater(handle);
  }
  const story = await findStory(job, handle);
  if (story) return story;
  return isOut ? { state: "published", platformPostId: handle.postId ?? null, url: null } : pollLater(handle);
}

/** `publish_status` is published in the guide's example of a video that is not, so it says nothing. */
function isPublished({ publishing, published }: VideoStatus): boolean {
  return publishing === "complete" || published;
}

export async function publishReel(job: Job, handle: ReelHandle): Promise<{ state: "sent"; handle: Handle }> {
  const phase = { upload_phase: "finish", video_id: handle.mediaId };
  if (handle.kind === "video_stories") return publishStory(job, handle, "video_stories", phase);
  const { message } = buildText(job.content);
  const sent = { state: "sent" as const, handle: { ...handle, sent: true } };
  try {
    const { body } = await requestGraph(job, "POST", `${job.connection.externalId}/video_reels`, {
      form: { ...phase, video_state: "PUBLISHED", description: message, title: getTitle(job.content) },
      irreversible: true,
    });
    if (body.success !== true) throw unanswered(NETWORK, "finish_without_success");
    return sent;
  } catch (error) {
    // A rejection may be that of a repetition.
    const isRejected = getFailure(error)?.class === "content";
    const status = isRejected ? await fetchStatus(job, handle.mediaId).catch(() => null) : null;
    if (status && isBegun(status)) return sent;
    throw error;
  }
}

const isBegun = (status: VideoStatus): boolean => isPublished(status) || status.publishing === "in_progress";

/** An upload makes one video, so publishing it again cannot make a second reel. */
export async function reconcileReel(
  job: Job,
  handle: ReelHandle,
): Promise<Published | Processing | { state: "not_published"; handle?: Handle } | { state: "cannot_tell" }> {
  const status = await fetchStatus(job, handle.mediaId);
  if (status?.failed) {
    if (status.failed.class === "content" || status.failed.class === "account") throw failure(status.failed);
    return { state: "not_published" };
  }
  // It may have begun with the upload.
  if (status?.processing === "in_progress") return pollLater(handle);
  if (status && isBegun(status)) return pollPublished(job, { ...handle, sent: true }, status);
  return handle.kind === "video_stories" ? reconcileStory(job, handle) : waitForSigns(job, handle);
}
