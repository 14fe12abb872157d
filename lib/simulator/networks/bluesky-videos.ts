// The video service of the simulated Bluesky: uploads, whole or in parts, and the jobs that process them.
import { createHash } from "node:crypto";
import { HOUR_MS } from "../../shared/durations.ts";
import { errorResponse, namedError } from "./bluesky-protocol.ts";
import type { NetworkContext } from "./context.ts";
import { type NetworkAccount, type NetworkRequest, type NetworkResponse, readJsonObject } from "./network.ts";
import { addPiece, digestFile, startFile, type UploadedFile } from "./uploaded-file.ts";

const UPLOAD_LIFE_MS = HOUR_MS;
const PART_BYTES = 8 * 1024 * 1024;
export const JOB_FAILURES = /^(validation_failure|encoding_failure|pds_upload_\w+|generic_failure)$/;

interface VideoJob {
  id: string;
  did: string;
  link: string;
  readyAt: number;
  reads: number;
  failure: string | null;
}

/** The account's own server, where the service writes the blob. */
interface AccountServer {
  storeFile(account: NetworkAccount, file: { sha256: string; bytes: number; type: string }): string;
  buildBlobRef(did: string, link: string): unknown;
  findServiceAccount(request: NetworkRequest): NetworkAccount | null;
}

export function createVideos(context: NetworkContext, { storeFile, buildBlobRef, findServiceAccount }: AccountServer) {
  const jobs = context.map<VideoJob>("jobs");
  const uploads = context.map<{ account: NetworkAccount; size: number; type: string; file: UploadedFile }>("uploads");

  function uploadVideo(request: NetworkRequest): NetworkResponse {
    const account = findServiceAccount(request);
    if (!account || account.externalId !== request.query.get("did") || !request.query.get("name")) {
      return errorResponse(401, "AuthenticationRequired", "Invalid service token, did or name");
    }
    if (request.headers.get("content-type") !== "video/mp4") {
      return errorResponse(400, "InvalidMimeType", "Only video/mp4 is supported");
    }
    if (Number(request.headers.get("content-length")) !== request.body.length) {
      return errorResponse(400, "InvalidRequest", "Content-Length does not match");
    }
    const sha256 = createHash("sha256").update(request.body).digest("hex");
    return createJob(account, storeFile(account, { sha256, bytes: request.body.length, type: "video/mp4" }));
  }

  function startUpload(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const { sizeBytes, mimeType } = readJsonObject(request);
    if (mimeType !== "video/mp4") return errorResponse(400, "UnsupportedContentType", "Only video/mp4 is supported");
    const [size, jobId] = [Number(sizeBytes), context.nextId("upload")];
    uploads.set(jobId, { account, size, type: mimeType, file: startFile() });
    const expiresAt = new Date(context.now() + UPLOAD_LIFE_MS).toISOString();
    return {
      status: 200,
      body: { jobId, partSizeBytes: PART_BYTES, partCount: Math.ceil(size / PART_BYTES), expiresAt },
    };
  }

  function uploadPart(account: NetworkAccount, { query, body }: NetworkRequest): NetworkResponse {
    const upload = uploads.get(query.get("jobId") ?? "");
    const partNumber = Number(query.get("partNumber"));
    if (upload?.account.externalId !== account.externalId)
      return errorResponse(404, "UploadNotFound", "No such upload");
    const expected = Math.min(PART_BYTES, upload.size - (partNumber - 1) * PART_BYTES);
    if (!(partNumber >= 1 && expected > 0)) return errorResponse(400, "InvalidPartNumber", "No such part");
    if (body.length !== expected) return errorResponse(400, "PartSizeMismatch", `Expected ${expected} bytes`);
    addPiece(upload.file, partNumber - 1, body);
    return { status: 200, body: { partNumber, sizeBytes: body.length } };
  }

  function finishUpload(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const upload = uploads.get(String(readJsonObject(request).jobId));
    if (upload?.account.externalId !== account.externalId)
      return errorResponse(404, "UploadNotFound", "No such upload");
    const { file, type } = upload;
    if (file.bytes < upload.size) return errorResponse(400, "MissingParts", `Missing parts: ${file.next + 1}`);
    const finished = createJob(account, storeFile(account, { sha256: digestFile(file), bytes: file.bytes, type }));
    const job = finished.body as { jobId: string };
    return { status: 200, body: { completedJobId: job.jobId, jobStatus: job } };
  }

  function createJob(account: NetworkAccount, link: string): NetworkResponse {
    const did = account.externalId;
    const existing = [...jobs.values()].find((job) => job.did === did && job.link === link && !job.failure);
    if (existing) {
      const status = { did, jobId: existing.id, state: "JOB_STATE_COMPLETED" };
      return { status: 409, body: { ...status, error: "already_exists", message: "Video already processed" } };
    }
    const limit = Number(account.facts?.videosPerDay ?? Number.POSITIVE_INFINITY);
    if (jobs.size >= limit) return namedError("upload_limit");
    const job: VideoJob = {
      id: context.nextId("job"),
      did,
      link,
      readyAt: context.now() + context.timing.processingMs,
      reads: 0,
      failure: null,
    };
    jobs.set(job.id, job);
    return { status: 200, body: { did, jobId: job.id, state: "JOB_STATE_CREATED" } };
  }

  function getJobStatus(request: NetworkRequest): NetworkResponse {
    const job = jobs.get(request.query.get("jobId") ?? "");
    if (!job) return errorResponse(400, "InvalidRequest", "Job not found");
    job.reads += 1;
    const { did } = job;
    const base = { jobId: job.id, did };
    if (job.failure) {
      const failure = { error: job.failure, failureCode: job.failure, message: "The video could not be processed." };
      return { status: 200, body: { jobStatus: { ...base, state: "JOB_STATE_FAILED", ...failure } } };
    }
    if (context.now() < job.readyAt || job.reads <= context.timing.processingPolls) {
      return { status: 200, body: { jobStatus: { ...base, state: "JOB_STATE_ENCODING", progress: 40 } } };
    }
    return {
      status: 200,
      body: { jobStatus: { ...base, state: "JOB_STATE_COMPLETED", blob: buildBlobRef(did, job.link) } },
    };
  }

  /** Ends the job that the request asks about with this failure; null when there is no such job, or no such failure. */
  function failJob(request: NetworkRequest, failure: string): NetworkResponse | null {
    const job = jobs.get(request.query.get("jobId") ?? "");
    if (!job || !JOB_FAILURES.test(failure)) return null;
    job.failure = failure;
    return getJobStatus(request);
  }

  return { uploadVideo, startUpload, uploadPart, finishUpload, getJobStatus, failJob };
}
