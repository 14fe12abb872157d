// Simulates Pinterest's API v5: boards, pins, video uploads by form POST to storage, tokens.

import { createHash } from "node:crypto";
import type { NetworkContext } from "./context.ts";
import { createSignedIn, type PathParams, routeCalls } from "./endpoints.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readJsonObject,
  removePublished,
  type SimulatedNetwork,
} from "./network.ts";
import { findBoardError, findSectionError, readBoard, sendBoards, sendPage, sendSections } from "./pinterest-boards.ts";
import { codeError, errorResponse } from "./pinterest-errors.ts";
import { createTokenStore } from "./token-store.ts";

const PIN_KEYS = [
  "board_id",
  "board_section_id",
  "title",
  "description",
  "link",
  "alt_text",
  "media_source",
  "dominant_color",
];
const MAX_IMAGE_BYTES = 20_000_000;

interface Video {
  id: string;
  account: string;
  parameters: Record<string, string>;
  file: { sha256: string; bytes: number; type: string } | null;
  readyAt: number;
  reads: number;
  failed: boolean;
}

export function simulatePinterest(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const videos = context.map<Video>("videos");
  const published = context.list<PublishedItem>("published");
  const signedIn = createSignedIn((request) => tokens.authorize(request) ?? codeError("2"));

  function createMedia(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    if (readJsonObject(request).media_type !== "video") return errorResponse(400, 1, "Invalid media_type.");
    const id = context.nextId("5042");
    const parameters = {
      "x-amz-date": "20261101T000000Z",
      "x-amz-signature": context.nextId("sig"),
      "x-amz-security-token": context.nextId("tok"),
      "x-amz-algorithm": "AWS4-HMAC-SHA256",
      key: `uploads/${id}`,
      policy: Buffer.from(id).toString("base64"),
      "x-amz-credential": "AKIA/20261101/us-east-1/s3/aws4_request",
      "Content-Type": "multipart/form-data",
    };
    videos.set(id, { id, account: account.externalId, parameters, file: null, readyAt: 0, reads: 0, failed: false });
    const body = {
      media_id: id,
      media_type: "video",
      upload_url: `${request.baseUrl}/s3/`,
      upload_parameters: parameters,
    };
    return { status: 201, body };
  }

  /** The storage uses signed form fields instead of tokens and accepts one file. */
  async function upload(request: NetworkRequest): Promise<NetworkResponse> {
    if (Number(request.headers.get("content-length") ?? Number.NaN) !== request.body.length) return { status: 411 };
    if (request.headers.has("authorization")) return { status: 400 };
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    const form = await new Response(new Uint8Array(request.body), { headers }).formData().catch(() => null);
    const video = [...videos.values()].find((candidate) => candidate.parameters.key === form?.get("key"));
    const entries = form ? [...form] : [];
    const file = entries.at(-1)?.[1];
    if (!video || entries.at(-1)?.[0] !== "file" || !(file instanceof Blob)) return { status: 400 };
    const isSigned = Object.entries(video.parameters).every(([name, value]) => form?.get(name) === value);
    if (!isSigned || entries.length !== Object.keys(video.parameters).length + 1) return { status: 403 };
    const bytes = Buffer.from(await file.arrayBuffer());
    video.file = { sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length, type: file.type };
    video.readyAt = context.now() + context.timing.processingMs;
    return { status: 204 };
  }

  function getState(video: Video): string {
    if (video.failed) return "failed";
    if (!video.file) return "registered";
    if (context.now() < video.readyAt || video.reads <= context.timing.processingPolls) return "processing";
    return ["video/mp4", "video/quicktime", "video/x-m4v"].includes(video.file.type) ? "succeeded" : "failed";
  }

  function readMedia(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const video = videos.get(id);
    if (video?.account !== account.externalId) return errorResponse(404, 4182, "Media not found.");
    video.reads += 1;
    return { status: 200, body: { media_id: id, media_type: "video", status: getState(video) } };
  }

  function failProcessing(request: NetworkRequest): NetworkResponse | null {
    const video = videos.get(request.path.split("/")[3] ?? "");
    if (!video) return null;
    video.failed = true;
    return { status: 200, body: { media_id: video.id, media_type: "video", status: "failed" } };
  }

  async function createPin(account: NetworkAccount, request: NetworkRequest): Promise<NetworkResponse> {
    const body = readJsonObject(request);
    const text = (name: string) => (typeof body[name] === "string" ? body[name] : "");
    const unknown = Object.keys(body).filter((key) => !PIN_KEYS.includes(key));
    if (unknown.length > 0) return errorResponse(400, 1, `Invalid request: '${unknown}' was unexpected`);
    if (text("title").length > 100 || text("description").length > 800 || text("link").length > 2_048) {
      return errorResponse(400, 1, "Invalid request: a field is too long");
    }
    const error =
      findBoardError(account, text("board_id")) ??
      findSectionError(account, text("board_id"), text("board_section_id"));
    if (error) return error;
    const source = (body.media_source ?? {}) as Record<string, unknown>;
    if (text("alt_text").length > 500) return errorResponse(400, 1, "Invalid request: alt_text is too long");
    const media = await resolveMedia(account, source);
    if (!Array.isArray(media)) return media;
    const [shown] = media;
    if (shown && text("alt_text")) media[0] = { ...shown, alt_text: text("alt_text") };
    const id = context.nextId("8136");
    const chosen = source.cover_image_url ?? source.cover_image_key_frame_time ?? (source.index || undefined);
    const cover = chosen === undefined ? {} : { cover: chosen };
    const item: PublishedItem = {
      id,
      account: account.externalId,
      kind: String(source.source_type),
      caption: text("description"),
      ...(text("title") ? { title: text("title") } : {}),
      media,
      settings: {
        board_id: text("board_id"),
        ...(text("board_section_id") ? { board_section_id: text("board_section_id") } : {}),
        ...(text("link") ? { link: text("link") } : {}),
        ...cover,
      },
      at: new Date(context.now()).toISOString(),
      url: `https://www.pinterest.com/pin/${id}/`,
    };
    published.push(item);
    return { status: 201, body: toPinBody(item) };
  }

  function updatePin(account: NetworkAccount, request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const item = published.find((pin) => pin.id === id && pin.account === account.externalId);
    if (!item) return errorResponse(404, 50, "Pin not found.");
    const { title, description } = readJsonObject(request);
    if (String(title ?? "").length > 100 || String(description ?? "").length > 800)
      return errorResponse(400, 1, "Invalid request: a field is too long");
    if (typeof title === "string") item.title = title;
    if (typeof description === "string") item.caption = description;
    return { status: 200, body: toPinBody(item) };
  }

  async function resolveMedia(
    account: NetworkAccount,
    source: Record<string, unknown>,
  ): Promise<PublishedItem["media"] | NetworkResponse> {
    if (source.source_type === "video_id") {
      const video = videos.get(String(source.media_id));
      const hasCover = typeof source.cover_image_key_frame_time === "number" || Boolean(source.cover_image_url);
      if (!hasCover) return errorResponse(400, 1, "Invalid request: a cover image is required for video Pins");
      const ready = video?.account === account.externalId && getState(video) === "succeeded" && video.file;
      return ready ? [ready] : errorResponse(400, 4183, "The video is not ready.");
    }
    const items = (source.items ?? []) as { url: string }[];
    const isCarousel = source.source_type === "multiple_image_urls";
    const index = Number(source.index ?? 0);
    if (isCarousel && !(index >= 0 && index < items.length)) return errorResponse(400, 1, "Invalid request: index");
    if (isCarousel ? items.length < 2 || items.length > 5 : source.source_type !== "image_url") {
      return errorResponse(400, 1, "Invalid request: media_source is malformed");
    }
    const urls = isCarousel ? items.map(({ url }) => url) : [String(source.url)];
    const files = await Promise.all(urls.map(async (url) => ({ url, ...(await context.fetchMedia(url, "image")) })));
    const areValid = files.every(
      (file) => file.ok && /^image\/(jpeg|png)$/.test(file.type) && file.bytes <= MAX_IMAGE_BYTES,
    );
    return areValid ? files.map(({ url, type, bytes }) => ({ url, type, bytes })) : codeError("235");
  }

  function toPinBody(item: PublishedItem) {
    return {
      id: item.id,
      board_id: item.settings.board_id,
      title: item.title ?? null,
      description: item.caption,
      link: item.settings.link ?? null,
      // The real API omits the time zone.
      created_at: item.at.replace(/\.\d{3}Z$/, ""),
      media: { media_type: item.kind === "video_id" ? "video" : "image" },
    };
  }

  function deletePin(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    return removePublished(published, account, id) ? { status: 204 } : errorResponse(404, 50, "Pin not found.");
  }

  function listPins(account: NetworkAccount, request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    // The description promises no order: the oldest come first, so that a driver that expects the newest fails.
    const pins = published.filter((item) => item.settings.board_id === id);
    return findBoardError(account, id) ?? sendPage(pins.map(toPinBody), request);
  }

  function exchangeRefreshToken(request: NetworkRequest): NetworkResponse {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const basic = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const oldToken = form.get("refresh_token") ?? "";
    const account = tokens.findByRefreshToken(oldToken);
    if (!/^[^:]+:.+$/.test(Buffer.from(basic, "base64").toString("utf8"))) return codeError("2");
    if (!account || form.get("grant_type") !== "refresh_token") return errorResponse(400, 1, "Invalid refresh token.");
    const keepsToken = account.facts?.keepsRefreshToken === true;
    const issued = {
      accessToken: context.nextId("pina_"),
      refreshToken: keepsToken ? oldToken : context.nextId("pinr."),
    };
    tokens.revokeRefreshToken(oldToken);
    tokens.register({ ...account, ...issued, expired: false });
    const next = keepsToken ? {} : { refresh_token: issued.refreshToken, refresh_token_expires_in: 5_184_000 };
    const scope = "boards:read pins:read pins:write";
    return {
      status: 200,
      body: { access_token: issued.accessToken, token_type: "bearer", expires_in: 2_592_000, scope, ...next },
    };
  }

  return {
    platform: "pinterest",
    ...routeCalls({
      "boards/list": { route: "GET /v5/boards", answer: signedIn(sendBoards) },
      "boards/get": { route: "GET /v5/boards/:id", answer: signedIn(readBoard) },
      "boards/sections": { route: "GET /v5/boards/:id/sections", answer: signedIn(sendSections) },
      "boards/pins": { route: "GET /v5/boards/:id/pins", answer: signedIn(listPins) },
      "media/create": { route: "POST /v5/media", answer: signedIn(createMedia) },
      "media/upload": { route: "POST /s3/", answer: upload },
      "media/get": { route: "GET /v5/media/:id", answer: signedIn(readMedia) },
      "pins/create": { route: "POST /v5/pins", answer: signedIn(createPin) },
      "pins/update": { route: "PATCH /v5/pins/:id", answer: signedIn(updatePin) },
      "pins/delete": { route: "DELETE /v5/pins/:id", answer: signedIn(deletePin) },
      "oauth/token": { route: "POST /v5/oauth/token", answer: exchangeRefreshToken },
    }),
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    findAccount: tokens.findAccount,
    findCallForCode: (code) => (code === "video_failed" ? "media/get" : null),

    failProcessing,

    buildScriptedError(kind, code, request) {
      if (kind === "429") {
        const headers = { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "90" };
        return { ...errorResponse(429, 8, "You have exceeded your rate limit. Try again later."), headers };
      }
      if (kind === "500") return errorResponse(500, 12, "Something went wrong on our end. Sorry about that.");
      return (code === "video_failed" ? failProcessing(request) : null) ?? codeError(code ?? "1");
    },
  };
}
