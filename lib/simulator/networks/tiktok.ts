// Simulates TikTok's Content Posting API v2: creator info, chunked uploads, photo pulls, status, tokens.

import { DAY_SECONDS } from "../../shared/durations.ts";
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
import { createVideoList } from "./tiktok-analytics.ts";
import { findInfoError, getCreatorInfo } from "./tiktok-creator.ts";
import {
  errorResponse,
  findChunkError,
  getUsername,
  okResponse,
  rawNumber,
  readObject,
  toHttpStatus,
} from "./tiktok-protocol.ts";
import { createTokenStore } from "./token-store.ts";
import { addBytes, digestFile, startFile, type UploadedFile } from "./uploaded-file.ts";

const FAIL_REASONS =
  /^(file_format|duration|frame_rate|picture_size)_check_failed$|_pull_failed$|^(spam_risk_text|publish_cancelled|auth_removed|internal)$/;

interface Post {
  publishId: string;
  account: NetworkAccount;
  info: Record<string, unknown>;
  draft: boolean;
  upload: {
    token: string;
    size: number;
    chunkSize: number;
    chunks: number;
    done: number;
    file: UploadedFile;
  } | null;
  failReason: string | null;
  completeAt: number | null;
  statusReads: number;
  publicId: string;
}

export function simulateTikTok(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const posts = context.map<Post>("posts");
  const published = context.list<PublishedItem>("published");
  const listVideos = createVideoList(context, published);
  const signedIn = createSignedIn((request) => tokens.authorize(request) ?? errorResponse(401, "access_token_invalid"));

  function createPost(account: NetworkAccount, info: Record<string, unknown>, prefix: string): Post {
    const post: Post = {
      publishId: context.nextId(`${prefix}~v2.`),
      account,
      info,
      draft: false,
      upload: null,
      failReason: null,
      completeAt: null,
      statusReads: 0,
      publicId: context.nextId("7300"),
    };
    posts.set(post.publishId, post);
    return post;
  }

  function initVideo(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const body = readJsonObject(request);
    const info = readObject(body, "post_info");
    const source = readObject(body, "source_info");
    const [size, chunkSize, chunks] = [source.video_size, source.chunk_size, source.total_chunk_count].map(Number);
    if (String(info.title ?? "").length > 2_200 || source.source !== "FILE_UPLOAD")
      return errorResponse(400, "invalid_params");
    const error = findInfoError(account, info, published) ?? findChunkError(size ?? 0, chunkSize ?? 0, chunks ?? 0);
    if (error) return error;
    const post = createPost(account, info, "v_pub_file");
    const token = context.nextId("up");
    post.upload = {
      token,
      size: size ?? 0,
      chunkSize: chunkSize ?? 0,
      chunks: chunks ?? 0,
      done: 0,
      file: startFile(),
    };
    const uploadUrl = `${request.baseUrl}/upload/?upload_id=${encodeURIComponent(post.publishId)}&upload_token=${token}`;
    return okResponse({ publish_id: post.publishId, upload_url: uploadUrl });
  }

  function upload(request: NetworkRequest): NetworkResponse {
    const post = posts.get(request.query.get("upload_id") ?? "");
    const open = post?.upload;
    if (!post || !open || open.token !== request.query.get("upload_token")) return { status: 403 };
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers.get("content-range") ?? "");
    if (!range || !request.headers.get("content-type")) return { status: 400 };
    const [first = 0, last = 0, total = 0] = range.slice(1).map(Number);
    const isLast = open.done === open.chunks - 1;
    const expectedLast = isLast ? open.size - 1 : open.file.bytes + open.chunkSize - 1;
    if (first !== open.file.bytes || last !== expectedLast || total !== open.size) {
      return { status: 416, headers: { "content-range": `bytes 0-${Math.max(open.file.bytes - 1, 0)}/${open.size}` } };
    }
    if (request.body.length !== last - first + 1) return { status: 400 };
    addBytes(open.file, request.body);
    open.done += 1;
    if (!isLast) return { status: 206, headers: { "content-range": `bytes 0-${last}/${total}` } };
    completePost(post, [
      { sha256: digestFile(open.file), bytes: open.file.bytes, type: request.headers.get("content-type") ?? "" },
    ]);
    return { status: 201, headers: { "content-range": `bytes 0-${last}/${total}` } };
  }

  function completePost(post: Post, media: PublishedItem["media"]) {
    post.completeAt = context.now() + context.timing.processingMs;
    const { info, account } = post;
    const kind = post.upload ? "video" : "photo";
    const isPublic = !post.draft && info.privacy_level !== "SELF_ONLY";
    const { title, description, ...settings } = info;
    published.push({
      id: post.publicId,
      account: account.externalId,
      kind: post.draft ? `${kind}_draft` : kind,
      caption: String((post.upload ? title : description) ?? ""),
      ...(title === undefined ? {} : { title: String(title) }),
      media,
      settings,
      at: new Date(context.now()).toISOString(),
      url: isPublic ? `https://www.tiktok.com/@${getUsername(account)}/${kind}/${post.publicId}` : null,
    });
  }

  async function initContent(account: NetworkAccount, request: NetworkRequest): Promise<NetworkResponse> {
    const body = readJsonObject(request);
    const info = readObject(body, "post_info");
    const source = readObject(body, "source_info");
    const images = Array.isArray(source.photo_images) ? source.photo_images.map(String) : [];
    const draft = body.post_mode === "MEDIA_UPLOAD";
    const tooLong = String(info.title ?? "").length > 90 || String(info.description ?? "").length > 4_000;
    const isPhotoPost =
      body.media_type === "PHOTO" && source.source === "PULL_FROM_URL" && images.length >= 1 && images.length <= 35;
    const cover = source.photo_cover_index;
    const hasCover = Number.isInteger(cover) && Number(cover) >= 0 && Number(cover) < images.length;
    if (!isPhotoPost || !hasCover || tooLong || !(draft || body.post_mode === "DIRECT_POST"))
      return errorResponse(400, "invalid_params");
    const error = draft ? null : findInfoError(account, info, published);
    if (error) return error;
    const drafts = published.filter((item) => item.account === account.externalId && item.kind.endsWith("_draft"));
    if (draft && drafts.length >= 5) return errorResponse(403, "spam_risk_too_many_pending_share");
    // Photos are pulled from hosts that the app has verified: the fact `verifiedHosts`.
    // https://developers.tiktok.com/doc/content-posting-api-reference-photo-post, read 2026-11-24.
    const hosts = account.facts?.verifiedHosts as string[] | undefined;
    if (hosts && images.some((url) => !hosts.includes(new URL(url).host)))
      return errorResponse(403, "url_ownership_unverified");
    const post = createPost(account, info, draft ? "p_inbox_url" : "p_pub_url");
    post.draft = draft;
    if (cover !== 0) post.info.photo_cover_index = cover;
    await pullImages(post, images);
    return okResponse({ publish_id: post.publishId });
  }

  async function pullImages(post: Post, images: string[]) {
    const files = await Promise.all(images.map(async (url) => ({ url, ...(await context.fetchMedia(url, "image")) })));
    if (files.some((file) => !file.ok)) post.failReason = "photo_pull_failed";
    else if (files.some((file) => !["image/jpeg", "image/webp"].includes(file.type))) {
      post.failReason = "file_format_check_failed";
    } else
      completePost(
        post,
        files.map(({ url, type, bytes }) => ({ url, type, bytes })),
      );
  }

  function fetchStatus(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const post = posts.get(String(readJsonObject(request).publish_id));
    if (!post) return errorResponse(400, "invalid_publish_id");
    if (post.account.externalId !== account.externalId) {
      return errorResponse(403, "token_not_authorized_for_specified_publish_id");
    }
    return okResponse(getState(post));
  }

  function getState(post: Post) {
    const now = context.now();
    const uploaded = post.upload ? { uploaded_bytes: post.upload.file.bytes } : {};
    if (post.failReason)
      return { status: "FAILED", fail_reason: post.failReason, publicaly_available_post_id: [], ...uploaded };
    const pending = post.upload ? "PROCESSING_UPLOAD" : "PROCESSING_DOWNLOAD";
    if (post.completeAt === null || now < post.completeAt) return { status: pending, ...uploaded };
    post.statusReads += 1;
    if (post.statusReads <= context.timing.processingPolls) return { status: pending, ...uploaded };
    if (post.draft) return { status: "SEND_TO_USER_INBOX", ...uploaded };
    const item = published.find(({ id }) => id === post.publicId);
    const hasPublicId = item?.url && now >= post.completeAt + context.timing.publicIdDelayMs;
    // The real API sends 64-bit numbers here, unquoted.
    const ids = hasPublicId ? [rawNumber(post.publicId)] : [];
    return { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ids, ...uploaded };
  }

  function exchangeRefreshToken(request: NetworkRequest): NetworkResponse {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const oldToken = form.get("refresh_token") ?? "";
    const account = tokens.findByRefreshToken(oldToken);
    const hasClient = form.get("client_key") && form.get("client_secret");
    if (!hasClient || !account || form.get("grant_type") !== "refresh_token") {
      const error = !hasClient ? "invalid_client" : account ? "invalid_request" : "invalid_grant";
      return {
        status: 400,
        body: { error, error_description: "Refresh token is invalid or expired.", log_id: context.nextId("log") },
      };
    }
    const accessToken = context.nextId("act.");
    const keepsToken = account.facts?.keepsRefreshToken === true;
    const refreshToken = keepsToken ? oldToken : context.nextId("rft.");
    tokens.revokeRefreshToken(oldToken);
    tokens.register({ ...account, accessToken, refreshToken, expired: false });
    return {
      status: 200,
      body: {
        access_token: accessToken,
        expires_in: DAY_SECONDS,
        open_id: account.externalId,
        scope: "video.publish,video.upload",
        token_type: "Bearer",
        ...(keepsToken ? {} : { refresh_token: refreshToken, refresh_expires_in: 31_536_000 }),
      },
    };
  }

  return {
    platform: "tiktok",
    ...routeCalls({
      "creator_info/query": { route: "POST /v2/post/publish/creator_info/query/", answer: signedIn(getCreatorInfo) },
      "video/init": { route: "POST /v2/post/publish/video/init/", answer: signedIn(initVideo) },
      "content/init": { route: "POST /v2/post/publish/content/init/", answer: signedIn(initContent) },
      upload: { route: "PUT /upload/", answer: upload },
      "status/fetch": { route: "POST /v2/post/publish/status/fetch/", answer: signedIn(fetchStatus) },
      "video/list": { route: "POST /v2/video/list/", answer: signedIn(listVideos) },
      "oauth/token": { route: "POST /v2/oauth/token/", answer: exchangeRefreshToken },
    }),
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    // Uploads carry no token of the account.
    findAccount: (request) =>
      tokens.findAccount(request) ?? posts.get(request.query.get("upload_id") ?? "")?.account ?? null,
    findCallForCode: (code) => (FAIL_REASONS.test(code) ? "status/fetch" : null),

    failProcessing(request) {
      const post = posts.get(String(readJsonObject(request).publish_id));
      return post ? this.buildScriptedError("refuse", "file_format_check_failed", request) : null;
    },

    buildScriptedError(kind: ScriptedError, code, request) {
      if (kind === "429") return errorResponse(429, "rate_limit_exceeded");
      if (kind === "500") return errorResponse(500, "internal_error");
      const reason = code ?? "invalid_params";
      const post = posts.get(String(readJsonObject(request).publish_id));
      if (post && FAIL_REASONS.test(reason)) {
        post.failReason = reason;
        removePublished(published, post.account, post.publicId);
        return okResponse(getState(post));
      }
      return errorResponse(toHttpStatus(reason), reason);
    },
  };
}
