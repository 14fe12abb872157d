// LinkedIn's uploads for the stand-in: images and documents in one piece, videos in parts with tags.
import { createHash } from "node:crypto";
import { fault, isPdf, lastOf, mayActAs } from "./linkedin-wire.ts";
import { type Answer, bearerOf, type Incoming, jsonOf, type NetworkAccount, nextId, type Pace } from "./network.ts";

const PART = 4 * 1024 * 1024;

export interface Asset {
  urn: string;
  owner: string;
  /** What arrived of each part; images have one. */
  parts: { size: number | null; body: Buffer | null; etag: string }[];
  finalized: boolean;
  readyAt: number;
  reads: number;
  failed: boolean;
}

export function createAssets(pace: Pace, knows: (token: string) => boolean) {
  const assets = new Map<string, Asset>();

  function initialize(account: NetworkAccount, request: Incoming): Answer {
    const kind = request.path.split("/")[2]?.slice(0, -1) ?? "";
    const asked = jsonOf(request).initializeUploadRequest as Record<string, unknown> | undefined;
    const owner = String(asked?.owner);
    if (!mayActAs(account, owner)) return fault("ACCESS_DENIED");
    const size = Number(asked?.fileSizeBytes);
    if (kind === "video" && !(Number.isInteger(size) && size > 0)) return fault("MISSING_REQUIRED_FIELD");
    const urn = `urn:li:${kind}:${nextId("D4E05AQ")}`;
    const count = kind === "video" ? Math.ceil(size / PART) : 1;
    const parts = Array.from({ length: count }, (_, at) => ({
      size: kind === "video" ? Math.min(PART, size - at * PART) : null,
      body: null,
      etag: nextId("/ambry-video/signedId/"),
    }));
    assets.set(urn, { urn, owner, parts, finalized: false, readyAt: 0, reads: 0, failed: false });
    const uploadUrl = (at: number) => `${request.self}/dms-uploads/${encodeURIComponent(urn)}/${at}?sau=1&t=uploaded`;
    const expires = Date.now() + 3_600_000;
    if (kind !== "video") {
      return { status: 200, body: { value: { uploadUrlExpiresAt: expires, uploadUrl: uploadUrl(0), [kind]: urn } } };
    }
    // Not in order, as nothing promises it.
    const uploadInstructions = parts
      .map((part, at) => ({
        uploadUrl: uploadUrl(at),
        firstByte: at * PART,
        lastByte: at * PART + (part.size ?? 0) - 1,
      }))
      .toReversed();
    const value = { uploadUrlsExpireAt: expires, video: urn, uploadInstructions, uploadToken: `token-${urn.length}` };
    return { status: 200, body: { value } };
  }

  function upload(request: Incoming): Answer {
    const [, , name = "", at = ""] = request.path.split("/");
    const asset = assets.get(decodeURIComponent(name));
    const part = asset?.parts[Number(at)];
    if (!asset || !part) return { status: 404 };
    const isVideo = asset.urn.startsWith("urn:li:video:");
    if (!isVideo && !knows(bearerOf(request) ?? "")) return { status: 401 };
    if (request.body.length === 0 || (part.size !== null && part.size !== request.body.length)) return { status: 400 };
    part.body = request.body;
    if (isVideo) return { status: 200, headers: { etag: part.etag } };
    asset.failed = asset.urn.startsWith("urn:li:document:") && !isPdf(request.body);
    finish(asset);
    return { status: 201 };
  }

  function finish(asset: Asset) {
    asset.finalized = true;
    asset.readyAt = Date.now() + pace.processingMs;
  }

  function finalize(account: NetworkAccount, request: Incoming): Answer {
    const asked = jsonOf(request).finalizeUploadRequest as Record<string, unknown> | undefined;
    const asset = assets.get(String(asked?.video));
    if (!asset || !mayActAs(account, asset.owner)) return fault("ACCESS_DENIED");
    const ids = Array.isArray(asked?.uploadedPartIds) ? asked.uploadedPartIds : [];
    const inOrder = ids.length === asset.parts.length && asset.parts.every(({ etag }, at) => etag === ids[at]);
    const complete = inOrder && asset.parts.every(({ body }) => body !== null);
    if (!complete || asked?.uploadToken !== `token-${asset.urn.length}`) return fault("INVALID_VALUE_FOR_FIELD");
    finish(asset);
    return { status: 200 };
  }

  function assetStatus(asset: Asset): string {
    if (asset.failed) return "PROCESSING_FAILED";
    if (!asset.finalized) return "WAITING_UPLOAD";
    if (Date.now() < asset.readyAt) return "PROCESSING";
    return asset.reads > pace.processingPolls ? "AVAILABLE" : "PROCESSING";
  }

  function getAsset(account: NetworkAccount, request: Incoming): Answer {
    const asset = assets.get(lastOf(request));
    if (!asset) return fault("NOT_FOUND");
    if (!mayActAs(account, asset.owner)) return fault("ACCESS_DENIED");
    if (asset.finalized && Date.now() >= asset.readyAt) asset.reads += 1;
    return { status: 200, body: { id: asset.urn, owner: asset.owner, status: assetStatus(asset) } };
  }

  function factsOf(urn: string): { sha256: string; bytes: number } {
    const bytes = Buffer.concat((assets.get(urn)?.parts ?? []).map((part) => part.body ?? Buffer.alloc(0)));
    return { sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length };
  }

  /** Why a post of this author can not hold the asset. */
  function faultOf(urn: string, author: string): Answer | null {
    const asset = assets.get(urn);
    if (asset?.owner !== author) return fault("INVALID_VALUE_FOR_FIELD");
    if (asset.failed) return fault("MEDIA_ASSET_PROCESSING_FAILED");
    return assetStatus(asset) === "AVAILABLE" ? null : fault("MEDIA_ASSET_WAITING_UPLOAD");
  }

  /** Lets an asset end badly; null when there is none of this name. */
  function fail(urn: string): Answer | null {
    const asset = assets.get(urn);
    if (!asset) return null;
    asset.failed = true;
    return { status: 200, body: { id: asset.urn, owner: asset.owner, status: assetStatus(asset) } };
  }

  return { initialize, upload, finalize, get: getAsset, factsOf, faultOf, fail };
}
