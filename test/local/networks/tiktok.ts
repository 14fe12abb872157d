// A stand-in for TikTok's Content Posting API v2: creator info, chunked uploads, photo pulls, status, tokens.
import { createHash, type Hash } from "node:crypto";
import {
  type Answer,
  fetchMedia,
  type Incoming,
  jsonOf,
  type Network,
  type NetworkAccount,
  nextId,
  type Pace,
  type PublishedItem,
  type ScriptedRefusal,
} from "./network.ts";
import { tiktokReading } from "./tiktok-read.ts";
import { chunkFault, fault, objectAt, ok, rawNumber, statusOf, usernameOf } from "./tiktok-wire.ts";
import { createTokens } from "./tokens.ts";

const CALLS = [
  "creator_info/query",
  "video/init",
  "content/init",
  "upload",
  "status/fetch",
  "video/list",
  "oauth/token",
] as const;

const LEVELS = ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"];
const FAIL_REASONS =
  /^(file_format|duration|frame_rate|picture_size)_check_failed$|_pull_failed$|^(publish_cancelled|auth_removed|internal)$/;

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
    bytes: number;
    hash: Hash;
  } | null;
  failReason: string | null;
  completeAt: number | null;
  statusReads: number;
  publicId: string;
  item: PublishedItem | null;
}

export function tiktokStandIn(pace: Pace): Network {
  const accounts = new Map<string, NetworkAccount>();
  const tokens = createTokens();
  const posts = new Map<string, Post>();
  const published: PublishedItem[] = [];
  const listVideos = tiktokReading(published);

  function register(account: NetworkAccount) {
    accounts.set(account.externalId, account);
    tokens.register(account);
  }

  function creatorInfo(account: NetworkAccount): Answer {
    return ok({
      creator_avatar_url: "https://p16-sign.tiktokcdn.com/avatar.jpeg",
      creator_username: usernameOf(account),
      creator_nickname: usernameOf(account),
      privacy_level_options: account.facts?.privacyLevels ?? LEVELS,
      comment_disabled: account.facts?.commentDisabled === true,
      duet_disabled: account.facts?.duetDisabled === true,
      stitch_disabled: account.facts?.stitchDisabled === true,
      max_video_post_duration_sec: account.facts?.maxVideoSeconds ?? 600,
    });
  }

  function begin(account: NetworkAccount, info: Record<string, unknown>, prefix: string): Post {
    const post: Post = {
      publishId: nextId(`${prefix}~v2.`),
      account,
      info,
      draft: false,
      upload: null,
      failReason: null,
      completeAt: null,
      statusReads: 0,
      publicId: nextId("7300"),
      item: null,
    };
    posts.set(post.publishId, post);
    return post;
  }

  function infoFault(account: NetworkAccount, info: Record<string, unknown>): Answer | null {
    const levels = (account.facts?.privacyLevels as string[] | undefined) ?? LEVELS;
    if (!LEVELS.includes(String(info.privacy_level))) return fault(400, "invalid_params");
    if (!levels.includes(String(info.privacy_level))) return fault(403, "privacy_level_option_mismatch");
    if (info.brand_content_toggle === true && info.privacy_level === "SELF_ONLY") return fault(400, "invalid_params");
    const limit = Number(account.facts?.postsPerDay ?? Number.POSITIVE_INFINITY);
    const used = published.filter((item) => item.account === account.externalId).length;
    return used >= limit ? fault(403, "spam_risk_too_many_posts") : null;
  }

  function videoInit(account: NetworkAccount, request: Incoming): Answer {
    const body = jsonOf(request);
    const info = objectAt(body, "post_info");
    const source = objectAt(body, "source_info");
    const [size, chunkSize, chunks] = [source.video_size, source.chunk_size, source.total_chunk_count].map(Number);
    if (String(info.title ?? "").length > 2_200 || source.source !== "FILE_UPLOAD") return fault(400, "invalid_params");
    const wrong = infoFault(account, info) ?? chunkFault(size ?? 0, chunkSize ?? 0, chunks ?? 0);
    if (wrong) return wrong;
    const post = begin(account, info, "v_pub_file");
    const token = nextId("up");
    const fresh = { done: 0, bytes: 0, hash: createHash("sha256") };
    post.upload = { token, size: size ?? 0, chunkSize: chunkSize ?? 0, chunks: chunks ?? 0, ...fresh };
    const uploadUrl = `${request.self}/upload/?upload_id=${encodeURIComponent(post.publishId)}&upload_token=${token}`;
    return ok({ publish_id: post.publishId, upload_url: uploadUrl });
  }

  function upload(request: Incoming): Answer {
    const post = posts.get(request.query.get("upload_id") ?? "");
    const open = post?.upload;
    if (!post || !open || open.token !== request.query.get("upload_token")) return { status: 403 };
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(request.headers.get("content-range") ?? "");
    if (!range || !request.headers.get("content-type")) return { status: 400 };
    const [first = 0, last = 0, total = 0] = range.slice(1).map(Number);
    const isLast = open.done === open.chunks - 1;
    const expectedLast = isLast ? open.size - 1 : open.bytes + open.chunkSize - 1;
    if (first !== open.bytes || last !== expectedLast || total !== open.size) {
      return { status: 416, headers: { "content-range": `bytes 0-${Math.max(open.bytes - 1, 0)}/${open.size}` } };
    }
    if (request.body.length !== last - first + 1) return { status: 400 };
    open.hash.update(request.body);
    open.done += 1;
    open.bytes += request.body.length;
    if (!isLast) return { status: 206, headers: { "content-range": `bytes 0-${last}/${total}` } };
    complete(post, [
      { sha256: open.hash.digest("hex"), bytes: open.bytes, type: request.headers.get("content-type") ?? "" },
    ]);
    return { status: 201, headers: { "content-range": `bytes 0-${last}/${total}` } };
  }

  function complete(post: Post, media: PublishedItem["media"]) {
    post.completeAt = Date.now() + pace.processingMs;
    const { info, account } = post;
    const kind = post.upload ? "video" : "photo";
    const isPublic = !post.draft && info.privacy_level !== "SELF_ONLY";
    const { title, description, ...settings } = info;
    post.item = {
      id: post.publicId,
      account: account.externalId,
      kind: post.draft ? `${kind}_draft` : kind,
      caption: String((post.upload ? title : description) ?? ""),
      ...(title === undefined ? {} : { title: String(title) }),
      media,
      settings,
      at: new Date().toISOString(),
      url: isPublic ? `https://www.tiktok.com/@${usernameOf(account)}/${kind}/${post.publicId}` : null,
    };
    published.push(post.item);
  }

  async function contentInit(account: NetworkAccount, request: Incoming): Promise<Answer> {
    const body = jsonOf(request);
    const info = objectAt(body, "post_info");
    const source = objectAt(body, "source_info");
    const images = Array.isArray(source.photo_images) ? source.photo_images.map(String) : [];
    const draft = body.post_mode === "MEDIA_UPLOAD";
    const tooLong = String(info.title ?? "").length > 90 || String(info.description ?? "").length > 4_000;
    const shape =
      body.media_type === "PHOTO" && source.source === "PULL_FROM_URL" && images.length >= 1 && images.length <= 35;
    if (!shape || tooLong || !(draft || body.post_mode === "DIRECT_POST")) return fault(400, "invalid_params");
    const wrong = draft ? null : infoFault(account, info);
    if (wrong) return wrong;
    const drafts = published.filter((item) => item.account === account.externalId && item.kind.endsWith("_draft"));
    if (draft && drafts.length >= 5) return fault(403, "spam_risk_too_many_pending_share");
    const post = begin(account, info, draft ? "p_inbox_url" : "p_pub_url");
    post.draft = draft;
    await pull(post, images);
    return ok({ publish_id: post.publishId });
  }

  async function pull(post: Post, images: string[]) {
    const files = await Promise.all(images.map(async (url) => ({ url, ...(await fetchMedia(url)) })));
    if (files.some((file) => !file.ok)) post.failReason = "photo_pull_failed";
    else if (files.some((file) => !["image/jpeg", "image/webp"].includes(file.type))) {
      post.failReason = "file_format_check_failed";
    } else
      complete(
        post,
        files.map(({ url, type, bytes }) => ({ url, type, bytes })),
      );
  }

  function status(account: NetworkAccount, request: Incoming): Answer {
    const post = posts.get(String(jsonOf(request).publish_id));
    if (!post) return fault(400, "invalid_publish_id");
    if (post.account.externalId !== account.externalId) {
      return fault(403, "token_not_authorized_for_specified_publish_id");
    }
    return ok(stateOf(post));
  }

  function stateOf(post: Post) {
    const now = Date.now();
    const uploaded = post.upload ? { uploaded_bytes: post.upload.bytes } : {};
    if (post.failReason)
      return { status: "FAILED", fail_reason: post.failReason, publicaly_available_post_id: [], ...uploaded };
    const pending = post.upload ? "PROCESSING_UPLOAD" : "PROCESSING_DOWNLOAD";
    if (post.completeAt === null || now < post.completeAt) return { status: pending, ...uploaded };
    post.statusReads += 1;
    if (post.statusReads <= pace.processingPolls) return { status: pending, ...uploaded };
    if (post.draft) return { status: "SEND_TO_USER_INBOX", ...uploaded };
    const named = post.item?.url && now >= post.completeAt + pace.namingMs;
    // The real API sends 64-bit numbers here, unquoted.
    const ids = named ? [rawNumber(post.publicId)] : [];
    return { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ids, ...uploaded };
  }

  function token(request: Incoming): Answer {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const oldToken = form.get("refresh_token") ?? "";
    const account = tokens.refreshing(oldToken);
    const known = form.get("client_key") && form.get("client_secret");
    if (!known || !account || form.get("grant_type") !== "refresh_token") {
      const error = !known ? "invalid_client" : account ? "invalid_request" : "invalid_grant";
      return {
        status: 400,
        body: { error, error_description: "Refresh token is invalid or expired.", log_id: nextId("log") },
      };
    }
    const accessToken = nextId("act.");
    const keeps = account.facts?.keepsRefreshToken === true;
    const refreshToken = keeps ? oldToken : nextId("rft.");
    tokens.spend(oldToken);
    register({ ...account, accessToken, refreshToken, expired: false });
    return {
      status: 200,
      body: {
        access_token: accessToken,
        expires_in: 86_400,
        open_id: account.externalId,
        scope: "video.publish,video.upload",
        token_type: "Bearer",
        ...(keeps ? {} : { refresh_token: refreshToken, refresh_expires_in: 31_536_000 }),
      },
    };
  }

  return {
    platform: "tiktok",
    calls: CALLS,
    published,
    register,
    // An upload carries no token of the account.
    accountOf: (request) =>
      tokens.accountOf(request) ?? posts.get(request.query.get("upload_id") ?? "")?.account.externalId ?? null,
    callOfCode: (code) => (FAIL_REASONS.test(code) ? "status/fetch" : null),

    callOf({ method, path }) {
      if (method === "PUT" && path === "/upload/") return "upload";
      if (method !== "POST") return null;
      const name = /^\/v2\/(?:post\/publish\/)?([a-z_]+\/[a-z]+)\/$/.exec(path)?.[1];
      return CALLS.find((call) => call === name) ?? null;
    },

    async answer(call, request) {
      if (call === "upload") return upload(request);
      if (call === "oauth/token") return token(request);
      const account = tokens.authorized(request);
      if (!account) return fault(401, "access_token_invalid");
      if (call === "creator_info/query") return creatorInfo(account);
      if (call === "video/init") return videoInit(account, request);
      if (call === "content/init") return contentInit(account, request);
      if (call === "video/list") return listVideos(account, request);
      return status(account, request);
    },

    refusal(kind: ScriptedRefusal, code, request) {
      if (kind === "429") return fault(429, "rate_limit_exceeded");
      if (kind === "500") return fault(500, "internal_error");
      const reason = code ?? "invalid_params";
      const post = posts.get(String(jsonOf(request).publish_id));
      if (post && FAIL_REASONS.test(reason)) {
        post.failReason = reason;
        const at = post.item ? published.indexOf(post.item) : -1;
        if (at >= 0) published.splice(at, 1);
        return ok(stateOf(post));
      }
      return fault(statusOf(reason), reason);
    },
  };
}
