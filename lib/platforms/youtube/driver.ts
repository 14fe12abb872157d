// YouTube driver (Data API v3): a resumable upload per video, which is the post; then processing and thumbnail.
import { pickList, pickString, unanswered } from "../http.ts";
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
import { uploadSessionLost } from "../upload-session.ts";
import { request, requestRaw } from "./api.ts";
import { assertPublishable, buildVideoResource, findViolations, getThumbnailUrl, requireVideo } from "./content.ts";
import { assertSuccess, isScopeMissing, toProcessingFailure } from "./errors.ts";
import { capabilities, YOUTUBE } from "./rules.ts";
import { queryUpload, sendRemaining, type UploadSession } from "./upload.ts";

const NETWORK = "YouTube";
/** Processing of a long video takes hours. */
const MAX_POLL_MS = 120_000;

/** `videoId` exists once the upload is complete. */
interface YouTubeHandle extends Handle, UploadSession {
  videoId?: string;
  /** Result of the thumbnail upload: `set`, or the error code. */
  thumbnail?: string;
}

export const youtube = defineDriver<YouTubeHandle>({
  platform: "youtube",
  capabilities,
  connectBy: "consent",
  validate: findViolations,

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
    await assertThumbnail(job);
    const size = await getMediaSize(job, file);
    const response = await request(job, "POST", "/upload/youtube/v3/videos", {
      query: { uploadType: "resumable", part: "snippet,status" },
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

  refresh: createRefresh(YOUTUBE_APP),
});

/** Throws with `restart` when YouTube reports a failed video; errors of the request itself are retried. */
async function pollVideo(job: Job, handle: YouTubeHandle, videoId: string): Promise<Published | Processing> {
  const query = { part: "status,processingDetails", id: videoId };
  const { body } = await request(job, "GET", "/youtube/v3/videos", { query });
  const [video] = pickList(body, "items");
  const state = pickString(video, "status", "uploadStatus");
  if (state === "processed") {
    return { state: "published", platformPostId: videoId, url: `https://www.youtube.com/watch?v=${videoId}` };
  }
  if (state === "failed") throw failure(toProcessingFailure(pickString(video, "status", "failureReason") ?? "failed"));
  if (state === "rejected")
    throw failure(toProcessingFailure(pickString(video, "status", "rejectionReason") ?? "rejected"));
  if (state === "deleted") throw failure(toProcessingFailure("deleted"));
  return pollLater({ ...handle, videoId }, { maxMs: MAX_POLL_MS });
}

/** Checks the thumbnail before anything is uploaded. */
async function assertThumbnail(job: Job): Promise<void> {
  const url = getThumbnailUrl(job.content);
  if (url === null) return;
  const bytes = await getThumbnailSize(job, url);
  if (bytes <= YOUTUBE.thumbnailBytes) return;
  throw contentFailure(
    "thumbnail_too_large",
    `The thumbnail has ${bytes} bytes, but YouTube allows at most 2 MiB. Use a smaller JPEG or PNG.`,
  );
}

async function getThumbnailSize(job: Job, url: string): Promise<number> {
  try {
    return await getMediaSize(job, toImageFile(url));
  } catch (error) {
    const failed = getFailure(error);
    if (failed?.class !== "content") throw error;
    throw contentFailure(failed.code, `settings.youtube.thumbnail: ${failed.message}`);
  }
}

/** The video is already published, so a rejected thumbnail is only recorded. */
async function uploadThumbnail(job: Job, videoId: string): Promise<{ thumbnail?: string }> {
  const url = getThumbnailUrl(job.content);
  if (url === null) return {};
  try {
    const total = await getMediaSize(job, toImageFile(url));
    await request(job, "POST", "/upload/youtube/v3/thumbnails/set", {
      query: { videoId, uploadType: "media" },
      headers: { "content-type": "application/octet-stream", "content-length": String(total) },
      body: await openRange(job, url, { first: 0, last: total - 1, total }),
    });
    return { thumbnail: "set" };
  } catch (error) {
    return { thumbnail: getFailure(error)?.code ?? "failed" };
  }
}

function toImageFile(url: string) {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null };
}
