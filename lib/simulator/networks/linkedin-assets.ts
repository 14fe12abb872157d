// Uploads of the simulated LinkedIn: images and documents in one request, videos in parts with ETags.

import { createHash } from "node:crypto";
import { HOUR_MS } from "../../shared/durations.ts";
import type { NetworkContext } from "./context.ts";
import type { PathParams } from "./endpoints.ts";
import { canActAs, errorResponse, isPdf } from "./linkedin-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  readBearerToken,
  readJsonObject,
} from "./network.ts";
import { addPiece, digestFile, startFile, type UploadedFile } from "./uploaded-file.ts";

const PART_BYTES = 4 * 1024 * 1024;

export interface Asset {
  urn: string;
  owner: string;
  /** The hash of the cover of a video; null until it comes, absent if the upload was not to have one. */
  cover?: string | null;
  /** Images have one. */
  parts: { size: number | null; etag: string }[];
  file: UploadedFile;
  finalized: boolean;
  readyAt: number;
  reads: number;
  failed: boolean;
}

export function createAssets(context: NetworkContext, isKnownToken: (token: string) => boolean) {
  const assets = context.map<Asset>("assets");

  function initialize(account: NetworkAccount, request: NetworkRequest, params: PathParams): NetworkResponse {
    const kind = params.kind?.slice(0, -1) ?? "";
    const input = readJsonObject(request).initializeUploadRequest as Record<string, unknown> | undefined;
    const owner = String(input?.owner);
    if (!canActAs(account, owner)) return errorResponse("ACCESS_DENIED");
    const size = Number(input?.fileSizeBytes);
    if (kind === "video" && !(Number.isInteger(size) && size > 0)) return errorResponse("MISSING_REQUIRED_FIELD");
    const urn = `urn:li:${kind}:${context.nextId("D4E05AQ")}`;
    const count = kind === "video" ? Math.ceil(size / PART_BYTES) : 1;
    const parts = Array.from({ length: count }, (_, at) => ({
      size: kind === "video" ? Math.min(PART_BYTES, size - at * PART_BYTES) : null,
      etag: context.nextId("/ambry-video/signedId/"),
    }));
    const cover = kind === "video" && input?.uploadThumbnail === true ? { cover: null } : {};
    assets.set(urn, {
      urn,
      owner,
      parts,
      file: startFile(),
      finalized: false,
      readyAt: 0,
      reads: 0,
      failed: false,
      ...cover,
    });
    const uploadUrl = (at: number | string) =>
      `${request.baseUrl}/dms-uploads/${encodeURIComponent(urn)}/${at}?sau=1&t=uploaded`;
    const expires = context.now() + HOUR_MS;
    if (kind !== "video") {
      return { status: 200, body: { value: { uploadUrlExpiresAt: expires, uploadUrl: uploadUrl(0), [kind]: urn } } };
    }
    // In reverse, because the API does not guarantee an order.
    const uploadInstructions = parts
      .map((part, at) => ({
        uploadUrl: uploadUrl(at),
        firstByte: at * PART_BYTES,
        lastByte: at * PART_BYTES + (part.size ?? 0) - 1,
      }))
      .toReversed();
    const value = {
      ...{ uploadUrlsExpireAt: expires, video: urn, uploadInstructions, uploadToken: `token-${urn.length}` },
      ...("cover" in cover ? { thumbnailUploadUrl: uploadUrl("thumbnail") } : {}),
    };
    return { status: 200, body: { value } };
  }

  function upload(request: NetworkRequest, { id = "", at = "" }: PathParams): NetworkResponse {
    const asset = assets.get(id);
    if (asset && at === "thumbnail") return uploadCover(asset, request);
    const part = asset?.parts[Number(at)];
    if (!asset || !part) return { status: 404 };
    const isVideo = asset.urn.startsWith("urn:li:video:");
    if (!isVideo && !isKnownToken(readBearerToken(request) ?? "")) return { status: 401 };
    if (request.body.length === 0 || (part.size !== null && part.size !== request.body.length)) return { status: 400 };
    // An image that is sent again replaces the first one.
    if (!isVideo) asset.file = startFile();
    addPiece(asset.file, Number(at), request.body);
    if (isVideo) return { status: 200, headers: { etag: part.etag } };
    asset.failed = asset.urn.startsWith("urn:li:document:") && !isPdf(request.body);
    finish(asset);
    return { status: 201 };
  }

  function uploadCover(asset: Asset, request: NetworkRequest): NetworkResponse {
    const isImage = request.headers.get("media-type-family") === "STILLIMAGE" && request.body.length > 0;
    if (asset.cover === undefined || !isImage) return { status: 400 };
    if (!isKnownToken(readBearerToken(request) ?? "")) return { status: 401 };
    asset.cover = createHash("sha256").update(request.body).digest("hex");
    return { status: 201 };
  }

  function finish(asset: Asset) {
    asset.finalized = true;
    asset.readyAt = context.now() + context.timing.processingMs;
  }

  function finalize(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const input = readJsonObject(request).finalizeUploadRequest as Record<string, unknown> | undefined;
    const asset = assets.get(String(input?.video));
    if (!asset || !canActAs(account, asset.owner)) return errorResponse("ACCESS_DENIED");
    const ids = Array.isArray(input?.uploadedPartIds) ? input.uploadedPartIds : [];
    const inOrder = ids.length === asset.parts.length && asset.parts.every(({ etag }, at) => etag === ids[at]);
    const complete = inOrder && asset.cover !== null && asset.file.next === asset.parts.length;
    if (!complete || input?.uploadToken !== `token-${asset.urn.length}`)
      return errorResponse("INVALID_VALUE_FOR_FIELD");
    finish(asset);
    return { status: 200 };
  }

  /** `w_member_social` only writes; videos are the exception, see `pollAsset` of the driver. */
  function isReadable({ owner, urn }: Asset): boolean {
    return !owner.startsWith("urn:li:person:") || urn.startsWith("urn:li:video:");
  }

  function getStatus(asset: Asset): string {
    if (asset.failed) return "PROCESSING_FAILED";
    if (!asset.finalized) return "WAITING_UPLOAD";
    if (context.now() < asset.readyAt) return "PROCESSING";
    return asset.reads > context.timing.processingPolls || !isReadable(asset) ? "AVAILABLE" : "PROCESSING";
  }

  function getAsset(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const asset = assets.get(id);
    if (!asset) return errorResponse("NOT_FOUND");
    if (!canActAs(account, asset.owner)) return errorResponse("ACCESS_DENIED");
    if (asset.finalized && context.now() >= asset.readyAt) asset.reads += 1;
    return { status: 200, body: { id: asset.urn, owner: asset.owner, status: getStatus(asset) } };
  }

  function describeFile(urn: string): { sha256: string; bytes: number } {
    const file = assets.get(urn)?.file ?? startFile();
    return { sha256: digestFile(file), bytes: file.bytes };
  }

  /** The hash of the cover of a video; null without one. */
  function describeCover(urn: string): string | null {
    return assets.get(urn)?.cover ?? null;
  }

  /** Returns the error when a post of this author cannot use the asset. */
  function findUseError(urn: string, author: string): NetworkResponse | null {
    const asset = assets.get(urn);
    if (asset?.owner !== author) return errorResponse("INVALID_VALUE_FOR_FIELD");
    if (asset.failed) return errorResponse("MEDIA_ASSET_PROCESSING_FAILED");
    return getStatus(asset) === "AVAILABLE" ? null : errorResponse("MEDIA_ASSET_WAITING_UPLOAD");
  }

  /** Fails the processing of an asset; null when it does not exist. */
  function fail(urn: string): NetworkResponse | null {
    const asset = assets.get(urn);
    if (!asset) return null;
    asset.failed = true;
    return { status: 200, body: { id: asset.urn, owner: asset.owner, status: getStatus(asset) } };
  }

  return { initialize, upload, finalize, get: getAsset, describeFile, describeCover, findUseError, fail };
}
