// Uploads a video to Bluesky's video service: in one request, or a long one in parts that can be resumed.
import { type NetworkResponse, pick, pickNumber, pickString, unanswered } from "../http.ts";
import { openRange } from "../media.ts";
import { failure, type Job, type MediaFile } from "../platform.ts";
import { getPartRange, restartIfRejected, sendPart, uploadSessionLost } from "../upload-session.ts";
import { callAccountServer } from "./account-server.ts";
import { assertSuccess, getErrorName, toJobFailure, toVideoFailure } from "./errors.ts";
import { getSizeWithin } from "./media.ts";
import { BLUESKY, capabilities } from "./rules.ts";
import { callXrpc, NETWORK, type XrpcRequest } from "./xrpc.ts";

const UPLOAD_TIMEOUT_MS = 240_000;
const SERVICE_TOKEN_LIFETIME_S = 30 * 60;
const DEFAULT_BASE_URL = "https://bsky.social";
const VIDEO_BASE_URL = "https://video.bsky.app";

/** Videos have a host of their own, except with a custom base URL, which serves videos too. */
function getVideoHost(baseUrl: string): string {
  return baseUrl === DEFAULT_BASE_URL ? VIDEO_BASE_URL : baseUrl;
}

/** An upload that has begun, with the parts that Bluesky has. */
export interface PartedUpload {
  id: string;
  size: number;
  partBytes: number;
  sent: number;
  expiresAt: number;
}

/** Uploads a short video, or begins the upload of a long one. */
export async function beginVideo(
  job: Job,
  server: string,
  file: MediaFile,
): Promise<{ videoJob: string } | { upload: PartedUpload }> {
  const size = await getSizeWithin(job, file, capabilities.videos.maxBytes);
  if (size <= BLUESKY.wholeVideoBytes) return { videoJob: await uploadWhole(job, server, file, size) };
  const { body } = await callVideoService(job, server, "startUpload", {
    json: { sizeBytes: size, mimeType: file.mimeType ?? "video/mp4", name: `${job.deliveryId}.mp4` },
  });
  const id = pickString(body, "jobId");
  const partBytes = pickNumber(body, "partSizeBytes");
  if (!id || !partBytes) throw unanswered(NETWORK, "upload_without_job");
  return { upload: { id, size, partBytes, sent: 0, expiresAt: Date.parse(pickString(body, "expiresAt") ?? "") } };
}

/** Sends the next part, or finishes the upload when Bluesky has all of them. */
export async function continueVideo(
  job: Job,
  server: string,
  file: MediaFile,
  upload: PartedUpload,
): Promise<{ videoJob: string } | { upload: PartedUpload }> {
  if (job.now().getTime() >= upload.expiresAt) throw uploadSessionLost(NETWORK);
  const range = getPartRange(upload.sent, { partBytes: upload.partBytes, total: upload.size });
  if (range) {
    const query = { jobId: upload.id, partNumber: String(upload.sent + 1) };
    const headers = {
      "content-type": "application/octet-stream",
      "content-length": String(range.last - range.first + 1),
    };
    const open = () => openRange(job, file.url, range);
    await sendPart(() => callVideoService(job, server, "uploadPart", { query, headers }, open));
    return { upload: { ...upload, sent: upload.sent + 1 } };
  }
  const finished = callVideoService(job, server, "finishUpload", { json: { jobId: upload.id } });
  const videoJob = pickString((await restartIfRejected(finished)).body, "completedJobId");
  if (!videoJob) throw unanswered(NETWORK, "upload_without_job");
  return { videoJob };
}

/** The upload has ended at Bluesky, and not by us. */
const LOST = new Set(["UploadNotFound", "UploadExpired", "UploadFailed", "UploadAborted"]);

async function callVideoService(
  job: Job,
  server: string,
  name: string,
  request: Pick<XrpcRequest, "json" | "query" | "headers">,
  openBody?: () => Promise<ReadableStream>,
): Promise<NetworkResponse> {
  const response = await postVideo(job, server, name, request, openBody);
  if (response.status < 400) return response;
  if (LOST.has(getErrorName(response))) throw uploadSessionLost(NETWORK);
  throw failure(toVideoFailure(job, response));
}

async function postVideo(
  job: Job,
  server: string,
  name: string,
  request: Partial<XrpcRequest>,
  openBody?: () => Promise<ReadableStream>,
): Promise<NetworkResponse> {
  // An open stream of the media file would wait for the token, and may end meanwhile.
  const token = await getServiceToken(job, server);
  return callXrpc(job, getVideoHost(job.network.baseUrl), {
    method: "POST",
    name: `app.bsky.video.${name}`,
    token,
    timeoutMs: UPLOAD_TIMEOUT_MS,
    ...request,
    ...(openBody ? { body: await openBody() } : {}),
  });
}

/** Uploads a video and returns the id of its processing job. Uploading the same bytes again returns the same id. */
async function uploadWhole(job: Job, server: string, file: MediaFile, size: number): Promise<string> {
  const query = { did: job.connection.externalId, name: `${job.deliveryId}.mp4` };
  const headers = { "content-type": file.mimeType ?? "video/mp4", "content-length": String(size) };
  const open = () => openRange(job, file.url, { first: 0, last: size - 1, total: size });
  const response = await postVideo(job, server, "uploadVideo", { query, headers }, open);
  // Documented as { jobStatus: { jobId } }, returned as { jobId }. A video that was uploaded before is a 409 with its job.
  const id = pickString(response.body, "jobId") ?? pickString(response.body, "jobStatus", "jobId");
  if (id) return id;
  if (response.status >= 400) throw failure(toVideoFailure(job, response));
  throw unanswered(NETWORK, "upload_without_job");
}

const serviceTokens = new WeakMap<Job, Promise<string>>();

/** One token for all parts that a job sends. */
function getServiceToken(job: Job, server: string): Promise<string> {
  const token = serviceTokens.get(job) ?? requestServiceToken(job, server);
  serviceTokens.set(job, token);
  token.catch(() => serviceTokens.delete(job));
  return token;
}

/** The video service writes to the account's server, so the token's audience is that server. */
async function requestServiceToken(job: Job, server: string): Promise<string> {
  const serverDescription = await callAccountServer(job, server, {
    method: "GET",
    name: "com.atproto.server.describeServer",
  });
  assertSuccess(job, serverDescription);
  const response = await callAccountServer(job, server, {
    method: "GET",
    name: "com.atproto.server.getServiceAuth",
    authorized: true,
    query: {
      aud: pickString(serverDescription.body, "did") ?? `did:web:${encodeURIComponent(new URL(server).host)}`,
      lxm: "com.atproto.repo.uploadBlob",
      exp: String(Math.floor(job.now().getTime() / 1000) + SERVICE_TOKEN_LIFETIME_S),
    },
  });
  assertSuccess(job, response);
  const token = pickString(response.body, "token");
  if (!token) throw unanswered(NETWORK, "service_auth_without_token");
  return token;
}

/** Returns the blob of a processed video, null while the service is processing it. */
export async function fetchVideoBlob(job: Job, jobId: string): Promise<unknown> {
  const response = await callXrpc(job, getVideoHost(job.network.baseUrl), {
    method: "GET",
    name: "app.bsky.video.getJobStatus",
    query: { jobId },
  });
  // 429 and 5xx have thrown; the request contains only the job id, so another error means that the job is gone.
  if (response.status >= 400) throw failure(toJobFailure("job_lost"));
  const status = pick(response.body, "jobStatus");
  const blob = pick(status, "blob");
  // A job that failed because the video exists already has a valid blob.
  if (blob) return blob;
  if (pickString(status, "state") !== "JOB_STATE_FAILED") return null;
  throw failure(toJobFailure(pickString(status, "failureCode") ?? pickString(status, "error") ?? "generic_failure"));
}
