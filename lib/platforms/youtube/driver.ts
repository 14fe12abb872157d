// YouTube's Data API v3: one resumable upload per video, which is the post; then its processing and its thumbnail.
import { call, pickList, pickString, unanswered } from "../http.ts";
import { openRange, sizeOf } from "../media.ts";
import { tradeRefreshToken } from "../oauth.ts";
import {
  type Driver,
  failure,
  failureOf,
  type Handle,
  type Job,
  type Processing,
  type Published,
} from "../platform.ts";
import { checkWords, needVideo, refused, thumbnailOf, videoResource, violationsOf } from "./content.ts";
import { expectOk, signedOut, verdict } from "./errors.ts";
import { capabilities, YOUTUBE } from "./rules.ts";
import { probe, type Session, sendRest, sessionLost } from "./upload.ts";

const NETWORK = "YouTube";
const API_HOST = "https://www.googleapis.com";
const POLL_MS = 5_000;
const POLL_AT_MOST_MS = 120_000;

/** `videoId` exists once the last chunk has landed. */
interface YouTubeHandle extends Handle, Session {
  videoId?: string;
  /** How the thumbnail ended: `set`, or the code of YouTube's refusal. */
  thumbnail?: string;
  /** Readings that said "not yet", so that long processing is asked for less and less. */
  waits?: number;
}

export const youtube: Driver = {
  platform: "youtube",
  capabilities,
  validate: violationsOf,

  async start(job) {
    const file = needVideo(job.content);
    checkWords(job.content);
    await checkThumbnail(job);
    const size = await sizeOf(job, file);
    const reply = await call(job, {
      network: NETWORK,
      method: "POST",
      url: `${job.network.baseUrl}/upload/youtube/v3/videos`,
      query: { uploadType: "resumable", part: "snippet,status" },
      bearer: job.connection.accessToken,
      headers: {
        "x-upload-content-length": String(size),
        "x-upload-content-type": file.mimeType ?? "video/mp4",
      },
      json: videoResource(job.content),
    });
    expectOk(job, reply);
    const sessionUrl = reply.headers.get("location");
    if (!sessionUrl) throw unanswered(NETWORK, "session_without_url");
    return { sessionUrl, size };
  },

  async poll(job, stored) {
    const handle = stored as YouTubeHandle;
    return handle.videoId ? settled(job, handle, handle.videoId) : { state: "ready" };
  },

  async publish(job, stored) {
    const handle = stored as YouTubeHandle;
    // A repeated publish goes on where the last one stopped instead of sending bytes twice.
    const arrived = await probe(job, handle);
    if (arrived.state === "gone") throw sessionLost();
    const videoId =
      arrived.state === "complete"
        ? arrived.videoId
        : await sendRest(job, handle, needVideo(job.content), arrived.bytes);
    return { state: "sent", handle: { ...handle, videoId, ...(await setThumbnail(job, videoId)) } };
  },

  async reconcile(job, stored) {
    const handle = stored as YouTubeHandle;
    if (handle.videoId) return settled(job, handle, handle.videoId);
    const arrived = await probe(job, handle);
    // Sessions live for a week, so one that is gone says nothing of what became of its bytes.
    if (arrived.state === "gone") return { state: "cannot_tell" };
    if (arrived.state === "complete") return settled(job, { ...handle, videoId: arrived.videoId }, arrived.videoId);
    if (arrived.bytes >= handle.size) return { state: "processing", afterMs: POLL_MS };
    // One session makes one video at most, so going on from it can not publish twice.
    return { state: "not_published", handle };
  },

  refresh(network, { refreshToken }, io) {
    return tradeRefreshToken(io, {
      network: NETWORK,
      url: tokenUrl(network.baseUrl),
      refreshToken,
      client: { client_id: network.clientId, client_secret: network.clientSecret },
      refused: (reason) => (reason === "no_refresh_token" ? signedOut(reason) : refreshRefused(reason)),
    });
  },
};

/** Google gives out tokens on a host of their own; any other base serves everything itself. */
function tokenUrl(baseUrl: string): string {
  return baseUrl === API_HOST ? "https://oauth2.googleapis.com/token" : `${baseUrl}/token`;
}

/** Only a dead grant is the account's; a refused client is our own configuration and must not cost the connection. */
function refreshRefused(code: string) {
  if (code !== "invalid_client" && code !== "deleted_client") return signedOut(code);
  const message = "Google refused this service's own sign-in. We mend that and try again by ourselves.";
  return { class: "transient", code, message } as const;
}

/** YouTube's verdicts are thrown with `restart`; a refused question without, so that it is asked again. */
async function settled(job: Job, handle: YouTubeHandle, videoId: string): Promise<Published | Processing> {
  const reply = await call(job, {
    network: NETWORK,
    method: "GET",
    url: `${job.network.baseUrl}/youtube/v3/videos`,
    query: { part: "status,processingDetails", id: videoId },
    bearer: job.connection.accessToken,
  });
  expectOk(job, reply);
  const [video] = pickList(reply.body, "items");
  const state = pickString(video, "status", "uploadStatus");
  if (state === "processed") {
    return { state: "published", platformPostId: videoId, url: `https://www.youtube.com/watch?v=${videoId}` };
  }
  if (state === "failed") throw failure(verdict(pickString(video, "status", "failureReason") ?? "failed"));
  if (state === "rejected") throw failure(verdict(pickString(video, "status", "rejectionReason") ?? "rejected"));
  if (state === "deleted") throw failure(verdict("deleted"));
  const waits = handle.waits ?? 0;
  const afterMs = Math.min(POLL_MS * 2 ** waits, POLL_AT_MOST_MS);
  return { state: "processing", afterMs, handle: { ...handle, videoId, waits: waits + 1 } };
}

/** A thumbnail that can not work is told before anything is uploaded. */
async function checkThumbnail(job: Job): Promise<void> {
  const url = thumbnailOf(job.content);
  if (url === null) return;
  const bytes = await thumbnailSize(job, url);
  if (bytes <= YOUTUBE.thumbnailBytes) return;
  throw refused("thumbnail_too_large", `The thumbnail has ${bytes} bytes. Give one of at most 2 MiB, JPEG or PNG.`);
}

async function thumbnailSize(job: Job, url: string): Promise<number> {
  try {
    return await sizeOf(job, imageAt(url));
  } catch (error) {
    const failed = failureOf(error);
    if (failed?.class !== "content") throw error;
    throw refused(failed.code, `settings.youtube.thumbnail: ${failed.message}`);
  }
}

/** The video is out whatever happens here, so a refused thumbnail is only noted. */
async function setThumbnail(job: Job, videoId: string): Promise<{ thumbnail?: string }> {
  const url = thumbnailOf(job.content);
  if (url === null) return {};
  try {
    const total = await sizeOf(job, imageAt(url));
    const reply = await call(job, {
      network: NETWORK,
      method: "POST",
      url: `${job.network.baseUrl}/upload/youtube/v3/thumbnails/set`,
      query: { videoId, uploadType: "media" },
      bearer: job.connection.accessToken,
      headers: { "content-type": "application/octet-stream", "content-length": String(total) },
      body: await openRange(job, url, { first: 0, last: total - 1, total }),
    });
    expectOk(job, reply);
    return { thumbnail: "set" };
  } catch (error) {
    return { thumbnail: failureOf(error)?.code ?? "failed" };
  }
}

function imageAt(url: string) {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null };
}
