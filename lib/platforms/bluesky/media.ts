// Brings images and videos to Bluesky; what comes back is named by the post's record.
import { pick, pickList, pickString, type Reply, unanswered } from "../http.ts";
import { openRange, sizeOf } from "../media.ts";
import { failure, type Job, type MediaFile } from "../platform.ts";
import { expectSuccess, jobFailed, NETWORK, videoRefused, xrpc } from "./errors.ts";
import { capabilities } from "./rules.ts";

const UPLOAD_TIMEOUT_MS = 240_000;
const SERVICE_TOKEN_S = 30 * 60;
const DOCUMENTED_HOST = "https://bsky.social";
const VIDEO_HOST = "https://video.bsky.app";

/** Videos have a host of their own; where another one stands in for the API, it does for videos too. */
function videoHost(baseUrl: string): string {
  return baseUrl === DOCUMENTED_HOST ? VIDEO_HOST : baseUrl;
}

export async function imagesEmbed(job: Job, files: MediaFile[]): Promise<Record<string, unknown>> {
  const images = [];
  for (const file of files) images.push({ image: await uploadImage(job, file), alt: "", ...ratioOf(file) });
  return { $type: "app.bsky.embed.images", images };
}

export function videoEmbed(blob: unknown, file: MediaFile): Record<string, unknown> {
  return { $type: "app.bsky.embed.video", video: blob, ...ratioOf(file) };
}

function ratioOf({ width, height }: MediaFile) {
  return width && height ? { aspectRatio: { width, height } } : {};
}

async function uploadImage(job: Job, file: MediaFile): Promise<unknown> {
  const size = await sizeWithin(job, file, capabilities.images.maxBytes);
  const reply = await xrpc(job, job.network.baseUrl, {
    method: "POST",
    name: "com.atproto.repo.uploadBlob",
    token: job.connection.accessToken,
    headers: { "content-type": file.mimeType ?? typeByName(file.url), "content-length": String(size) },
    body: await openRange(job, file.url, { first: 0, last: size - 1, total: size }),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  expectSuccess(job, reply);
  const blob = pick(reply.body, "blob");
  if (!blob) throw unanswered(NETWORK, "upload_without_blob");
  return blob;
}

function typeByName(url: string): string {
  const ending = /\.(png|webp)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase();
  return ending ? `image/${ending}` : "image/jpeg";
}

async function sizeWithin(job: Job, file: MediaFile, most: number): Promise<number> {
  const size = await sizeOf(job, file);
  if (size <= most) return size;
  throw refused("media_too_large", `The file has ${size} bytes, Bluesky takes at most ${most}. Give a smaller one.`);
}

function refused(code: string, message: string) {
  return failure({ class: "content", code, message });
}

/** Hands a video over and returns the job that makes it ready. The same bytes again give the same job. */
export async function uploadVideo(job: Job, file: MediaFile): Promise<string> {
  const size = await sizeWithin(job, file, capabilities.videos.maxBytes);
  const token = await serviceToken(job);
  const reply = await xrpc(job, videoHost(job.network.baseUrl), {
    method: "POST",
    name: "app.bsky.video.uploadVideo",
    token,
    query: { did: job.connection.externalId, name: `${job.deliveryId}.mp4` },
    headers: { "content-type": file.mimeType ?? "video/mp4", "content-length": String(size) },
    body: await openRange(job, file.url, { first: 0, last: size - 1, total: size }),
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  // The lexicon wraps the job, the service does not; known bytes come as 409 with the job they had.
  const id = pickString(reply.body, "jobId") ?? pickString(reply.body, "jobStatus", "jobId");
  if (id) return id;
  if (reply.status >= 400) throw failure(videoRefused(job, reply));
  throw unanswered(NETWORK, "upload_without_job");
}

/** The video service writes into the account's own server, so the token is made out to that one. */
async function serviceToken(job: Job): Promise<string> {
  const server = await serverOf(job);
  const reply = await ask(job, "com.atproto.server.getServiceAuth", {
    aud: `did:web:${server}`,
    lxm: "com.atproto.repo.uploadBlob",
    exp: String(Math.floor(job.now().getTime() / 1000) + SERVICE_TOKEN_S),
  });
  const token = pickString(reply.body, "token");
  if (!token) throw unanswered(NETWORK, "service_auth_without_token");
  return token;
}

async function serverOf(job: Job): Promise<string> {
  const { body } = await ask(job, "com.atproto.server.getSession", {});
  const own = pickList(body, "didDoc", "service").find((one) => pickString(one, "id")?.endsWith("#atproto_pds"));
  return new URL(pickString(own, "serviceEndpoint") ?? job.network.baseUrl).host;
}

async function ask(job: Job, name: string, query: Record<string, string>): Promise<Reply> {
  const token = job.connection.accessToken;
  const reply = await xrpc(job, job.network.baseUrl, { method: "GET", name, token, query });
  expectSuccess(job, reply);
  return reply;
}

/** The blob of a video once it is ready, null while the service works on it. */
export async function askVideo(job: Job, jobId: string): Promise<unknown> {
  const reply = await xrpc(job, videoHost(job.network.baseUrl), {
    method: "GET",
    name: "app.bsky.video.getJobStatus",
    query: { jobId },
  });
  // The question holds nothing but the job's id: refused, it means that the service lost the job.
  if (reply.status >= 400) throw failure(jobFailed("job_lost"));
  const status = pick(reply.body, "jobStatus");
  const blob = pick(status, "blob");
  // A job may end as failed only because the video was known already; its blob is as good.
  if (blob) return blob;
  if (pickString(status, "state") !== "JOB_STATE_FAILED") return null;
  throw failure(jobFailed(pickString(status, "failureCode") ?? pickString(status, "error") ?? "generic_failure"));
}
