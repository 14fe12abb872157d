// TikTok's Content Posting API: videos by chunked upload, photos pulled from their URLs.
import { call, pick, pickList, pickNumber, pickString, type Reply, unanswered } from "../http.ts";
import { sizeOf } from "../media.ts";
import { tradeRefreshToken } from "../oauth.ts";
import {
  type Driver,
  type Failure,
  failure,
  failureOf,
  type Handle,
  type Job,
  type Media,
  type Processing,
  type Published,
} from "../platform.ts";
import { holdTo } from "../violations.ts";
import { asDraft, type Creator, photoPost, privacy, videoInfo } from "./content.ts";
import { expectOk, failedBecause } from "./errors.ts";
import { capabilities, TIKTOK } from "./rules.ts";
import { type Plan, planChunks, sendChunks } from "./upload.ts";
import { violationsOf } from "./violations.ts";

const POLL_MS = 5_000;
const COMPLETE_UPLOADS = new Set(["PROCESSING_DOWNLOAD", "SEND_TO_USER_INBOX", "PUBLISH_COMPLETE"]);

/** `publishId` of photos exists only once `publish` was answered: their init call is the irreversible one. */
interface TikTokHandle extends Handle {
  kind: "video" | "photos";
  commentsOff?: true;
  username: string | null;
  publishId?: string;
  sent?: true;
  upload?: Plan & { uploadUrl: string; expiresAt: number };
}

export const tiktok: Driver = {
  platform: "tiktok",
  capabilities,
  validate: violationsOf,

  async start(job) {
    const media = needMedia(job);
    holdTo(job.content, capabilities, "TikTok", violationsOf(job.content));
    const creator = await askCreator(job, media);
    if (media.type === "slideshow") return { kind: "photos", username: creator.username, ...offs(creator) };
    const plan = planChunks(await sizeOf(job, media.video));
    const data = await post(job, "post/publish/video/init/", {
      post_info: videoInfo(job, creator),
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

  async poll(job, stored) {
    const handle = stored as TikTokHandle;
    if (!handle.sent || !handle.publishId) return { state: "ready" };
    return settled(job, handle, await askStatus(job, handle.publishId));
  },

  async publish(job, stored) {
    const handle = stored as TikTokHandle;
    const media = needMedia(job);
    if (media.type === "video") return publishVideo(job, handle, media);
    const data = await post(
      job,
      "post/publish/content/init/",
      photoPost(job, handle.commentsOff === true, media),
      true,
    );
    const publishId = pickString(data, "publish_id");
    if (!publishId) throw unanswered("TikTok", "init_without_id");
    return { state: "sent", handle: { ...handle, publishId, sent: true } };
  },

  async reconcile(job, stored) {
    const handle = stored as TikTokHandle;
    // Photos without an answer have no name that could be asked for.
    if (!handle.publishId) return { state: "cannot_tell" };
    try {
      const status = await askStatus(job, handle.publishId);
      const unsent = uploadState(job, handle, status);
      return unsent ?? settled(job, { ...handle, sent: true }, status);
    } catch (error) {
      const failed = failureOf(error);
      if (failed?.code === "invalid_publish_id") return { state: "cannot_tell" };
      if (failed?.restart && failed.class !== "content" && failed.class !== "account")
        return { state: "not_published" };
      throw error;
    }
  },

  refresh(network, { refreshToken }, io) {
    return tradeRefreshToken(io, {
      network: "TikTok",
      url: `${network.baseUrl}/v2/oauth/token/`,
      refreshToken,
      client: { client_key: network.clientId, client_secret: network.clientSecret },
      refused: (code) => (code === "invalid_client" ? clientRefused(code) : signedOut(code)),
    });
  },
};

async function publishVideo(job: Job, handle: TikTokHandle, media: Media & { type: "video" }) {
  const { publishId, upload } = handle;
  if (!publishId || !upload) throw unanswered("TikTok", "handle_without_upload");
  // A repeated publish goes on where the last one stopped instead of sending bytes twice.
  const status = await askStatus(job, publishId);
  const arrived = COMPLETE_UPLOADS.has(status.state) ? upload.size : (status.uploadedBytes ?? 0);
  if (status.state === "FAILED") throw failure(failedBecause(job, status.failReason));
  if (arrived < upload.size) {
    const mimeType = media.video.mimeType ?? "video/mp4";
    await sendChunks(job, { ...upload, mimeType, mediaUrl: media.video.url, arrived });
  }
  return { state: "sent" as const, handle: { ...handle, sent: true } };
}

function needMedia(job: Job): Media {
  if (job.content.media) return job.content.media;
  throw refused("media_missing", "TikTok needs a video or at least one photo. Add one and post again.");
}

function refused(code: string, message: string) {
  return failure({ class: "content", code, message });
}

function signedOut(code: string): Failure {
  const message = "TikTok no longer accepts this account's sign-in. Reconnect the account.";
  return { class: "auth", code, message };
}

/** Our own configuration, which must not cost the account its connection. */
function clientRefused(code: string): Failure {
  const message = "TikTok refused this service's own sign-in. We mend that and try again by ourselves.";
  return { class: "transient", code, message };
}

async function post(job: Job, path: string, json: unknown, irreversible?: boolean): Promise<unknown> {
  const reply: Reply = await call(job, {
    network: "TikTok",
    method: "POST",
    url: `${job.network.baseUrl}/v2/${path}`,
    bearer: job.connection.accessToken,
    json,
    irreversible: irreversible === true,
  });
  expectOk(job, reply);
  return reply.body.data;
}

/** What the account allows right now; the post is held against it before anything is made. */
async function askCreator(job: Job, media: Media): Promise<Creator> {
  const data = await post(job, "post/publish/creator_info/query/", {});
  const level = privacy(job);
  const offered = pickList(data, "privacy_level_options");
  if (!asDraft(job) && offered.length > 0 && !offered.includes(level)) {
    throw refused(
      "privacy_level_option_mismatch",
      `The account offers ${offered.join(", ")}, not ${level}. Choose one of these as privacy_level.`,
    );
  }
  const longest = pickNumber(data, "max_video_post_duration_sec");
  const length = media.type === "video" ? media.video.durationMs : null;
  if (longest !== null && length !== null && length > longest * 1000) {
    throw refused("duration_check_failed", `The account may post videos of up to ${longest} seconds. Cut this one.`);
  }
  return {
    username: pickString(data, "creator_username"),
    commentsOff: pick(data, "comment_disabled") === true,
    duetOff: pick(data, "duet_disabled") === true,
    stitchOff: pick(data, "stitch_disabled") === true,
  };
}

function offs(creator: Creator): { commentsOff?: true } {
  return creator.commentsOff ? { commentsOff: true } : {};
}

interface Status {
  state: string;
  failReason: string;
  uploadedBytes: number | null;
  publicId: string | null;
}

async function askStatus(job: Job, publishId: string): Promise<Status> {
  const data = await post(job, "post/publish/status/fetch/", { publish_id: publishId });
  const [publicId] = pickList(data, "publicaly_available_post_id");
  return {
    state: pickString(data, "status") ?? "",
    failReason: pickString(data, "fail_reason") ?? "unknown",
    uploadedBytes: pickNumber(data, "uploaded_bytes"),
    publicId: publicId === undefined ? null : String(publicId),
  };
}

/** Where an upload stands after a lost answer; null when all bytes are there and the status alone decides. */
function uploadState(job: Job, handle: TikTokHandle, status: Status) {
  if (status.state !== "PROCESSING_UPLOAD" || !handle.upload) return null;
  if (status.uploadedBytes !== null) {
    // An upload ends in one post at most, so that going on with the missing bytes is safe.
    return status.uploadedBytes < handle.upload.size ? { state: "not_published" as const, handle } : null;
  }
  // Without a byte count only time tells: an upload URL that died can no longer be completed.
  const overdue = job.now().getTime() > handle.upload.expiresAt;
  return overdue ? ({ state: "cannot_tell" } as const) : null;
}

function settled(job: Job, handle: TikTokHandle, status: Status): Published | Processing {
  if (status.state === "FAILED") throw failure(failedBecause(job, status.failReason));
  if (status.state === "SEND_TO_USER_INBOX") return { state: "published", platformPostId: null, url: null };
  if (status.state !== "PUBLISH_COMPLETE") return { state: "processing", afterMs: POLL_MS, handle };
  const named = status.publicId !== null && handle.username !== null;
  const section = handle.kind === "photos" ? "photo" : "video";
  return {
    state: "published",
    platformPostId: status.publicId,
    url: named ? `https://www.tiktok.com/@${handle.username}/${section}/${status.publicId}` : null,
  };
}
