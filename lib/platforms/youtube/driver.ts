// YouTube driver (Data API v3): a resumable upload per video, which is the post; then processing and thumbnail.
import { withComments } from "../comments.ts";
import { pick, pickList, pickString, unanswered } from "../http.ts";
import { getMediaSize, openRange } from "../media.ts";
import { createRefresh } from "../oauth.ts";
import { YOUTUBE_APP } from "../oauth-apps.ts";
import {
  contentFailure,
  defineDriver,
  failure,
  getFailure,
  type Handle,
  type Job,
  type Processing,
  type Published,
} from "../platform.ts";
import { pollLater } from "../polling.ts";
import { sendPart, uploadSessionLost } from "../upload-session.ts";
import { request, requestRaw } from "./api.ts";
import { comments } from "./comments.ts";
import {
  assertPublishable,
  buildVideoResource,
  findViolations,
  findWarnings,
  getThumbnailUrl,
  requireVideo,
} from "./content.ts";
import { assertSuccess, isScopeMissing, toProcessingFailure } from "./errors.ts";
import { addToPlaylists } from "./playlists.ts";
import { edit, unpublish } from "./published.ts";
import { capabilities, YOUTUBE } from "./rules.ts";
import { findShortcomings } from "./shortcomings.ts";
import { queryUpload, sendRemaining, type UploadSession } from "./upload.ts";

const NETWORK = "YouTube";
/** Processing of a long video takes hours. */
const MAX_POLL_MS = 120_000;
/** From then on a video that YouTube does not list is taken for deleted. */
const UNLISTED_MS = 15 * 60_000;
const THUMBNAIL_TIMEOUT_MS = 60_000;

/** `videoId` exists once the upload is complete. */
interface YouTubeHandle extends Handle, UploadSession {
  videoId?: string;
  /** Result of the thumbnail upload: `set`, or the error code with its message. */
  thumbnail?: string;
  thumbnailError?: string;
  /** Since when YouTube does not list the video, in milliseconds. */
  missingSince?: number;
}

const publishing = defineDriver<YouTubeHandle>({
  platform: "youtube",
  capabilities,
  connectBy: "consent",
  validate: findViolations,
  warn: findWarnings,

  // Succeeds if the token works and the channel is open. Costs one unit of the daily quota. A consent without the scope
  // for reading is enough to upload.
  async check(job) {
    const query = { part: "id", mine: "true" };
    const response = await requestRaw(job, "GET", "/youtube/v3/channels", { query });
    if (!isScopeMissing(response)) assertSuccess(job, response);
  },

  async start(job) {
    const file = requireVideo(job.content);
    assertPublishable(job.content);
    const size = await getMediaSize(job, file);
    const response = await request(job, "POST", "/upload/youtube/v3/videos", {
      query: {
        uploadType: "resumable",
        part: "snippet,status",
        // https://developers.google.com/youtube/v3/docs/videos/insert, read 2026-11-28: true by default.
        notifySubscribers: job.content.settings.notify_subscribers === false ? "false" : undefined,
      },
      headers: {
        "x-upload-content-length": String(size),
        "x-upload-content-type": file.mimeType ?? "video/mp4",
      },
      json: buildVideoResource(job.content),
    });
    const sessionUrl = response.headers.get("location");
    if (!sessionUrl) throw unanswered(NETWORK, "session_without_url");
    return { sessionUrl, size };
  },

  async poll(job, handle) {
    return handle.videoId ? pollVideo(job, handle, handle.videoId) : { state: "ready" };
  },

  async publish(job, handle) {
    // A repeated publish continues the upload instead of sending bytes twice.
    const arrived = await queryUpload(job, handle);
    if (arrived.state === "lost") throw uploadSessionLost(NETWORK);
    const videoId =
      arrived.state === "complete"
        ? arrived.videoId
        : await sendRemaining(job, handle, requireVideo(job.content), arrived.bytes);
    return { state: "sent", handle: { ...handle, videoId, ...(await uploadThumbnail(job, videoId)) } };
  },

  async reconcile(job, handle) {
    if (handle.videoId) return pollVideo(job, handle, handle.videoId);
    const arrived = await queryUpload(job, handle);
    // Sessions expire after a week, so a missing session does not show whether its video was created.
    if (arrived.state === "lost") return { state: "cannot_tell" };
    if (arrived.state === "complete") return pollVideo(job, { ...handle, videoId: arrived.videoId }, arrived.videoId);
    if (arrived.bytes >= handle.size) return pollLater(handle);
    // A session creates at most one video, so continuing it cannot publish twice.
    return { state: "not_published", handle };
  },

  unpublish,
  edit,
  refresh: createRefresh(YOUTUBE_APP),
});

export const youtube = withComments(publishing, comments);

/** Throws with `restart` when YouTube reports a failed video; errors of the request itself are retried. */
async function pollVideo(job: Job, handle: YouTubeHandle, videoId: string): Promise<Published | Processing> {
  const query = { part: "status,processingDetails", id: videoId };
  const { body } = await request(job, "GET", "/youtube/v3/videos", { query });
  const items = pick(body, "items");
  if (Array.isArray(items) && items.length === 0) return waitForVideo(job, handle, videoId);
  const [video] = pickList(body, "items");
  const state = pickString(video, "status", "uploadStatus");
  if (state === "processed") {
    const url = `https://www.youtube.com/watch?v=${videoId}`;
    const warnings = [...findShortcomings(job.content, handle, video), ...(await addToPlaylists(job, videoId))];
    return { state: "published", platformPostId: videoId, url, ...(warnings.length > 0 ? { warnings } : {}) };
  }
  if (state === "failed") throw failure(toProcessingFailure(pickString(video, "status", "failureReason") ?? "failed"));
  if (state === "rejected")
    throw failure(toProcessingFailure(pickString(video, "status", "rejectionReason") ?? "rejected"));
  if (state === "deleted") throw failure(toProcessingFailure("deleted"));
  const { missingSince: _, ...found } = handle;
  return pollLater({ ...found, videoId }, { maxMs: MAX_POLL_MS });
}

/** A new video is listed after moments; one that is still missing then was deleted. */
function waitForVideo(job: Job, handle: YouTubeHandle, videoId: string): Processing {
  const now = job.now().getTime();
  const missingSince = handle.missingSince ?? now;
  if (now - missingSince >= UNLISTED_MS) throw failure(toProcessingFailure("deleted"));
  return pollLater({ ...handle, videoId, missingSince }, { maxMs: MAX_POLL_MS });
}

/** The video is already published, so a thumbnail that fails becomes a warning. */
async function uploadThumbnail(
  job: Job,
  videoId: string,
): Promise<Pick<YouTubeHandle, "thumbnail" | "thumbnailError">> {
  const url = getThumbnailUrl(job.content);
  if (url === null) return {};
  try {
    const total = await getMediaSize(job, toImageFile(url));
    if (total > YOUTUBE.thumbnailBytes) throw thumbnailTooLarge(total);
    await sendPart(async () =>
      request(job, "POST", "/upload/youtube/v3/thumbnails/set", {
        query: { videoId, uploadType: "media" },
        headers: { "content-type": "application/octet-stream", "content-length": String(total) },
        body: await openRange(job, url, { first: 0, last: total - 1, total }),
        timeoutMs: THUMBNAIL_TIMEOUT_MS,
      }),
    );
    return { thumbnail: "set" };
  } catch (error) {
    const failed = getFailure(error);
    // What YouTube says is about uploads as a whole.
    const isAboutFile = /^(media|thumbnail)_/.test(failed?.code ?? "");
    return {
      thumbnail: failed?.code ?? "failed",
      ...(failed && isAboutFile ? { thumbnailError: failed.message } : {}),
    };
  }
}

function thumbnailTooLarge(bytes: number) {
  const message = `It has ${bytes} bytes, but YouTube allows at most ${YOUTUBE.thumbnailBytes}.`;
  return contentFailure("thumbnail_too_large", message);
}

function toImageFile(url: string) {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null };
}
