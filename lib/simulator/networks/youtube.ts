// Simulates YouTube's Data API v3: resumable uploads, processing, thumbnails, quotas, tokens.

import { createHash, randomBytes } from "node:crypto";
import { createYouTubeComments } from "./comments.ts";
import type { NetworkContext } from "./context.ts";
import { createSignedIn, routeCalls } from "./endpoints.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readJsonObject,
  removePublished,
  type ScriptedError,
  type SimulatedNetwork,
} from "./network.ts";
import { createTokenStore } from "./token-store.ts";
import { addBytes, digestFile, startFile, type UploadedFile } from "./uploaded-file.ts";
import { createYouTubeAnalytics } from "./youtube-analytics.ts";
import { createChanges } from "./youtube-changes.ts";
import { createPlaylists } from "./youtube-playlists.ts";
import { errorResponse, findResourceError, tokenErrorResponse } from "./youtube-protocol.ts";

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
const API = "/youtube/v3";
const CHUNK_MULTIPLE = 256 * 1024;
const MAX_BYTES = 256_000_000_000;
const MAX_THUMBNAIL_BYTES = 50_000_000;

interface Upload {
  id: string;
  account: NetworkAccount;
  snippet: Record<string, unknown>;
  status: Record<string, unknown>;
  size: number;
  type: string;
  file: UploadedFile;
  videoId: string | null;
  /** Whether subscribers are told of the video. */
  notifies: boolean;
}

interface Video {
  id: string;
  account: NetworkAccount;
  snippet: Record<string, unknown>;
  status: Record<string, unknown>;
  doneAt: number;
  reads: number;
  /** The failure or rejection that `videos.list` returns. */
  failure: Record<string, string> | null;
}

export function simulateYouTube(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const uploads = context.map<Upload>("uploads");
  const videos = context.map<Video>("videos");
  const published = context.list<PublishedItem>("published");
  const analytics = createYouTubeAnalytics(
    context,
    () => new Map([...tokens.listAccounts()].map((account) => [account.externalId, account])).values(),
    published,
    errorResponse,
  );

  const changes = createChanges(videos, published);
  const playlists = createPlaylists(context, published);
  const comments = createYouTubeComments(context, published);
  const signedIn = createSignedIn((request) => tokens.authorize(request) ?? errorResponse("authError"));

  function startUpload(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const size = Number(request.headers.get("x-upload-content-length") ?? Number.NaN);
    const type = request.headers.get("x-upload-content-type") ?? "";
    const isResumable =
      request.query.get("uploadType") === "resumable" && request.query.get("part") === "snippet,status";
    if (!isResumable || !(size > 0 && size <= MAX_BYTES) || !/^(video\/|application\/octet-stream)/.test(type)) {
      return errorResponse("badRequest");
    }
    const used = published.filter((item) => item.account === account.externalId && item.kind === "video").length;
    if (account.facts?.noChannel === true) return errorResponse("youtubeSignupRequired");
    if (published.filter(({ kind }) => kind === "video").length >= Number(account.facts?.projectInsertsPerDay ?? 1e9))
      return errorResponse("quotaExceeded");
    if (used >= Number(account.facts?.uploadsPerDay ?? 1e9)) return errorResponse("uploadLimitExceeded");
    const { snippet, status } = readJsonObject(request) as Record<string, Record<string, unknown> | undefined>;
    const resourceError = findResourceError(snippet ?? {}, status ?? {});
    if (resourceError) return errorResponse(resourceError);
    const id = context.nextId("ADPycd");
    const progress = { file: startFile(), videoId: null };
    const notifies = request.query.get("notifySubscribers") !== "false";
    uploads.set(id, { id, account, snippet: snippet ?? {}, status: status ?? {}, size, type, notifies, ...progress });
    const location = `${request.baseUrl}/upload/youtube/v3/videos?uploadType=resumable&part=snippet%2Cstatus&upload_id=${id}`;
    return { status: 200, headers: { location, "x-guploader-uploadid": id } };
  }

  function uploadChunk(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const upload = uploads.get(request.query.get("upload_id") ?? "");
    if (!upload || upload.account.externalId !== account.externalId) return errorResponse("notFound");
    const video = videos.get(upload.videoId ?? "");
    if (video) return { status: 200, body: toVideoResource(video) };
    const contentRange = request.headers.get("content-range") ?? "";
    if (contentRange === `bytes */${upload.size}` && request.body.length === 0) return incompleteResponse(upload);
    const [first = -1, last = -1, total = -1] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange)?.slice(1) ?? []).map(
      Number,
    );
    const isLast = last === upload.size - 1;
    if (total !== upload.size || last >= total || request.body.length !== last - first + 1)
      return errorResponse("badRequest");
    if (!isLast && request.body.length % CHUNK_MULTIPLE !== 0) return errorResponse("badRequest");
    if (first !== upload.file.bytes) return incompleteResponse(upload);
    addBytes(upload.file, request.body);
    if (!isLast) return incompleteResponse(upload);
    return { status: 201, body: toVideoResource(completeUpload(upload)) };
  }

  function incompleteResponse({ file: { bytes } }: Upload): NetworkResponse {
    return { status: 308, ...(bytes > 0 ? { headers: { range: `bytes=0-${bytes - 1}` } } : {}) };
  }

  function completeUpload(upload: Upload): Video {
    const id = randomBytes(8).toString("base64url");
    const { title, description, ...metadata } = upload.snippet;
    published.push({
      id,
      account: upload.account.externalId,
      kind: "video",
      caption: String(description ?? ""),
      title: String(title),
      media: [{ sha256: digestFile(upload.file), bytes: upload.file.bytes, type: upload.type }],
      settings: { ...metadata, ...upload.status, ...(upload.notifies ? {} : { notifySubscribers: false }) },
      at: new Date(context.now()).toISOString(),
      url: `https://www.youtube.com/watch?v=${id}`,
    });
    const { account, snippet, status } = upload;
    const doneAt = context.now() + context.timing.processingMs;
    const video: Video = { id, account, snippet, status, doneAt, reads: 0, failure: null };
    upload.videoId = id;
    videos.set(id, video);
    return video;
  }

  function toVideoResource(video: Video) {
    const { snippet, status, account } = video;
    // Settings of the channel can make uploads private: https://developers.google.com/youtube/v3/revision_history (2026-11-02).
    const hidden = account.facts?.privateUploads === true ? { privacyStatus: "private" } : {};
    return {
      kind: "youtube#video",
      id: video.id,
      snippet,
      status: { ...status, ...hidden, ...getUploadStatus(video) },
    };
  }

  function getUploadStatus(video: Video): Record<string, string> {
    if (video.failure) return video.failure;
    const ready = context.now() >= video.doneAt && video.reads > context.timing.processingPolls;
    return { uploadStatus: ready ? "processed" : "uploaded" };
  }

  function listVideos(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const statistics = analytics.videos(account, request);
    if (statistics) return statistics;
    const video = videos.get(request.query.get("id") ?? "");
    const isOwner = video?.account.externalId === account.externalId;
    if (video && context.now() >= video.doneAt) video.reads += 1;
    const items = video && isOwner ? [toVideoResource(video)] : [];
    return {
      status: 200,
      body: { kind: "youtube#videoListResponse", items, pageInfo: { totalResults: items.length } },
    };
  }

  function listPlaylistItems(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    return playlists.listItems(account, request) ?? analytics.playlistItems(account, request);
  }

  function setThumbnail(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const video = videos.get(request.query.get("videoId") ?? "");
    if (video?.account.externalId !== account.externalId) return errorResponse("videoNotFound");
    if (account.facts?.noThumbnails === true) return errorResponse("forbidden");
    if (!/^(image\/(jpeg|png)|application\/octet-stream)$/.test(request.headers.get("content-type") ?? "")) {
      return errorResponse("mediaBodyRequired");
    }
    if (request.body.length === 0) return errorResponse("mediaBodyRequired");
    if (request.body.length > MAX_THUMBNAIL_BYTES) return errorResponse("invalidImage");
    const item = published.find(({ id }) => id === video.id);
    if (item) item.settings.thumbnail = createHash("sha256").update(request.body).digest("hex");
    return { status: 200, body: { kind: "youtube#thumbnailSetResponse", items: [{}] } };
  }

  function exchangeRefreshToken(request: NetworkRequest): NetworkResponse {
    const form = new URLSearchParams(request.body.toString("utf8"));
    if (!form.get("client_id") || !form.get("client_secret")) return tokenErrorResponse(401, "invalid_client");
    if (form.get("grant_type") !== "refresh_token") return tokenErrorResponse(400, "unsupported_grant_type");
    const account = tokens.findByRefreshToken(form.get("refresh_token"));
    if (!account) return tokenErrorResponse(400, "invalid_grant");
    const accessToken = context.nextId("ya29.");
    // Google's refresh tokens do not rotate, and the response contains none.
    tokens.register({ ...account, accessToken, expired: false });
    const scope = "https://www.googleapis.com/auth/youtube";
    return { status: 200, body: { access_token: accessToken, expires_in: 3599, scope, token_type: "Bearer" } };
  }

  return {
    platform: "youtube",
    ...routeCalls({
      "videos.insert": { route: "POST /upload/youtube/v3/videos", answer: signedIn(startUpload) },
      "upload.probe": {
        route: "PUT /upload/youtube/v3/videos",
        takes: ({ headers }) => headers.get("content-range")?.startsWith("bytes */") ?? false,
        answer: signedIn(uploadChunk),
      },
      upload: { route: "PUT /upload/youtube/v3/videos", answer: signedIn(uploadChunk) },
      "thumbnails.set": { route: "POST /upload/youtube/v3/thumbnails/set", answer: signedIn(setThumbnail) },
      "videos.list": { route: `GET ${API}/videos`, answer: signedIn(listVideos) },
      "videos.update": { route: `PUT ${API}/videos`, answer: signedIn(changes.update) },
      "videos.delete": { route: `DELETE ${API}/videos`, answer: signedIn(changes.remove) },
      "channels.list": { route: `GET ${API}/channels`, answer: signedIn(analytics.channels) },
      "playlists.list": { route: `GET ${API}/playlists`, answer: signedIn(playlists.list) },
      "playlistItems.list": { route: `GET ${API}/playlistItems`, answer: signedIn(listPlaylistItems) },
      "playlistItems.insert": { route: `POST ${API}/playlistItems`, answer: signedIn(playlists.insertItem) },
      "videoCategories.list": { route: `GET ${API}/videoCategories`, answer: signedIn(playlists.listCategories) },
      "commentThreads.insert": { route: `POST ${API}/commentThreads`, answer: signedIn(comments.create) },
      "commentThreads.list": { route: `GET ${API}/commentThreads`, answer: signedIn(comments.list) },
      token: { route: "POST /token", answer: exchangeRefreshToken },
    }),
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    findAccount: tokens.findAccount,
    findCallForCode: (code) => ([...FAILURES, ...REJECTIONS].includes(code) ? "videos.list" : null),

    failProcessing(request) {
      return videos.has(request.query.get("id") ?? "") ? this.buildScriptedError("refuse", "codec", request) : null;
    },

    buildScriptedError(kind: ScriptedError, code, request) {
      if (kind === "429") return errorResponse("rateLimitExceeded", 429);
      if (kind === "500") return errorResponse("backendError", 500);
      if (request.path === "/token")
        return tokenErrorResponse(code === "invalid_client" ? 401 : 400, code ?? "invalid_grant");
      const reason = code ?? "invalidVideoMetadata";
      const video = videos.get(request.query.get("id") ?? "");
      const failed = FAILURES.includes(reason);
      if (!video || !(failed || REJECTIONS.includes(reason))) return errorResponse(reason);
      video.failure = failed
        ? { uploadStatus: "failed", failureReason: reason }
        : { uploadStatus: "rejected", rejectionReason: reason };
      removePublished(published, video.account, video.id);
      return { status: 200, body: { kind: "youtube#videoListResponse", items: [toVideoResource(video)] } };
    },
  };
}
