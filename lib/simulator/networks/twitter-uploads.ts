// Media uploads of the simulated X: segments, processing and their status.

import { DAY_SECONDS } from "../../shared/durations.ts";
import type { NetworkContext } from "./context.ts";
import type { AccountAnswer } from "./endpoints.ts";
import { type NetworkAccount, type NetworkRequest, type NetworkResponse, readJsonObject } from "./network.ts";
import { invalidRequest, okResponse, problemResponse, readMultipart } from "./twitter-protocol.ts";
import { addPiece, startFile, type UploadedFile } from "./uploaded-file.ts";

const MIB = 1024 * 1024;
export const MEDIA_CATEGORIES: Record<string, { types: string[]; limit: number; key: number }> = {
  tweet_image: { types: ["image/jpeg", "image/png", "image/webp"], limit: 5 * MIB, key: 3 },
  tweet_gif: { types: ["image/gif"], limit: 15 * MIB, key: 16 },
  // 16 GB with Premium: https://docs.x.com/x-api/media/quickstart/best-practices, read 2026-11-24.
  tweet_video: { types: ["video/mp4", "video/quicktime"], limit: 16 * 1024 * MIB, key: 7 },
};
/** X's names of what can be wrong with a file. */
export const MEDIA_FAILURES = ["InvalidMedia", "UnsupportedMedia", "InternalError"];
const MAX_PAUSE_SECONDS = 30;
const EXPIRES_SECONDS = DAY_SECONDS;

export interface Upload {
  id: string;
  account: string;
  type: string;
  category: string;
  total: number;
  file: UploadedFile;
  readyAt: number | null;
  reads: number;
  altText?: string;
  /** X's error name for a file that cannot be processed. */
  error: string | null;
}

export function createUploads(context: NetworkContext) {
  const uploads = context.map<Upload>("uploads");

  function initialize(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const body = readJsonObject(request);
    const category = MEDIA_CATEGORIES[String(body.media_category)];
    const total = Number(body.total_bytes);
    if (!category) return invalidRequest("media_category is not valid.");
    if (!category.types.includes(String(body.media_type))) {
      return invalidRequest("media type unrecognized.");
    }
    if (!Number.isInteger(total) || total < 1) return invalidRequest("total_bytes is not valid.");
    if (total > category.limit) return invalidRequest(`File size exceeds ${category.limit} bytes.`);
    const upload: Upload = {
      id: context.nextId("1880"),
      account: account.externalId,
      type: String(body.media_type),
      category: String(body.media_category),
      total,
      file: startFile(),
      readyAt: null,
      reads: 0,
      error: null,
    };
    uploads.set(upload.id, upload);
    return okResponse({
      id: upload.id,
      media_key: `${category.key}_${upload.id}`,
      expires_after_secs: EXPIRES_SECONDS,
    });
  }

  /** Of the upload of the account that the path names, or that the query names. */
  const ofUpload =
    (answer: (upload: Upload, ...of: Parameters<AccountAnswer>) => ReturnType<AccountAnswer>): AccountAnswer =>
    (account, request, params) => {
      const upload = uploads.get(params.id ?? request.query.get("media_id") ?? "");
      if (upload?.account !== account.externalId) return problemResponse(404, "resource-not-found", "No such media.");
      return answer(upload, account, request, params);
    };

  /** The fact `segmentBytes` is the limit of X's edge, which answers 413 with no body before X sees the request. */
  const append = ofUpload(async (upload, { facts }, request) => {
    const { fields, file } = await readMultipart(request);
    const index = Number(fields.segment_index ?? Number.NaN);
    if (!file || !Number.isInteger(index) || index < 0 || index > 999) {
      return invalidRequest("segment_index or media is not valid.");
    }
    if (file.length > Number(facts?.segmentBytes ?? Number.POSITIVE_INFINITY)) return { status: 413 };
    if (file.length > 5 * MIB) return problemResponse(413, "invalid-request", "Segment too large.");
    addPiece(upload.file, index, file);
    return okResponse({ expires_at: Math.floor(context.now() / 1000) + EXPIRES_SECONDS });
  });

  const finalize = ofUpload((upload) => {
    if (upload.file.early.length > 0) return invalidRequest("Segments do not add up.");
    if (upload.file.bytes !== upload.total) {
      return invalidRequest("Segments do not add up to provided total file size.");
    }
    upload.readyAt ??= context.now() + (upload.category === "tweet_image" ? 0 : context.timing.processingMs);
    return okResponse({ ...describe(upload), size: upload.total });
  });

  const getStatus = ofUpload((upload) => {
    upload.reads += 1;
    return okResponse(describe(upload));
  });

  function getState(upload: Upload): string {
    if (upload.readyAt === null) return "pending";
    if (upload.category !== "tweet_image") {
      if (context.now() < upload.readyAt || upload.reads <= context.timing.processingPolls) return "in_progress";
    }
    return upload.error ? "failed" : "succeeded";
  }

  /** X proposes when to ask again. */
  function getPause({ readyAt }: Upload): number {
    return Math.min(MAX_PAUSE_SECONDS, Math.max(1, Math.ceil(((readyAt ?? 0) - context.now()) / 1000)));
  }

  function describe(upload: Upload) {
    const base = {
      id: upload.id,
      media_key: `${MEDIA_CATEGORIES[upload.category]?.key}_${upload.id}`,
      expires_after_secs: EXPIRES_SECONDS,
    };
    if (upload.category === "tweet_image") return base;
    const state = getState(upload);
    const progress = state === "in_progress" ? { check_after_secs: getPause(upload), progress_percent: 50 } : {};
    const error = upload.error
      ? { error: { code: 1, name: upload.error, message: "Unsupported video format" } }
      : undefined;
    return { ...base, processing_info: { state, ...progress, ...(state === "failed" ? error : {}) } };
  }

  /** Fails the processing of an upload with this error name. */
  function fail(upload: Upload, error: string): void {
    upload.error = error;
    upload.readyAt = 0;
    upload.reads = context.timing.processingPolls + 1;
  }

  /** Of images and GIFs: https://docs.x.com/x-api/media/create-media-metadata, read 2026-11-28. */
  function addMetadata(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const { id, metadata } = readJsonObject(request) as { id?: string; metadata?: { alt_text?: { text?: string } } };
    const upload = uploads.get(id ?? "");
    const text = metadata?.alt_text?.text ?? "";
    if (upload?.account !== account.externalId) return problemResponse(404, "resource-not-found", "No such media.");
    if (upload.category === "tweet_video" || text === "" || text.length > 1_000) {
      return invalidRequest("alt_text is not valid.");
    }
    upload.altText = text;
    return okResponse({ id, associated_metadata: metadata });
  }

  return {
    addMetadata,
    initialize,
    append,
    finalize,
    getStatus,
    fail,
    getState,
    describe,
    find: (id: string) => uploads.get(id),
  };
}
