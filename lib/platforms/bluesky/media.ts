// Uploads images and videos to Bluesky, and builds the embeds of a post from them.
import { pick, pickString, unanswered } from "../http.ts";
import { getMediaSize, openRange } from "../media.ts";
import { failure, type Job, type MediaFile } from "../platform.ts";
import { callAccountServer } from "./account-server.ts";
import { readDimensions } from "./dimensions.ts";
import { assertSuccess, toJobFailure, toVideoFailure } from "./errors.ts";
import { BLUESKY, capabilities } from "./rules.ts";
import { callXrpc, NETWORK } from "./xrpc.ts";

const UPLOAD_TIMEOUT_MS = 240_000;
const SERVICE_TOKEN_LIFETIME_S = 30 * 60;
const DEFAULT_BASE_URL = "https://bsky.social";
const VIDEO_BASE_URL = "https://video.bsky.app";

/** Videos have a host of their own, except with a custom base URL, which serves videos too. */
function getVideoHost(baseUrl: string): string {
  return baseUrl === DEFAULT_BASE_URL ? VIDEO_BASE_URL : baseUrl;
}

/** Up to four images are embedded as `images`, which every client shows; more as a `gallery`, whose items need an aspect ratio. */
export async function createImagesEmbed(
  job: Job,
  server: string,
  files: MediaFile[],
): Promise<Record<string, unknown>> {
  const isGallery = files.length > BLUESKY.imagesEmbed;
  const items = [];
  for (const file of files) {
    const aspectRatio = isGallery ? { aspectRatio: await readDimensions(job, file) } : toAspectRatio(file);
    items.push({ image: await uploadImage(job, server, file), alt: "", ...aspectRatio });
  }
  if (!isGallery) return { $type: "app.bsky.embed.images", images: items };
  return {
    $type: "app.bsky.embed.gallery",
    items: items.map((item) => ({ $type: "app.bsky.embed.gallery#image", ...item })),
  };
}

export function buildVideoEmbed(blob: unknown, file: MediaFile): Record<string, unknown> {
  return { $type: "app.bsky.embed.video", video: blob, ...toAspectRatio(file) };
}

function toAspectRatio({ width, height }: MediaFile) {
  return width && height ? { aspectRatio: { width, height } } : {};
}

async function uploadImage(job: Job, server: string, file: MediaFile): Promise<unknown> {
  const size = await getSizeWithin(job, file, capabilities.images.maxBytes);
  const reply = await callAccountServer(job, server, {
    method: "POST",
    name: "com.atproto.repo.uploadBlob",
    authorized: true,
    headers: { "content-type": file.mimeType ?? guessImageType(file.url), "content-length": String(size) },
    body: await openRange(job, file.url, { first: 0, last: size - 1, total: size }),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  assertSuccess(job, reply);
  const blob = pick(reply.body, "blob");
  if (!blob) throw unanswered(NETWORK, "upload_without_blob");
  return blob;
}

function guessImageType(url: string): string {
  const extension = /\.(png|webp)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase();
  return extension ? `image/${extension}` : "image/jpeg";
}

async function getSizeWithin(job: Job, file: MediaFile, maxBytes: number): Promise<number> {
  const size = await getMediaSize(job, file);
  if (size <= maxBytes) return size;
  throw contentFailure(
    "media_too_large",
    `The file has ${size} bytes, but Bluesky allows at most ${maxBytes}. Use a smaller one.`,
  );
}

function contentFailure(code: string, message: string) {
  return failure({ class: "content", code, message });
}

/** Uploads a video and returns the id of its processing job. Uploading the same bytes again returns the same id. */
export async function uploadVideo(job: Job, server: string, file: MediaFile): Promise<string> {
  const size = await getSizeWithin(job, file, capabilities.videos.maxBytes);
  const token = await requestServiceToken(job, server);
  const reply = await callXrpc(job, getVideoHost(job.network.baseUrl), {
    method: "POST",
    name: "app.bsky.video.uploadVideo",
    token,
    query: { did: job.connection.externalId, name: `${job.deliveryId}.mp4` },
    headers: { "content-type": file.mimeType ?? "video/mp4", "content-length": String(size) },
    body: await openRange(job, file.url, { first: 0, last: size - 1, total: size }),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  // Documented as { jobStatus: { jobId } }, answered as { jobId }. A video that was uploaded before is a 409 with its job.
  const id = pickString(reply.body, "jobId") ?? pickString(reply.body, "jobStatus", "jobId");
  if (id) return id;
  if (reply.status >= 400) throw failure(toVideoFailure(job, reply));
  throw unanswered(NETWORK, "upload_without_job");
}

/** The video service writes to the account's server, so the token's audience is that server. */
async function requestServiceToken(job: Job, server: string): Promise<string> {
  const serverDescription = await callAccountServer(job, server, {
    method: "GET",
    name: "com.atproto.server.describeServer",
  });
  assertSuccess(job, serverDescription);
  const reply = await callAccountServer(job, server, {
    method: "GET",
    name: "com.atproto.server.getServiceAuth",
    authorized: true,
    query: {
      aud: pickString(serverDescription.body, "did") ?? `did:web:${encodeURIComponent(new URL(server).host)}`,
      lxm: "com.atproto.repo.uploadBlob",
      exp: String(Math.floor(job.now().getTime() / 1000) + SERVICE_TOKEN_LIFETIME_S),
    },
  });
  assertSuccess(job, reply);
  const token = pickString(reply.body, "token");
  if (!token) throw unanswered(NETWORK, "service_auth_without_token");
  return token;
}

/** Returns the blob of a processed video, null while the service is processing it. */
export async function fetchVideoBlob(job: Job, jobId: string): Promise<unknown> {
  const reply = await callXrpc(job, getVideoHost(job.network.baseUrl), {
    method: "GET",
    name: "app.bsky.video.getJobStatus",
    query: { jobId },
  });
  // 429 and 5xx have thrown; the request contains only the job id, so another error means that the job is gone.
  if (reply.status >= 400) throw failure(toJobFailure("job_lost"));
  const status = pick(reply.body, "jobStatus");
  const blob = pick(status, "blob");
  // A job that failed because the video exists already has a valid blob.
  if (blob) return blob;
  if (pickString(status, "state") !== "JOB_STATE_FAILED") return null;
  throw failure(toJobFailure(pickString(status, "failureCode") ?? pickString(status, "error") ?? "generic_failure"));
}
