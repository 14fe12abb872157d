// LinkedIn uploads: registers an asset, sends its bytes and polls until it is available.
import { type DownloadedImage, downloadImage } from "../../media/download-image.ts";
import { isObject, type NetworkResponse, pickList, pickNumber, pickString, sendRequest, unanswered } from "../http.ts";
import type { ShownCard } from "../link-cards.ts";
import { getMediaSize, openRange } from "../media.ts";
import { contentFailure, failure, type Job, type MediaFile } from "../platform.ts";
import { restartIfRejected, sendPart, uploadSessionLost } from "../upload-session.ts";
import { NETWORK, request, requestRaw } from "./api.ts";
import { getAuthor, isPerson } from "./content.ts";
import { buildDocument, loadPage, streamDocument } from "./document.ts";
import { assertSuccess } from "./errors.ts";
import { capabilities } from "./rules.ts";

const PART_TIMEOUT_MS = 120_000;

export async function uploadImage(job: Job, file: MediaFile): Promise<string> {
  const total = await getMediaSize(job, file);
  const { urn, url } = await initializeUpload(job, "image");
  const body = await openRange(job, file.url, { first: 0, last: total - 1, total });
  await uploadBytes(job, { url, body, bytes: total, bearer: job.connection.accessToken });
  return urn;
}

/** Uploads images as the pages of one document, which LinkedIn shows as a carousel. */
export async function uploadCarousel(job: Job, images: readonly MediaFile[]): Promise<string> {
  const pages = [];
  for (const image of images) pages.push(await loadPage(job, image));
  const document = buildDocument(pages);
  const { urn, url } = await initializeUpload(job, "document");
  const { accessToken } = job.connection;
  await uploadBytes(job, { url, body: streamDocument(job, document), bytes: document.size, bearer: accessToken });
  return urn;
}

/** The picture of a card; null when LinkedIn does not take it, as a card needs none. */
export async function uploadCardImage(job: Job, { imageUrl }: ShownCard): Promise<string | null> {
  const image = imageUrl === null ? null : await downloadImage(job.fetchMedia, imageUrl, capabilities.images);
  if (!image) return null;
  const { urn, url } = await initializeUpload(job, "image");
  const body = new Blob([image.bytes]).stream();
  await uploadBytes(job, { url, body, bytes: image.bytes.length, bearer: job.connection.accessToken });
  return urn;
}

async function initializeUpload(job: Job, kind: "image" | "document"): Promise<{ urn: string; url: string }> {
  const { body } = await request(job, "POST", `rest/${kind}s`, {
    query: { action: "initializeUpload" },
    json: { initializeUploadRequest: { owner: getAuthor(job) } },
  });
  const urn = pickString(body, "value", kind);
  const url = pickString(body, "value", "uploadUrl");
  if (!urn || !url) throw unanswered(NETWORK, "upload_without_url");
  return { urn, url };
}

/** An upload that has begun. Its parts can be sent in any order until the URLs expire, and are completed by their ETags. */
export interface VideoUpload {
  video: string;
  /** The caller's cover could not be used. */
  withoutCover?: true;
  total: number;
  token: string;
  expiresAt: number;
  /** The parts that LinkedIn does not have, in order. */
  parts: Part[];
  /** The ETags of those that it has, in order. */
  etags: string[];
}

/** Begins the upload, and sends the cover, which is small, at once: a video whose cover is not taken begins without one. */
export async function beginVideoUpload(job: Job, file: MediaFile): Promise<VideoUpload> {
  const url = job.content.cover?.image?.url;
  if (url === undefined) return beginUpload(job, file, null);
  const cover = await downloadImage(job.fetchMedia, url, capabilities.images);
  const upload = cover && (await beginUpload(job, file, cover));
  return upload && !upload.withoutCover ? upload : { ...(await beginUpload(job, file, null)), withoutCover: true };
}

async function beginUpload(job: Job, file: MediaFile, cover: DownloadedImage | null): Promise<VideoUpload> {
  const total = await getMediaSize(job, file);
  const { body } = await request(job, "POST", "rest/videos", {
    query: { action: "initializeUpload" },
    json: {
      initializeUploadRequest: {
        owner: getAuthor(job),
        fileSizeBytes: total,
        uploadCaptions: false,
        uploadThumbnail: cover !== null,
      },
    },
  });
  const video = pickString(body, "value", "video");
  const parts = readParts(pickList(body, "value", "uploadInstructions"), total);
  if (!video || !parts) throw unanswered(NETWORK, "upload_without_url");
  const token = pickString(body, "value", "uploadToken") ?? "";
  const expiresAt = pickNumber(body, "value", "uploadUrlsExpireAt") ?? Number.MAX_SAFE_INTEGER;
  const upload: VideoUpload = { video, total, token, expiresAt, parts, etags: [] };
  const isTaken = cover === null || (await sendCover(job, pickString(body, "value", "thumbnailUploadUrl"), cover));
  return isTaken ? upload : { ...upload, withoutCover: true };
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/videos-api, read 2026-11-28. */
async function sendCover(job: Job, url: string | null, { bytes }: DownloadedImage): Promise<boolean> {
  if (url === null) return false;
  const put = () =>
    putBytes(job, {
      ...{ url, body: new Blob([bytes]).stream(), bytes: bytes.length, bearer: job.connection.accessToken },
      family: "STILLIMAGE",
    });
  return (await sendPart(put)).status < 400;
}

/** Sends the next part, or completes the video when LinkedIn has all of them: then returns null. */
export async function continueVideoUpload(job: Job, file: MediaFile, upload: VideoUpload): Promise<VideoUpload | null> {
  const { video, total, token, etags } = upload;
  const [next, ...parts] = upload.parts;
  if (next) {
    if (job.now().getTime() >= upload.expiresAt) throw uploadSessionLost(NETWORK);
    return { ...upload, parts, etags: [...etags, await sendPart(() => sendVideoPart(job, file, next, total))] };
  }
  const json = { finalizeUploadRequest: { video, uploadToken: token, uploadedPartIds: etags } };
  await restartIfRejected(request(job, "POST", "rest/videos", { query: { action: "finalizeUpload" }, json }));
  return null;
}

async function sendVideoPart(job: Job, file: MediaFile, { url, first, last }: Part, total: number): Promise<string> {
  const body = await openRange(job, file.url, { first, last, total });
  const response = await putBytes(job, { url, body, bytes: last - first + 1, bearer: null });
  // Neither the token nor the post is part of the request, so LinkedIn no longer accepts the URL.
  if (response.status >= 400) throw uploadSessionLost(NETWORK);
  return response.headers.get("etag") ?? "";
}

interface Part {
  url: string;
  first: number;
  last: number;
}

/** Returns the parts in order, null when they do not cover the file without gaps. */
function readParts(instructions: unknown[], total: number): Part[] | null {
  const parts = instructions
    .filter(isObject)
    .map((part) => ({
      url: pickString(part, "uploadUrl") ?? "",
      first: pickNumber(part, "firstByte") ?? -1,
      last: pickNumber(part, "lastByte") ?? -1,
    }))
    .toSorted((a, b) => a.first - b.first);
  const whole = parts.every(({ url, first }, at) => url !== "" && first === (parts[at - 1]?.last ?? -1) + 1);
  return whole && parts.at(-1)?.last === total - 1 ? parts : null;
}

interface ByteUpload {
  url: string;
  body: ReadableStream;
  bytes: number;
  /** Null for video parts, whose URLs are presigned. */
  bearer: string | null;
  family?: "STILLIMAGE";
}

async function uploadBytes(job: Job, upload: ByteUpload): Promise<void> {
  assertSuccess(await putBytes(job, upload));
}

function putBytes(job: Job, { url, body, bytes, bearer, family }: ByteUpload): Promise<NetworkResponse> {
  return sendRequest(job, {
    network: NETWORK,
    method: "PUT",
    url,
    ...(bearer === null ? {} : { bearer }),
    headers: {
      ...{ "content-type": "application/octet-stream", "content-length": String(bytes) },
      ...(family ? { "media-type-family": family } : {}),
    },
    body,
    timeoutMs: PART_TIMEOUT_MS,
  });
}

/** `unreadable`: LinkedIn does not tell this account the status of its own upload. */
export type AssetState = "available" | "processing" | "unreadable";

/**
 * Throws a failure with `restart` when LinkedIn could not process the asset. `w_member_social` only writes: LinkedIn
 * answers 403 to members who read the status of their image or document, while all may read that of a video.
 * https://github.com/gitroomhq/postiz-app/commit/e18d4a593 (2026-05-28) and e287a14dd (2026-08-05), read 2026-11-28.
 */
export async function pollAsset(job: Job, urn: string): Promise<AssetState> {
  const kind = /^urn:li:(image|video|document):/.exec(urn)?.[1];
  if (!kind)
    throw contentFailure(
      "asset_unknown",
      "LinkedIn returned an unknown type of media URN. Contact support with the id of the post.",
    );
  const response = await requestRaw(job, "GET", `rest/${kind}s/${encodeURIComponent(urn)}`);
  if (response.status === 403 && isPerson(job) && kind !== "video") return "unreadable";
  assertSuccess(response);
  const status = pickString(response.body, "status");
  if (status === "AVAILABLE") return "available";
  if (status !== "PROCESSING_FAILED") return "processing";
  throw failure({
    class: "content",
    code: "PROCESSING_FAILED",
    message: `LinkedIn could not use the ${kind}. ${ADVICE[kind] ?? ""}`,
    restart: true,
  });
}

const ADVICE: Record<string, string> = {
  image: "Use JPEG, PNG or GIF of at most 36 megapixels.",
  video: "Use MP4 with H.264 and AAC.",
  document: "Use JPEG images.",
};
