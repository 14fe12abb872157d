// TikTok driver (Content Posting API): videos are uploaded in chunks, TikTok pulls photos from their URLs.

import { pickList, pickNumber, pickString, unanswered } from "../http.ts";
import { getImages, getMediaSize } from "../media.ts";
import { createRefresh } from "../oauth.ts";
import { TIKTOK_APP } from "../oauth-apps.ts";
import {
  contentFailure,
  defineDriver,
  failure,
  getFailure,
  type Handle,
  type Job,
  type Media,
  type Processing,
  type Published,
} from "../platform.ts";
import { pollLater } from "../polling.ts";
import { assertWithinLimits } from "../violations.ts";
import { request } from "./api.ts";
import {
  buildPhotoPost,
  buildVideoInfo,
  findViolations,
  findWarnings,
  getPrivacyLevel,
  isInboxDraft,
} from "./content.ts";
import { fetchCreator } from "./creator.ts";
import type { Creator } from "./creator-info.ts";
import { toPublishFailure } from "./errors.ts";
import { capabilities, TIKTOK } from "./rules.ts";
import { type ChunkPlan, planChunks, sendChunks } from "./upload.ts";

const COMPLETE_UPLOADS = new Set(["PROCESSING_DOWNLOAD", "SEND_TO_USER_INBOX", "PUBLISH_COMPLETE"]);

/** For photos `publishId` exists only after `publish`, because their init request is the irreversible one. */
interface TikTokHandle extends Handle {
  kind: "video" | "photos";
  commentsOff?: true;
  username: string | null;
  publishId?: string;
  sent?: true;
  upload?: ChunkPlan & { uploadUrl: string; expiresAt: number };
}

export const tiktok = defineDriver<TikTokHandle>({
  platform: "tiktok",
  capabilities,
  connectBy: "consent",
  validate: findViolations,
  warn: findWarnings,

  async check(job) {
    await queryCreator(job, requireMedia(job));
  },

  async start(job) {
    const media = requireMedia(job);
    assertWithinLimits(job.content, capabilities, "TikTok", findViolations(job.content));
    const creator = await queryCreator(job, media);
    if (media.type !== "video") return { kind: "photos", username: creator.username, ...toCommentFlag(creator) };
    const plan = planChunks(await getMediaSize(job, media.video));
    const data = await postJson(job, "post/publish/video/init/", {
      post_info: buildVideoInfo(job, creator),
      source_info: {
        source: "FILE_UPLOAD",
        video_size: plan.size,
        chunk_size: plan.chunkSize,
        total_chunk_count: plan.chunkCount,
      },
    });
    const publishId = pickString(data, "publish_id");
    const uploadUrl = pickString(data, "upload_url");
    if (!publishId || !uploadUrl) throw unanswered("TikTok", "init_without_id");
    const expiresAt = job.now().getTime() + TIKTOK.uploadUrlLivesMs;
    return { kind: "video", username: creator.username, publishId, upload: { ...plan, uploadUrl, expiresAt } };
  },

  async poll(job, handle) {
    if (!handle.sent || !handle.publishId) return { state: "ready" };
    return toProgress(job, handle, await fetchStatus(job, handle.publishId));
  },

  async publish(job, handle) {
    const media = requireMedia(job);
    if (media.type === "video") return publishVideo(job, handle, media);
    const data = await postJson(
      job,
      "post/publish/content/init/",
      buildPhotoPost(job, handle.commentsOff === true, getImages(media)),
      true,
    );
    const publishId = pickString(data, "publish_id");
    if (!publishId) throw unanswered("TikTok", "init_without_id");
    return { state: "sent", handle: { ...handle, publishId, sent: true } };
  },

  async reconcile(job, handle) {
    // Without a response there is no publish id to query.
    if (!handle.publishId) return { state: "cannot_tell" };
    try {
      const status = await fetchStatus(job, handle.publishId);
      const unsent = getUploadState(job, handle, status);
      return unsent ?? toProgress(job, { ...handle, sent: true }, status);
    } catch (error) {
      const failed = getFailure(error);
      if (failed?.code === "invalid_publish_id") return { state: "cannot_tell" };
      if (failed?.restart && failed.class !== "content" && failed.class !== "account")
        return { state: "not_published" };
      throw error;
    }
  },

  refresh: createRefresh(TIKTOK_APP),
});

async function publishVideo(job: Job, handle: TikTokHandle, media: Media & { type: "video" }) {
  const { publishId, upload } = handle;
  if (!publishId || !upload) throw unanswered("TikTok", "handle_without_upload");
  // A repeated publish continues the upload instead of sending bytes twice.
  const status = await fetchStatus(job, publishId);
  const arrived = COMPLETE_UPLOADS.has(status.state) ? upload.size : (status.uploadedBytes ?? 0);
  if (status.state === "FAILED") throw failure(toPublishFailure(job, status.failReason));
  if (arrived < upload.size) {
    const mimeType = media.video.mimeType ?? "video/mp4";
    await sendChunks(job, { ...upload, mimeType, mediaUrl: media.video.url, arrived });
  }
  return { state: "sent" as const, handle: { ...handle, sent: true } };
}

function requireMedia(job: Job): Media {
  if (job.content.media) return job.content.media;
  throw contentFailure(
    "media_missing",
    "TikTok needs a video or at least one photo. Add one and create the post again.",
  );
}

async function postJson(job: Job, path: string, json: unknown, irreversible = false): Promise<unknown> {
  const { body } = await request(job, "POST", path, { json, irreversible });
  return body.data;
}

/** Fetches what the account currently allows, and checks the post against it before anything is created. */
async function queryCreator(job: Job, media: Media): Promise<Creator> {
  const creator = await fetchCreator(job);
  const { privacyLevels, maxSeconds } = creator;
  const level = getPrivacyLevel(job);
  if (!isInboxDraft(job) && privacyLevels.length > 0 && !privacyLevels.includes(level)) {
    throw contentFailure(
      "privacy_level_option_mismatch",
      `The account does not allow privacy_level ${level}. Use one of ${privacyLevels.join(", ")}.`,
    );
  }
  const length = media.type === "video" ? media.video.durationMs : null;
  if (maxSeconds !== null && length !== null && length > maxSeconds * 1000) {
    throw contentFailure(
      "duration_check_failed",
      `Videos of this account must be at most ${maxSeconds} seconds long. Shorten the video.`,
    );
  }
  return creator;
}

function toCommentFlag(creator: Creator): { commentsOff?: true } {
  return creator.commentsDisabled ? { commentsOff: true } : {};
}

interface PublishStatus {
  state: string;
  failReason: string;
  uploadedBytes: number | null;
  publicId: string | null;
}

async function fetchStatus(job: Job, publishId: string): Promise<PublishStatus> {
  const data = await postJson(job, "post/publish/status/fetch/", { publish_id: publishId });
  const [publicId] = pickList(data, "publicaly_available_post_id");
  return {
    state: pickString(data, "status") ?? "",
    failReason: pickString(data, "fail_reason") ?? "unknown",
    uploadedBytes: pickNumber(data, "uploaded_bytes"),
    publicId: publicId === undefined ? null : String(publicId),
  };
}

/** Returns the state of an upload after a lost response; null when it is complete and the status decides. */
function getUploadState(job: Job, handle: TikTokHandle, status: PublishStatus) {
  if (status.state !== "PROCESSING_UPLOAD" || !handle.upload) return null;
  if (status.uploadedBytes !== null) {
    // An upload creates at most one post, so continuing with the missing bytes is safe.
    return status.uploadedBytes < handle.upload.size ? { state: "not_published" as const, handle } : null;
  }
  // Without a byte count only the time decides: an expired upload URL cannot be completed.
  const expired = job.now().getTime() > handle.upload.expiresAt;
  return expired ? ({ state: "cannot_tell" } as const) : null;
}

function toProgress(job: Job, handle: TikTokHandle, status: PublishStatus): Published | Processing {
  if (status.state === "FAILED") throw failure(toPublishFailure(job, status.failReason));
  if (status.state === "SEND_TO_USER_INBOX") return { state: "published", platformPostId: null, url: null };
  if (status.state !== "PUBLISH_COMPLETE") return pollLater(handle);
  const hasUrl = status.publicId !== null && handle.username !== null;
  const section = handle.kind === "photos" ? "photo" : "video";
  return {
    state: "published",
    platformPostId: status.publicId,
    url: hasUrl ? `https://www.tiktok.com/@${handle.username}/${section}/${status.publicId}` : null,
  };
}
