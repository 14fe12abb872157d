// Uploads a file in parts, straight to storage. @uppy/aws-s3 5 sends the parts; version 6 starts and completes uploads at the
// storage, which the API does here: https://github.com/transloadit/uppy/releases/tag/@uppy%2Faws-s3@6.0.0, read 2026-11-28.
import AwsS3 from "@uppy/aws-s3";
import Uppy from "@uppy/core";
import type { Call, CallError, Data } from "./api.ts";
import {
  getUploadKey,
  readStoredUpload,
  removeStoredUpload,
  type StoredUpload,
  storeUpload,
} from "./stored-uploads.ts";

type StartedUpload = Data<"POST /files/multipart">;
type FileReport = Data<"POST /files/multipart/{uploadId}/complete">;
type Report = (fraction: number, note: string) => void;

/** An error of Uppy names the request that failed. */
type UploadError = CallError & { source?: { status: number } };

const PARALLEL_PARTS = 3;
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000];
const URLS_PER_CALL = 100;

export async function uploadFile(call: Call, base: string, file: File, report: Report): Promise<FileReport> {
  const key = getUploadKey(base, file);
  const stored = readStoredUpload(key);
  try {
    const upload = stored ?? { ...(await startUpload(call, file)), etags: {} };
    const result = await sendParts(call, file, upload, report, () => storeUpload(key, upload));
    removeStoredUpload(key);
    return result;
  } catch (error) {
    if (!isRejected(error as UploadError)) throw error;
    removeStoredUpload(key);
    if (!stored) throw error;
    // The stored upload has ended, so the file is sent from its beginning.
    return uploadFile(call, base, file, report);
  }
}

/** The URLs of all parts are valid as long as the upload. */
async function startUpload(call: Call, file: File): Promise<StartedUpload> {
  const upload = await call("POST /files/multipart", {
    body: { contentType: file.type, filename: file.name.slice(-255), size: file.size },
  });
  const parts = [...upload.parts];
  while (parts.length < upload.partCount) {
    const count = Math.min(URLS_PER_CALL, upload.partCount - parts.length);
    const partNumbers = Array.from({ length: count }, (_, at) => parts.length + at + 1);
    const options = { params: { uploadId: upload.id }, body: { partNumbers } };
    parts.push(...(await call("POST /files/multipart/{uploadId}/parts", options)).parts);
  }
  return { ...upload, parts };
}

/** True if the API or the storage ended the upload, so that continuing it fails again. */
function isRejected({ code, source }: UploadError): boolean {
  const status = source?.status ?? 0;
  return code === "upload_failed" || code === "not_found" || (status >= 400 && status < 500);
}

async function sendParts(
  call: Call,
  file: File,
  upload: StoredUpload,
  report: Report,
  onPartSent: () => void,
): Promise<FileReport> {
  /** Why a part waits to be sent again, by its URL. */
  const waiting = new Map<string, string>();
  let sent = 0;
  let result: FileReport | undefined;
  let failure: Error | undefined;
  const showProgress = () => report(sent, [...waiting.values()].at(-1) ?? "");
  const uppy = new Uppy().use(AwsS3, {
    shouldUseMultipart: true,
    limit: PARALLEL_PARTS,
    retryDelays: RETRY_DELAYS_MS,
    getChunkSize: () => upload.partSize,
    createMultipartUpload: () => ({ uploadId: upload.id, key: upload.id }),
    listParts: () => Object.entries(upload.etags).map(([number, ETag]) => ({ PartNumber: Number(number), ETag })),
    signPart: (_, { partNumber }) => {
      const part = upload.parts.find((one) => one.partNumber === partNumber);
      return { url: part?.url ?? "" };
    },
    uploadPartBytes: (options) => {
      const { url } = options.signature;
      const onProgress = (event: ProgressEvent) => {
        waiting.delete(url);
        options.onProgress(event);
      };
      return AwsS3.uploadPartBytes({ ...options, onProgress }).catch((error: UploadError) => {
        if (!error.source) throw error;
        const { status } = error.source;
        if (status === 0) waiting.set(url, "Connection lost, trying again");
        else if (status >= 500) waiting.set(url, "Storage is busy, trying again");
        showProgress();
        const message =
          status === 0 ? "The connection was lost. Try again." : `The storage rejected the file with ${status}.`;
        throw Object.assign(new Error(message), { source: error.source });
      });
    },
    completeMultipartUpload: async (_, { parts }) => {
      report(1, "Checking the file");
      result = await call("POST /files/multipart/{uploadId}/complete", {
        params: { uploadId: upload.id },
        body: { parts: parts.map(({ PartNumber = 0, ETag = "" }) => ({ partNumber: PartNumber, etag: ETag })) },
        idempotencyKey: `complete-${upload.id}`,
      });
      return {};
    },
    abortMultipartUpload: () => undefined,
  });
  uppy.on("upload-error", (_, error) => {
    failure = error;
  });
  uppy.on("upload-progress", (_, { bytesUploaded }) => {
    sent = Math.min(1, bytesUploaded / file.size);
    showProgress();
  });
  uppy.on("s3-multipart:part-uploaded", (_, { PartNumber, ETag }) => {
    upload.etags[PartNumber] = ETag;
    onPartSent();
  });
  const id = uppy.addFile({ name: file.name, type: file.type, data: file });
  // Uppy continues an upload that has a state.
  uppy.setFileState(id, { s3Multipart: { uploadId: upload.id, key: upload.id } } as object);
  await uppy.upload();
  uppy.destroy();
  if (!result) throw failure ?? new Error("The upload was not completed. Try again.");
  return result;
}
