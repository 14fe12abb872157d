// A stand-in for Pinterest's API v5: boards, pins, videos by way of a storage that takes forms, tokens.
import { createHash } from "node:crypto";
import {
  type Answer,
  bearerOf,
  fetchMedia,
  type Incoming,
  jsonOf,
  type Network,
  type NetworkAccount,
  nextId,
  type Pace,
  type PublishedItem,
} from "./network.ts";
import { createTokens } from "./tokens.ts";

const CALLS = [
  "boards/get",
  "boards/pins",
  "media/create",
  "media/upload",
  "media/get",
  "pins/create",
  "oauth/token",
] as const;

/** The board of an account that names none of its own. */
export const BOARD = "549755885175";

const PIN_KEYS = ["board_id", "title", "description", "link", "alt_text", "media_source", "dominant_color"];
const MAX_IMAGE = 20_000_000;

interface Video {
  id: string;
  account: string;
  parameters: Record<string, string>;
  file: { sha256: string; bytes: number; type: string } | null;
  readyAt: number;
  reads: number;
  failed: boolean;
}

export function pinterestStandIn(pace: Pace): Network {
  const tokens = createTokens();
  const videos = new Map<string, Video>();
  const boardOf = new WeakMap<PublishedItem, string>();
  const published: PublishedItem[] = [];

  function boardFault(account: NetworkAccount, board: string): Answer | null {
    const own = (account.facts?.boards as string[] | undefined) ?? [BOARD];
    if (own.includes(board)) return null;
    const foreign = ((account.facts?.foreignBoards as string[] | undefined) ?? []).includes(board);
    return foreign ? refusalOf("29") : refusalOf("40");
  }

  function createMedia(account: NetworkAccount, request: Incoming): Answer {
    if (jsonOf(request).media_type !== "video") return fault(400, 1, "Invalid media_type.");
    const id = nextId("5042");
    const parameters = {
      "x-amz-date": "20261101T000000Z",
      "x-amz-signature": nextId("sig"),
      "x-amz-security-token": nextId("tok"),
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
      upload_url: `${request.self}/s3/`,
      upload_parameters: parameters,
    };
    return { status: 201, body };
  }

  /** The storage knows no tokens: whoever has the signed fields may post one file. */
  async function upload(request: Incoming): Promise<Answer> {
    if (Number(request.headers.get("content-length") ?? Number.NaN) !== request.body.length) return { status: 411 };
    if (request.headers.has("authorization")) return { status: 400 };
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    const form = await new Response(new Uint8Array(request.body), { headers }).formData().catch(() => null);
    const video = [...videos.values()].find((one) => one.parameters.key === form?.get("key"));
    const entries = form ? [...form] : [];
    const file = entries.at(-1)?.[1];
    if (!video || entries.at(-1)?.[0] !== "file" || !(file instanceof Blob)) return { status: 400 };
    const signed = Object.entries(video.parameters).every(([name, value]) => form?.get(name) === value);
    if (!signed || entries.length !== Object.keys(video.parameters).length + 1) return { status: 403 };
    const bytes = Buffer.from(await file.arrayBuffer());
    video.file = { sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length, type: file.type };
    video.readyAt = Date.now() + pace.processingMs;
    return { status: 204 };
  }

  function stateOf(video: Video): string {
    if (video.failed) return "failed";
    if (!video.file) return "registered";
    if (Date.now() < video.readyAt || video.reads <= pace.processingPolls) return "processing";
    return ["video/mp4", "video/quicktime", "video/x-m4v"].includes(video.file.type) ? "succeeded" : "failed";
  }

  function readMedia(account: NetworkAccount, id: string): Answer {
    const video = videos.get(id);
    if (video?.account !== account.externalId) return fault(404, 4182, "Media not found.");
    video.reads += 1;
    return { status: 200, body: { media_id: id, media_type: "video", status: stateOf(video) } };
  }

  async function createPin(account: NetworkAccount, request: Incoming): Promise<Answer> {
    const body = jsonOf(request);
    const text = (name: string) => (typeof body[name] === "string" ? body[name] : "");
    const unknown = Object.keys(body).filter((key) => !PIN_KEYS.includes(key));
    if (unknown.length > 0) return fault(400, 1, `Invalid request: '${unknown}' was unexpected`);
    if (text("title").length > 100 || text("description").length > 800 || text("link").length > 2_048) {
      return fault(400, 1, "Invalid request: a field is too long");
    }
    const foreign = boardFault(account, text("board_id"));
    if (foreign) return foreign;
    const source = (body.media_source ?? {}) as Record<string, unknown>;
    const media = await mediaOf(account, source);
    if (!Array.isArray(media)) return media;
    const id = nextId("8136");
    const cover = "cover_image_key_frame_time" in source ? { cover: source.cover_image_key_frame_time } : {};
    const item: PublishedItem = {
      id,
      account: account.externalId,
      kind: String(source.source_type),
      caption: text("description"),
      ...(text("title") ? { title: text("title") } : {}),
      media,
      settings: { board_id: text("board_id"), ...(text("link") ? { link: text("link") } : {}), ...cover },
      at: new Date().toISOString(),
      url: `https://www.pinterest.com/pin/${id}/`,
    };
    boardOf.set(item, text("board_id"));
    published.push(item);
    return { status: 201, body: shown(item) };
  }

  async function mediaOf(
    account: NetworkAccount,
    source: Record<string, unknown>,
  ): Promise<PublishedItem["media"] | Answer> {
    if (source.source_type === "video_id") {
      const video = videos.get(String(source.media_id));
      const covered = typeof source.cover_image_key_frame_time === "number" || Boolean(source.cover_image_url);
      if (!covered) return fault(400, 1, "Invalid request: a cover image is required for video Pins");
      const ready = video?.account === account.externalId && stateOf(video) === "succeeded" && video.file;
      return ready ? [ready] : fault(400, 4183, "The video is not ready.");
    }
    const items = (source.items ?? []) as { url: string }[];
    const many = source.source_type === "multiple_image_urls";
    if (many ? items.length < 2 || items.length > 5 : source.source_type !== "image_url") {
      return fault(400, 1, "Invalid request: media_source is malformed");
    }
    const urls = many ? items.map(({ url }) => url) : [String(source.url)];
    const files = await Promise.all(urls.map(async (url) => ({ url, ...(await fetchMedia(url)) })));
    const good = files.every((one) => one.ok && /^image\/(jpeg|png)$/.test(one.type) && one.bytes <= MAX_IMAGE);
    return good ? files.map(({ url, type, bytes }) => ({ url, type, bytes })) : refusalOf("235");
  }

  function shown(item: PublishedItem) {
    return {
      id: item.id,
      board_id: boardOf.get(item),
      title: item.title ?? null,
      description: item.caption,
      link: item.settings.link ?? null,
      // The real API leaves the zone out.
      created_at: item.at.replace(/\.\d{3}Z$/, ""),
      media: { media_type: item.kind === "video_id" ? "video" : "image" },
    };
  }

  function listPins(board: string, request: Incoming): Answer {
    const size = Number(request.query.get("page_size") ?? 25);
    if (!(size >= 1 && size <= 250)) return fault(400, 1, "page_size must be between 1 and 250");
    const from = Number(request.query.get("bookmark") ?? 0);
    const pins = published.filter((item) => boardOf.get(item) === board).toReversed();
    const bookmark = from + size < pins.length ? String(from + size) : null;
    return { status: 200, body: { items: pins.slice(from, from + size).map(shown), bookmark } };
  }

  function token(request: Incoming): Answer {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const basic = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const old = form.get("refresh_token") ?? "";
    const account = tokens.refreshing(old);
    if (!/^[^:]+:.+$/.test(Buffer.from(basic, "base64").toString("utf8"))) return refusalOf("2");
    if (!account || form.get("grant_type") !== "refresh_token") return fault(400, 1, "Invalid refresh token.");
    const keeps = account.facts?.keepsRefreshToken === true;
    const fresh = { accessToken: nextId("pina_"), refreshToken: keeps ? old : nextId("pinr.") };
    tokens.spend(old);
    tokens.register({ ...account, ...fresh, expired: false });
    const next = keeps ? {} : { refresh_token: fresh.refreshToken, refresh_token_expires_in: 5_184_000 };
    const scope = "boards:read pins:read pins:write";
    return {
      status: 200,
      body: { access_token: fresh.accessToken, token_type: "bearer", expires_in: 2_592_000, scope, ...next },
    };
  }

  return {
    platform: "pinterest",
    calls: CALLS,
    published,
    register: tokens.register,
    accountOf: tokens.accountOf,
    callOfCode: (code) => (code === "video_failed" ? "media/get" : null),

    callOf({ method, path }) {
      if (method === "POST") {
        const doors: Record<string, string> = {
          "/v5/oauth/token": "oauth/token",
          "/v5/media": "media/create",
          "/v5/pins": "pins/create",
          "/s3/": "media/upload",
        };
        return doors[path] ?? null;
      }
      if (method !== "GET") return null;
      if (/^\/v5\/media\/\w+$/.test(path)) return "media/get";
      if (/^\/v5\/boards\/\w+\/pins$/.test(path)) return "boards/pins";
      return /^\/v5\/boards\/\w+$/.test(path) ? "boards/get" : null;
    },

    async answer(call, request) {
      if (call === "media/upload") return upload(request);
      if (call === "oauth/token") return token(request);
      const account = tokens.holder(bearerOf(request));
      if (!account || account.expired) return refusalOf("2");
      if (call === "media/create") return createMedia(account, request);
      if (call === "pins/create") return createPin(account, request);
      const id = request.path.split("/")[3] ?? "";
      if (call === "media/get") return readMedia(account, id);
      const foreign = boardFault(account, id);
      if (foreign) return foreign;
      return call === "boards/pins" ? listPins(id, request) : { status: 200, body: { id, name: "Board" } };
    },

    refusal(kind, code, request) {
      if (kind === "429") {
        const headers = { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "90" };
        return { ...fault(429, 8, "You have exceeded your rate limit. Try again later."), headers };
      }
      if (kind === "500") return fault(500, 12, "Something went wrong on our end. Sorry about that.");
      const video = videos.get(request.path.split("/")[3] ?? "");
      if (video && code === "video_failed") {
        video.failed = true;
        return { status: 200, body: { media_id: video.id, media_type: "video", status: "failed" } };
      }
      return refusalOf(code ?? "1");
    },
  };
}

const REFUSALS: Record<string, readonly [number, string]> = {
  1: [400, "Invalid request: scripted refusal"],
  2: [401, "Authentication failed."],
  3: [403, "Authorization failed."],
  29: [403, "You are not permitted to access that resource."],
  40: [404, "Board not found."],
  235: [400, "Sorry! We could not fetch the image."],
  2786: [400, "Sorry! We blocked this link because it may lead to spam."],
  9001: [403, "Your account has been suspended."],
  9002: [403, "No."],
};

function refusalOf(code: string): Answer {
  const [status, message] = REFUSALS[code] ?? [400, "Invalid request: scripted refusal"];
  return fault(status, Number(code) || 1, message);
}

function fault(status: number, code: number, message: string): Answer {
  return { status, body: { code, message } };
}
