// A stand-in for YouTube's Data API v3: resumable uploads, processing, thumbnails, quotas, tokens.
import { createHash, type Hash, randomBytes } from "node:crypto";
import {
  type Answer,
  type Incoming,
  jsonOf,
  type Network,
  type NetworkAccount,
  nextId,
  type Pace,
  type PublishedItem,
  type ScriptedRefusal,
} from "./network.ts";
import { createTokens } from "./tokens.ts";
import { youtubeReading } from "./youtube-read.ts";

const CALLS = [
  "videos.insert",
  "upload",
  "upload.probe",
  "videos.list",
  "thumbnails.set",
  "channels.list",
  "playlistItems.list",
  "token",
] as const;
const FAILURES = ["codec", "conversion", "emptyFile", "invalidFile", "tooSmall", "uploadAborted"];
const REJECTIONS = [
  "claim",
  "copyright",
  "duplicate",
  "inappropriate",
  "legal",
  "length",
  "termsOfUse",
  "trademark",
  "uploaderAccountClosed",
  "uploaderAccountSuspended",
];
const CATEGORIES = [1, 2, 10, 15, 17, 19, 20, 22, 23, 24, 25, 26, 27, 28, 29].map(String);
const GRANULE = 256 * 1024;
const MAX_BYTES = 256_000_000_000;
const MAX_THUMBNAIL = 2 * 1024 * 1024;

interface Upload {
  id: string;
  account: NetworkAccount;
  snippet: Record<string, unknown>;
  status: Record<string, unknown>;
  size: number;
  type: string;
  bytes: number;
  hash: Hash;
  video: Video | null;
}

interface Video {
  id: string;
  upload: Upload;
  doneAt: number;
  reads: number;
  /** A failure or rejection, as `videos.list` tells it. */
  ended: Record<string, string> | null;
  item: PublishedItem;
}

export function youtubeStandIn(pace: Pace): Network {
  const tokens = createTokens();
  const uploads = new Map<string, Upload>();
  const videos = new Map<string, Video>();
  const published: PublishedItem[] = [];
  const reading = youtubeReading(
    () => new Map([...tokens.all()].map((one) => [one.externalId, one])).values(),
    published,
    fault,
  );

  function insert(account: NetworkAccount, request: Incoming): Answer {
    const size = Number(request.headers.get("x-upload-content-length") ?? Number.NaN);
    const type = request.headers.get("x-upload-content-type") ?? "";
    const shape = request.query.get("uploadType") === "resumable" && request.query.get("part") === "snippet,status";
    if (!shape || !(size > 0 && size <= MAX_BYTES) || !/^(video\/|application\/octet-stream)/.test(type)) {
      return fault("badRequest");
    }
    const used = published.filter((item) => item.account === account.externalId).length;
    if (account.facts?.noChannel === true) return fault("youtubeSignupRequired");
    if (published.length >= Number(account.facts?.projectInsertsPerDay ?? 1e9)) return fault("quotaExceeded");
    if (used >= Number(account.facts?.uploadsPerDay ?? 1e9)) return fault("uploadLimitExceeded");
    const { snippet, status } = jsonOf(request) as Record<string, Record<string, unknown> | undefined>;
    const wrong = resourceFault(snippet ?? {}, status ?? {});
    if (wrong) return fault(wrong);
    const id = nextId("ADPycd");
    const fresh = { bytes: 0, hash: createHash("sha256"), video: null };
    uploads.set(id, { id, account, snippet: snippet ?? {}, status: status ?? {}, size, type, ...fresh });
    const location = `${request.self}/upload/youtube/v3/videos?uploadType=resumable&part=snippet%2Cstatus&upload_id=${id}`;
    return { status: 200, headers: { location, "x-guploader-uploadid": id } };
  }

  function put(account: NetworkAccount, request: Incoming): Answer {
    const upload = uploads.get(request.query.get("upload_id") ?? "");
    if (!upload || upload.account.externalId !== account.externalId) return fault("notFound");
    if (upload.video) return { status: 200, body: resource(upload.video) };
    const asked = request.headers.get("content-range") ?? "";
    if (asked === `bytes */${upload.size}` && request.body.length === 0) return incomplete(upload);
    const [first = -1, last = -1, total = -1] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(asked)?.slice(1) ?? []).map(Number);
    const isLast = last === upload.size - 1;
    if (total !== upload.size || last >= total || request.body.length !== last - first + 1) return fault("badRequest");
    if (!isLast && request.body.length % GRANULE !== 0) return fault("badRequest");
    if (first !== upload.bytes) return incomplete(upload);
    upload.hash.update(request.body);
    upload.bytes += request.body.length;
    if (!isLast) return incomplete(upload);
    return { status: 201, body: resource(complete(upload)) };
  }

  function incomplete({ bytes }: Upload): Answer {
    return { status: 308, ...(bytes > 0 ? { headers: { range: `bytes=0-${bytes - 1}` } } : {}) };
  }

  function complete(upload: Upload): Video {
    const id = randomBytes(8).toString("base64url");
    const { title, description, ...words } = upload.snippet;
    const item: PublishedItem = {
      id,
      account: upload.account.externalId,
      kind: "video",
      caption: String(description ?? ""),
      title: String(title),
      media: [{ sha256: upload.hash.digest("hex"), bytes: upload.bytes, type: upload.type }],
      settings: { ...words, ...upload.status },
      at: new Date().toISOString(),
      url: `https://www.youtube.com/watch?v=${id}`,
    };
    const video: Video = { id, upload, doneAt: Date.now() + pace.processingMs, reads: 0, ended: null, item };
    upload.video = video;
    videos.set(id, video);
    published.push(item);
    return video;
  }

  function resource(video: Video) {
    const { snippet, status } = video.upload;
    return { kind: "youtube#video", id: video.id, snippet, status: { ...status, ...stateOf(video) } };
  }

  function stateOf(video: Video): Record<string, string> {
    if (video.ended) return video.ended;
    const ready = Date.now() >= video.doneAt && video.reads > pace.processingPolls;
    return { uploadStatus: ready ? "processed" : "uploaded" };
  }

  function list(account: NetworkAccount, request: Incoming): Answer {
    const read = reading.videos(account, request);
    if (read) return read;
    const video = videos.get(request.query.get("id") ?? "");
    const mine = video?.upload.account.externalId === account.externalId;
    if (video && Date.now() >= video.doneAt) video.reads += 1;
    const items = video && mine ? [resource(video)] : [];
    return {
      status: 200,
      body: { kind: "youtube#videoListResponse", items, pageInfo: { totalResults: items.length } },
    };
  }

  function thumbnail(account: NetworkAccount, request: Incoming): Answer {
    const video = videos.get(request.query.get("videoId") ?? "");
    if (video?.upload.account.externalId !== account.externalId) return fault("videoNotFound");
    if (account.facts?.noThumbnails === true) return fault("forbidden");
    if (!/^(image\/(jpeg|png)|application\/octet-stream)$/.test(request.headers.get("content-type") ?? "")) {
      return fault("mediaBodyRequired");
    }
    if (request.body.length === 0) return fault("mediaBodyRequired");
    if (request.body.length > MAX_THUMBNAIL) return fault("invalidImage");
    video.item.settings.thumbnail = createHash("sha256").update(request.body).digest("hex");
    return { status: 200, body: { kind: "youtube#thumbnailSetResponse", items: [{}] } };
  }

  function token(request: Incoming): Answer {
    const form = new URLSearchParams(request.body.toString("utf8"));
    if (!form.get("client_id") || !form.get("client_secret")) return tokenFault(401, "invalid_client");
    if (form.get("grant_type") !== "refresh_token") return tokenFault(400, "unsupported_grant_type");
    const account = tokens.refreshing(form.get("refresh_token"));
    if (!account) return tokenFault(400, "invalid_grant");
    const accessToken = nextId("ya29.");
    // Google's refresh tokens stay as they are, and the answer holds none.
    tokens.register({ ...account, accessToken, expired: false });
    const scope = "https://www.googleapis.com/auth/youtube";
    return { status: 200, body: { access_token: accessToken, expires_in: 3599, scope, token_type: "Bearer" } };
  }

  return {
    platform: "youtube",
    calls: CALLS,
    published,
    register: tokens.register,
    accountOf: tokens.accountOf,
    callOfCode: (code) => ([...FAILURES, ...REJECTIONS].includes(code) ? "videos.list" : null),

    callOf({ method, path, query, headers }) {
      if (method === "POST" && path === "/token") return "token";
      const [, listed] = /^\/youtube\/v3\/(videos|channels|playlistItems)$/.exec(path) ?? [];
      if (method === "GET" && listed) return `${listed}.list`;
      if (method === "POST" && path === "/upload/youtube/v3/thumbnails/set") return "thumbnails.set";
      if (path !== "/upload/youtube/v3/videos") return null;
      if (method === "POST") return "videos.insert";
      if (method !== "PUT" || !query.has("upload_id")) return null;
      return headers.get("content-range")?.startsWith("bytes */") ? "upload.probe" : "upload";
    },

    async answer(call, request) {
      if (call === "token") return token(request);
      const account = tokens.authorized(request);
      if (!account) return fault("authError");
      if (call === "videos.insert") return insert(account, request);
      if (call === "videos.list") return list(account, request);
      if (call === "channels.list") return reading.channels(account, request);
      if (call === "playlistItems.list") return reading.playlistItems(account, request);
      return call === "thumbnails.set" ? thumbnail(account, request) : put(account, request);
    },

    refusal(kind: ScriptedRefusal, code, request) {
      if (kind === "429") return fault("rateLimitExceeded", 429);
      if (kind === "500") return fault("backendError", 500);
      if (request.path === "/token") return tokenFault(code === "invalid_client" ? 401 : 400, code ?? "invalid_grant");
      const reason = code ?? "invalidVideoMetadata";
      const video = videos.get(request.query.get("id") ?? "");
      const failed = FAILURES.includes(reason);
      if (!video || !(failed || REJECTIONS.includes(reason))) return fault(reason);
      video.ended = failed
        ? { uploadStatus: "failed", failureReason: reason }
        : { uploadStatus: "rejected", rejectionReason: reason };
      const at = published.indexOf(video.item);
      if (at >= 0) published.splice(at, 1);
      return { status: 200, body: { kind: "youtube#videoListResponse", items: [resource(video)] } };
    },
  };
}

function resourceFault(snippet: Record<string, unknown>, status: Record<string, unknown>): string | null {
  const { title, description, tags, categoryId } = snippet;
  if (typeof title !== "string" || title.trim() === "" || title.length > 100 || /[<>]/.test(title)) {
    return "invalidTitle";
  }
  const words = String(description ?? "");
  if (Buffer.byteLength(words) > 5_000 || /[<>]/.test(words)) return "invalidDescription";
  const list = Array.isArray(tags) ? tags.map(String) : [];
  // Counted as one comma-separated string, in which a tag with a space stands in quotes.
  const joined = list.map((tag) => (/\s/.test(tag) ? `"${tag}"` : tag)).join(",");
  if (joined.length > 500 || /[<>]/.test(joined)) return "invalidTags";
  if (categoryId !== undefined && !CATEGORIES.includes(String(categoryId))) return "invalidCategoryId";
  const known = ["public", "private", "unlisted"].includes(String(status.privacyStatus));
  return known && typeof status.selfDeclaredMadeForKids === "boolean" ? null : "invalidVideoMetadata";
}

const STATUS_OF: Record<string, number> = {
  authError: 401,
  authorizationRequired: 401,
  youtubeSignupRequired: 401,
  quotaExceeded: 403,
  dailyLimitExceeded: 403,
  rateLimitExceeded: 403,
  userRateLimitExceeded: 403,
  channelSuspended: 403,
  channelClosed: 403,
  authenticatedUserAccountSuspended: 403,
  authenticatedUserAccountClosed: 403,
  forbidden: 403,
  insufficientPermissions: 403,
  notFound: 404,
  playlistNotFound: 404,
  videoNotFound: 404,
  backendError: 503,
  internalError: 500,
};

function fault(reason: string, status?: number): Answer {
  const code = status ?? STATUS_OF[reason] ?? 400;
  const domain = /quota|limit/i.test(reason) ? "usageLimits" : code === 401 ? "global" : "youtube.video";
  const message = reason.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { status: code, body: { error: { code, message, errors: [{ message, domain, reason }] } } };
}

function tokenFault(status: number, error: string): Answer {
  return { status, body: { error, error_description: "Token has been expired or revoked." } };
}
