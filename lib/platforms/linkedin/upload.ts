// LinkedIn's uploads: an asset is registered, its bytes are sent, and then it is asked for until it is available.
import { call, isObject, pickList, pickNumber, pickString, unanswered } from "../http.ts";
import { openRange, sizeOf } from "../media.ts";
import { failure, type Job, type MediaFile } from "../platform.ts";
import { authorOf, refused } from "./content.ts";
import { documentOf, readPage, streamOf } from "./document.ts";
import { expectOk } from "./errors.ts";
import { NETWORK, rest } from "./wire.ts";

const PART_TIMEOUT_MS = 120_000;

export async function uploadImage(job: Job, file: MediaFile): Promise<string> {
  const total = await sizeOf(job, file);
  const { urn, url } = await initialize(job, "image");
  const body = await openRange(job, file.url, { first: 0, last: total - 1, total });
  await put(job, { url, body, bytes: total, bearer: job.connection.accessToken });
  return urn;
}

/** Several images as the pages of one document, which LinkedIn shows as a carousel. */
export async function uploadCarousel(job: Job, images: readonly MediaFile[]): Promise<string> {
  const pages = [];
  for (const image of images) pages.push(await readPage(job, image));
  const document = documentOf(pages);
  const { urn, url } = await initialize(job, "document");
  const { accessToken } = job.connection;
  await put(job, { url, body: streamOf(job, document), bytes: document.size, bearer: accessToken });
  return urn;
}

async function initialize(job: Job, kind: "image" | "document"): Promise<{ urn: string; url: string }> {
  const { body } = await rest(job, "POST", `${kind}s`, {
    query: { action: "initializeUpload" },
    json: { initializeUploadRequest: { owner: authorOf(job) } },
  });
  const urn = pickString(body, "value", kind);
  const url = pickString(body, "value", "uploadUrl");
  if (!urn || !url) throw unanswered(NETWORK, "upload_without_url");
  return { urn, url };
}

export async function uploadVideo(job: Job, file: MediaFile): Promise<string> {
  const total = await sizeOf(job, file);
  const { body } = await rest(job, "POST", "videos", {
    query: { action: "initializeUpload" },
    json: {
      initializeUploadRequest: {
        owner: authorOf(job),
        fileSizeBytes: total,
        uploadCaptions: false,
        uploadThumbnail: false,
      },
    },
  });
  const video = pickString(body, "value", "video");
  const parts = partsOf(pickList(body, "value", "uploadInstructions"), total);
  if (!video || !parts) throw unanswered(NETWORK, "upload_without_url");
  const uploadedPartIds: string[] = [];
  // LinkedIn says which bytes go where; the tags of all parts, in order, make the file whole.
  for (const { url, first, last } of parts) {
    const part = await openRange(job, file.url, { first, last, total });
    uploadedPartIds.push(await put(job, { url, body: part, bytes: last - first + 1, bearer: null }));
  }
  await rest(job, "POST", "videos", {
    query: { action: "finalizeUpload" },
    json: {
      finalizeUploadRequest: {
        video,
        uploadToken: pickString(body, "value", "uploadToken") ?? "",
        uploadedPartIds,
      },
    },
  });
  return video;
}

interface Part {
  url: string;
  first: number;
  last: number;
}

/** The parts in order, null when they do not cover the file without a gap. */
function partsOf(instructions: unknown[], total: number): Part[] | null {
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

interface Bytes {
  url: string;
  body: ReadableStream;
  bytes: number;
  /** Addresses of video parts are signed and take no token. */
  bearer: string | null;
}

/** Answers the tag of what arrived. */
async function put(job: Job, { url, body, bytes, bearer }: Bytes): Promise<string> {
  const reply = await call(job, {
    network: NETWORK,
    method: "PUT",
    url,
    ...(bearer === null ? {} : { bearer }),
    headers: { "content-type": "application/octet-stream", "content-length": String(bytes) },
    body,
    timeoutMs: PART_TIMEOUT_MS,
  });
  expectOk(reply);
  return reply.headers.get("etag") ?? "";
}

export type AssetState = { state: "available" } | { state: "processing" };

/** Throws when LinkedIn could not use the asset; the handle that names it is then worthless. */
export async function askAsset(job: Job, urn: string): Promise<AssetState> {
  const kind = /^urn:li:(image|video|document):/.exec(urn)?.[1];
  if (!kind) throw refused("asset_unknown", "LinkedIn gave the media a name that we do not know. Please tell support.");
  const { body } = await rest(job, "GET", `${kind}s/${encodeURIComponent(urn)}`, {});
  const status = pickString(body, "status");
  if (status === "AVAILABLE") return { state: "available" };
  if (status !== "PROCESSING_FAILED") return { state: "processing" };
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
