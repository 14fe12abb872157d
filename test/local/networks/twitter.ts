// A stand-in for X's API v2: segmented uploads, processing, posts, own timeline, rotating tokens.
import { createHash } from "node:crypto";
import {
  type Answer,
  bearerOf,
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
import { multipartOf, ok, problem, refusalOf, shortened, tooMany, weigh } from "./twitter-wire.ts";

const CALLS = [
  "upload/initialize",
  "upload/append",
  "upload/finalize",
  "upload/status",
  "tweets",
  "users/tweets",
  "oauth2/token",
] as const;

const MIB = 1024 * 1024;
const TYPES: Record<string, { types: string[]; most: number; key: number }> = {
  tweet_image: { types: ["image/jpeg", "image/png", "image/webp"], most: 5 * MIB, key: 3 },
  tweet_gif: { types: ["image/gif"], most: 15 * MIB, key: 16 },
  tweet_video: { types: ["video/mp4", "video/quicktime"], most: 512 * MIB, key: 7 },
};
const REPLIES = ["following", "mentionedUsers", "subscribers", "verified"];
const TWEET_KEYS = ["text", "media", "reply_settings", "community_id", "made_with_ai", "paid_partnership"];
const EXPIRES_S = 86_400;

interface Upload {
  id: string;
  account: string;
  type: string;
  category: string;
  total: number;
  segments: Map<number, Buffer>;
  readyAt: number | null;
  reads: number;
  /** X's name of what is wrong with the file. */
  error: string | null;
}

export function twitterStandIn(pace: Pace): Network {
  const tokens = createTokens();
  const uploads = new Map<string, Upload>();
  const mediaOf = new WeakMap<PublishedItem, string[]>();
  const published: PublishedItem[] = [];

  function initialize(account: NetworkAccount, request: Incoming): Answer {
    const body = jsonOf(request);
    const rule = TYPES[String(body.media_category)];
    const total = Number(body.total_bytes);
    if (!rule) return problem(400, "invalid-request", "media_category is not valid.");
    if (!rule.types.includes(String(body.media_type))) {
      return problem(400, "invalid-request", "media type unrecognized.");
    }
    if (!Number.isInteger(total) || total < 1) return problem(400, "invalid-request", "total_bytes is not valid.");
    if (total > rule.most) return problem(400, "invalid-request", `File size exceeds ${rule.most} bytes.`);
    const upload: Upload = {
      id: nextId("1880"),
      account: account.externalId,
      type: String(body.media_type),
      category: String(body.media_category),
      total,
      segments: new Map(),
      readyAt: null,
      reads: 0,
      error: null,
    };
    uploads.set(upload.id, upload);
    return ok({ id: upload.id, media_key: `${rule.key}_${upload.id}`, expires_after_secs: EXPIRES_S });
  }

  async function append(upload: Upload, request: Incoming): Promise<Answer> {
    const { fields, file } = await multipartOf(request);
    const index = Number(fields.segment_index ?? Number.NaN);
    if (!file || !Number.isInteger(index) || index < 0 || index > 999) {
      return problem(400, "invalid-request", "segment_index or media is not valid.");
    }
    if (file.length > 5 * MIB) return problem(413, "invalid-request", "Segment too large.");
    upload.segments.set(index, file);
    return ok({ expires_at: Math.floor(Date.now() / 1000) + EXPIRES_S });
  }

  function finalize(upload: Upload): Answer {
    const parts = [...upload.segments.keys()].toSorted((a, b) => a - b);
    if (parts.some((index, at) => index !== at)) return problem(400, "invalid-request", "Segments do not add up.");
    if (bytesOf(upload).length !== upload.total) {
      return problem(400, "invalid-request", "Segments do not add up to provided total file size.");
    }
    upload.readyAt ??= Date.now() + (upload.category === "tweet_image" ? 0 : pace.processingMs);
    return ok({ ...described(upload), size: upload.total });
  }

  function bytesOf(upload: Upload): Buffer {
    const sorted = [...upload.segments].toSorted(([a], [b]) => a - b);
    return Buffer.concat(sorted.map(([, bytes]) => bytes));
  }

  function stateOf(upload: Upload): string {
    if (upload.readyAt === null) return "pending";
    if (upload.category !== "tweet_image") {
      if (Date.now() < upload.readyAt || upload.reads <= pace.processingPolls) return "in_progress";
    }
    return upload.error ? "failed" : "succeeded";
  }

  function described(upload: Upload) {
    const base = {
      id: upload.id,
      media_key: `${TYPES[upload.category]?.key}_${upload.id}`,
      expires_after_secs: EXPIRES_S,
    };
    if (upload.category === "tweet_image") return base;
    const state = stateOf(upload);
    const waits = state === "in_progress" ? { check_after_secs: 1, progress_percent: 50 } : {};
    const error = upload.error
      ? { error: { code: 1, name: upload.error, message: "Unsupported video format" } }
      : undefined;
    return { ...base, processing_info: { state, ...waits, ...(state === "failed" ? error : {}) } };
  }

  function create(account: NetworkAccount, request: Incoming): Answer {
    const body = jsonOf(request);
    const unknown = Object.keys(body).filter((key) => !TWEET_KEYS.includes(key));
    const text = typeof body.text === "string" ? body.text : "";
    const replies = body.reply_settings;
    if (unknown.length > 0) return problem(400, "invalid-request", `[${unknown}] is not a valid parameter.`);
    if (replies !== undefined && !REPLIES.includes(String(replies))) {
      return problem(400, "invalid-request", "reply_settings is not valid.");
    }
    if (weigh(text) > 280) return problem(400, "invalid-request", "Your text is too long.");
    const media = body.media as { media_ids?: unknown[] } | undefined;
    const ids = (media?.media_ids ?? []).map(String);
    const files = ids.map((id) => uploads.get(id));
    const usable = files.every((file) => file?.account === account.externalId && stateOf(file) === "succeeded");
    const images = files.filter((file) => file?.category === "tweet_image").length;
    if (!usable || ids.length > 4 || (ids.length > 1 && images < ids.length)) {
      return problem(400, "invalid-request", "Your media IDs are invalid.");
    }
    if (!text && ids.length === 0) return problem(400, "invalid-request", "text or media is required.");
    const own = published.filter((item) => item.account === account.externalId);
    if (own.some((item) => item.caption === text && (mediaOf.get(item) ?? []).join() === ids.join())) {
      return problem(403, "", "You are not allowed to create a Tweet with duplicate content.");
    }
    const limit = Number(account.facts?.postsPerDay ?? Number.POSITIVE_INFINITY);
    if (own.length >= limit) return tooMany(limit);
    return publish(
      account,
      body,
      text,
      files.filter((file) => file !== undefined),
    );
  }

  function publish(account: NetworkAccount, body: Record<string, unknown>, text: string, files: Upload[]): Answer {
    const { text: _text, media: _media, ...settings } = body;
    const id = nextId("1990");
    const item: PublishedItem = {
      id,
      account: account.externalId,
      kind: files[0]?.category ?? "text",
      caption: text,
      media: files.map((file) => ({
        sha256: createHash("sha256").update(bytesOf(file)).digest("hex"),
        bytes: file.total,
        type: file.type,
      })),
      settings,
      at: new Date().toISOString(),
      url: `https://x.com/i/web/status/${id}`,
    };
    mediaOf.set(
      item,
      files.map((file) => file.id),
    );
    published.push(item);
    return { ...ok({ id, text: shortened(text, files.length > 0).text, edit_history_tweet_ids: [id] }), status: 201 };
  }

  function timeline(account: NetworkAccount, request: Incoming): Answer {
    const since = Date.parse(request.query.get("start_time") ?? "1970-01-01T00:00:00Z");
    const most = Number(request.query.get("max_results") ?? 10);
    if (!(most >= 5 && most <= 100) || Number.isNaN(since)) {
      return problem(400, "invalid-request", "max_results or start_time is not valid.");
    }
    const posts = published.filter((item) => item.account === account.externalId && Date.parse(item.at) >= since);
    const from = Number(request.query.get("pagination_token") ?? 0);
    const next = from + most < posts.length ? { next_token: String(from + most) } : {};
    const data = posts
      .toReversed()
      .slice(from, from + most)
      .map((item) => {
        const keys = (mediaOf.get(item) ?? []).map((id) => `${TYPES[item.kind]?.key}_${id}`);
        const { text, urls } = shortened(item.caption, keys.length > 0);
        return {
          id: item.id,
          text,
          created_at: item.at.replace(/\.\d{3}Z$/, ".000Z"),
          edit_history_tweet_ids: [item.id],
          ...(urls.length > 0 ? { entities: { urls } } : {}),
          ...(keys.length > 0 ? { attachments: { media_keys: keys } } : {}),
        };
      });
    const meta = { result_count: data.length, ...next };
    return { status: 200, body: { ...(data.length > 0 ? { data } : {}), meta } };
  }

  function token(request: Incoming): Answer {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const basic = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const [user, secret] = Buffer.from(basic, "base64").toString("utf8").split(":");
    if (!user || !secret) {
      const error_description = "Missing valid authorization header";
      return { status: 401, body: { error: "unauthorized_client", error_description } };
    }
    const old = form.get("refresh_token") ?? "";
    const account = tokens.refreshing(old);
    if (!account || form.get("grant_type") !== "refresh_token") {
      const error_description = "Value passed for the token was invalid.";
      return { status: 400, body: { error: "invalid_request", error_description } };
    }
    const fresh = { accessToken: nextId("xat"), refreshToken: nextId("xrt") };
    tokens.spend(old);
    tokens.revoke(account.accessToken);
    tokens.register({ ...account, ...fresh, expired: false });
    return {
      status: 200,
      body: {
        token_type: "bearer",
        expires_in: 7_200,
        access_token: fresh.accessToken,
        refresh_token: fresh.refreshToken,
        scope: "tweet.read tweet.write users.read media.write offline.access",
      },
    };
  }

  return {
    platform: "twitter",
    calls: CALLS,
    published,
    register: tokens.register,
    accountOf: tokens.accountOf,
    callOfCode: (code) => (/^(InvalidMedia|UnsupportedMedia|InternalError)$/.test(code) ? "upload/status" : null),

    callOf({ method, path, query }) {
      if (method === "POST" && path === "/2/oauth2/token") return "oauth2/token";
      if (method === "POST" && path === "/2/tweets") return "tweets";
      if (method === "GET" && /^\/2\/users\/\w+\/tweets$/.test(path)) return "users/tweets";
      if (method === "GET" && path === "/2/media/upload" && query.get("command") === "STATUS") return "upload/status";
      if (method !== "POST") return null;
      if (path === "/2/media/upload/initialize") return "upload/initialize";
      const step = /^\/2\/media\/upload\/\d+\/(append|finalize)$/.exec(path)?.[1];
      return step ? `upload/${step}` : null;
    },

    async answer(call, request) {
      if (call === "oauth2/token") return token(request);
      const account = tokens.holder(bearerOf(request));
      if (!account || account.expired) return problem(401, "", "Unauthorized");
      if (call === "upload/initialize") return initialize(account, request);
      if (call === "tweets") return create(account, request);
      if (call === "users/tweets") {
        const own = request.path.split("/")[3] === account.externalId;
        return own ? timeline(account, request) : problem(403, "not-authorized-for-resource", "Not yours.");
      }
      const id = call === "upload/status" ? request.query.get("media_id") : request.path.split("/")[4];
      const upload = uploads.get(id ?? "");
      if (upload?.account !== account.externalId) return problem(404, "resource-not-found", "No such media.");
      if (call === "upload/append") return append(upload, request);
      if (call === "upload/finalize") return finalize(upload);
      upload.reads += 1;
      return ok(described(upload));
    },

    refusal(kind: ScriptedRefusal, code, request) {
      if (kind === "429") return tooMany(100);
      if (kind === "500") return problem(503, "", "Service Unavailable");
      const upload = uploads.get(request.query.get("media_id") ?? "");
      if (upload && code && /^(InvalidMedia|UnsupportedMedia|InternalError)$/.test(code)) {
        upload.error = code;
        upload.readyAt = 0;
        upload.reads = pace.processingPolls + 1;
        return ok(described(upload));
      }
      return refusalOf(code ?? "invalid-request");
    },
  };
}
