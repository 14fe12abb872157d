// The video service of the simulated Bluesky: uploads, whole or in parts, and the jobs that process them.
import { errorResponse, namedError } from "./bluesky-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  nextId,
  readJsonObject,
  type Timing,
} from "./network.ts";

const UPLOAD_LIFE_MS = 3_600_000;
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
  storeBytes(account: NetworkAccount, type: string, body: Buffer): string;
  buildBlobRef(did: string, link: string): unknown;
  findServiceAccount(request: NetworkRequest): NetworkAccount | null;
}

export function createVideos(timing: Timing, { storeBytes, buildBlobRef, findServiceAccount }: AccountServer) {
  const jobs = new Map<string, VideoJob>();
  const uploads = new Map<
    string,
    { account: NetworkAccount; size: number; type: string; parts: Map<number, Buffer> }
  >();

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
    return createJob(account, storeBytes(account, "video/mp4", request.body));
  }

  function startUpload(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const { sizeBytes, mimeType } = readJsonObject(request);
    if (mimeType !== "video/mp4") return errorResponse(400, "UnsupportedContentType", "Only video/mp4 is supported");
    const [size, jobId] = [Number(sizeBytes), nextId("upload")];
    uploads.set(jobId, { account, size, type: mimeType, parts: new Map() });
    const expiresAt = new Date(Date.now() + UPLOAD_LIFE_MS).toISOString();
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
    upload.parts.set(partNumber, body);
    return { status: 200, body: { partNumber, sizeBytes: body.length } };
  }

  function finishUpload(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const upload = uploads.get(String(readJsonObject(request).jobId));
    if (upload?.account.externalId !== account.externalId)
      return errorResponse(404, "UploadNotFound", "No such upload");
    const missing = Array.from({ length: Math.ceil(upload.size / PART_BYTES) }, (_, at) => at + 1).filter(
      (part) => !upload.parts.has(part),
    );
    if (missing.length > 0) return errorResponse(400, "MissingParts", `Missing parts: ${missing}`);
    const bytes = Buffer.concat([...upload.parts].toSorted(([a], [b]) => a - b).map(([, part]) => part));
    const finished = createJob(account, storeBytes(account, upload.type, bytes));
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
      id: nextId("job"),
      did,
      link,
      readyAt: Date.now() + timing.processingMs,
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
    if (Date.now() < job.readyAt || job.reads <= timing.processingPolls) {
      return { status: 200, body: { jobStatus: { ...base, state: "JOB_STATE_ENCODING", progress: 40 } } };
    }
    return {
      status: 200,
      body: { jobStatus: { ...base, state: "JOB_STATE_COMPLETED", blob: buildBlobRef(did, job.link) } },
    };
  }

  /** Ends a job with this failure; false when there is no such job, or no such failure. */
  function failJob(id: string, failure: string): boolean {
    const job = jobs.get(id);
    if (!job || !JOB_FAILURES.test(failure)) return false;
    job.failure = failure;
    return true;
  }

  return { uploadVideo, startUpload, uploadPart, finishUpload, getJobStatus, failJob };
}
