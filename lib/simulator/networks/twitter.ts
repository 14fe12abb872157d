// Simulates X's API v2: segmented uploads, processing, posts, own timeline, rotating tokens.

import type { NetworkContext } from "./context.ts";
import { createSignedIn, type PathParams, routeCalls } from "./endpoints.ts";
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
import {
  EDIT_WINDOW_MS,
  invalidRequest,
  MAX_EDITS,
  measureWeightedLength,
  namedError,
  okResponse,
  problemResponse,
  REPLY_SETTINGS,
  rateLimitError,
  shortenLinks,
  TWEET_KEYS,
} from "./twitter-protocol.ts";
import { createUploads, MEDIA_CATEGORIES, MEDIA_FAILURES, type Upload } from "./twitter-uploads.ts";
import { digestFile } from "./uploaded-file.ts";

export function simulateTwitter(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const uploads = createUploads(context);
  const mediaIds = context.map<string[]>("media of posts");
  const published = context.list<PublishedItem>("published");
  const history = context.map<string[]>("versions of posts, the first one first");
  const signedIn = createSignedIn((request) => tokens.authorize(request) ?? problemResponse(401, "", "Unauthorized"));

  function createPost(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const body = readJsonObject(request);
    const unknown = Object.keys(body).filter((key) => !TWEET_KEYS.includes(key));
    const text = typeof body.text === "string" ? body.text : "";
    const replySettings = body.reply_settings;
    if (unknown.length > 0) return invalidRequest(`[${unknown}] is not a valid parameter.`);
    if (replySettings !== undefined && !REPLY_SETTINGS.includes(String(replySettings))) {
      return invalidRequest("reply_settings is not valid.");
    }
    const parent = findParent(body);
    if (body.reply !== undefined && (!parent || replySettings !== undefined)) {
      return invalidRequest("You attempted to reply to a Tweet that is deleted or not visible to you.");
    }
    if (measureWeightedLength(text) > 280) return invalidRequest("Your text is too long.");
    const media = body.media as { media_ids?: unknown[] } | undefined;
    const ids = (media?.media_ids ?? []).map(String);
    const files = ids.map((id) => uploads.find(id));
    const usable = files.every(
      (file) => file?.account === account.externalId && uploads.getState(file) === "succeeded",
    );
    const images = files.filter((file) => file?.category === "tweet_image").length;
    if (!usable || ids.length > 4 || (ids.length > 1 && images < ids.length)) {
      return invalidRequest("Your media IDs are invalid.");
    }
    if (!text && ids.length === 0) return invalidRequest("text or media is required.");
    const previous = (body.edit_options as { previous_post_id?: string } | undefined)?.previous_post_id;
    if (previous !== undefined) return editPost(account, { previous, text, ids });
    const own = published.filter((item) => item.account === account.externalId);
    if (own.some((item) => item.caption === text && (mediaIds.get(item.id) ?? []).join() === ids.join())) {
      return problemResponse(403, "", "You are not allowed to create a Tweet with duplicate content.");
    }
    const limit = Number(account.facts?.postsPerDay ?? Number.POSITIVE_INFINITY);
    if (own.length >= limit) return rateLimitError(context.now(), limit);
    return publish(
      account,
      body,
      text,
      files.filter((file) => file !== undefined),
    );
  }

  function findParent({ reply }: Record<string, unknown>): string | undefined {
    const { in_reply_to_tweet_id: id } = (reply ?? {}) as { in_reply_to_tweet_id?: unknown };
    return published.find((item) => item.id === id)?.id;
  }

  function publish(
    account: NetworkAccount,
    body: Record<string, unknown>,
    text: string,
    files: Upload[],
  ): NetworkResponse {
    const { text: _text, media: _media, reply: _reply, ...settings } = body;
    const id = context.nextId("1990");
    const parent = findParent(body);
    const item: PublishedItem = {
      id,
      account: account.externalId,
      kind: files[0]?.category ?? "text",
      caption: text,
      media: describeMedia(files),
      settings,
      at: new Date(context.now()).toISOString(),
      url: `https://x.com/i/web/status/${id}`,
      ...(parent ? { parent } : {}),
    };
    mediaIds.set(
      id,
      files.map((file) => file.id),
    );
    published.push(item);
    return {
      ...okResponse({ id, text: shortenLinks(text, files.length > 0).text, edit_history_tweet_ids: [id] }),
      status: 201,
    };
  }

  const describeMedia = (files: Upload[]): PublishedItem["media"] =>
    files.map((file) => ({
      sha256: digestFile(file.file),
      bytes: file.total,
      type: file.type,
      ...(file.altText === undefined ? {} : { alt_text: file.altText }),
    }));

  /** An edit is a new post, of an account with Premium, within an hour and up to five times. */
  function editPost(account: NetworkAccount, edit: { previous: string; text: string; ids: string[] }): NetworkResponse {
    const item = published.find(({ id, account: owner }) => id === edit.previous && owner === account.externalId);
    if (!item) return problemResponse(404, "resource-not-found", `Could not find post with id: [${edit.previous}].`);
    const versions = history.get(item.id) ?? [item.id];
    const isLate = context.now() - Date.parse(item.at) > EDIT_WINDOW_MS;
    if (account.facts?.premium !== true || isLate || versions.length > MAX_EDITS) {
      return problemResponse(403, "", "You are not permitted to edit this Post.");
    }
    item.id = context.nextId("1990");
    item.caption = edit.text;
    item.media = describeMedia(edit.ids.flatMap((id) => uploads.find(id) ?? []));
    item.url = `https://x.com/i/web/status/${item.id}`;
    mediaIds.set(item.id, edit.ids);
    history.set(item.id, [...versions, item.id]);
    return {
      ...okResponse({ id: item.id, text: edit.text, edit_history_tweet_ids: history.get(item.id) }),
      status: 201,
    };
  }

  /** An earlier version is found by its id as well. */
  function getPosts(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const ids = (request.query.get("ids") ?? "").split(",");
    const own = published.filter((item) => item.account === account.externalId);
    const data = own
      .filter((item) => (history.get(item.id) ?? [item.id]).some((id) => ids.includes(id)))
      .map((item) => ({ id: item.id, text: item.caption, edit_history_tweet_ids: history.get(item.id) ?? [item.id] }));
    return { status: 200, body: data.length > 0 ? { data } : { errors: [{ title: "Not Found Error" }] } };
  }

  function deletePost(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    if (removePublished(published, account, id)) return okResponse({ deleted: true });
    const isOthers = published.some((item) => item.id === id);
    return isOthers
      ? problemResponse(403, "", "You are not allowed to delete this Post.")
      : problemResponse(404, "resource-not-found", `Could not find post with id: [${id}].`);
  }

  function listTimeline(account: NetworkAccount, request: NetworkRequest, { id }: PathParams): NetworkResponse {
    if (id !== account.externalId) return problemResponse(403, "not-authorized-for-resource", "Not yours.");
    const since = Date.parse(request.query.get("start_time") ?? "1970-01-01T00:00:00Z");
    const limit = Number(request.query.get("max_results") ?? 10);
    if (!(limit >= 5 && limit <= 100) || Number.isNaN(since)) {
      return invalidRequest("max_results or start_time is not valid.");
    }
    const posts = published.filter((item) => item.account === account.externalId && Date.parse(item.at) >= since);
    const from = Number(request.query.get("pagination_token") ?? 0);
    const next = from + limit < posts.length ? { next_token: String(from + limit) } : {};
    const data = posts
      .toReversed()
      .slice(from, from + limit)
      .map((item) => {
        const keys = (mediaIds.get(item.id) ?? []).map((id) => `${MEDIA_CATEGORIES[item.kind]?.key}_${id}`);
        const { text, urls } = shortenLinks(item.caption, keys.length > 0);
        // An API that ignores `post.fields` returns the default fields only.
        if (account.facts?.plainTimeline) return { id: item.id, text, edit_history_tweet_ids: [item.id] };
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

  function failUpload(request: NetworkRequest, name: string): NetworkResponse | null {
    const upload = uploads.find(request.query.get("media_id") ?? "");
    if (!upload || !MEDIA_FAILURES.includes(name)) return null;
    uploads.fail(upload, name);
    return okResponse(uploads.describe(upload));
  }

  function exchangeRefreshToken(request: NetworkRequest): NetworkResponse {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const basic = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const [user, secret] = Buffer.from(basic, "base64").toString("utf8").split(":");
    if (!user || !secret) {
      const error_description = "Missing valid authorization header";
      return { status: 401, body: { error: "unauthorized_client", error_description } };
    }
    const oldToken = form.get("refresh_token") ?? "";
    const account = tokens.findByRefreshToken(oldToken);
    if (!account || form.get("grant_type") !== "refresh_token") {
      const error_description = "Value passed for the token was invalid.";
      return { status: 400, body: { error: "invalid_request", error_description } };
    }
    const issued = { accessToken: context.nextId("xat"), refreshToken: context.nextId("xrt") };
    tokens.revokeRefreshToken(oldToken);
    tokens.revokeAccessToken(account.accessToken);
    tokens.register({ ...account, ...issued, expired: false });
    return {
      status: 200,
      body: {
        token_type: "bearer",
        expires_in: 7_200,
        access_token: issued.accessToken,
        refresh_token: issued.refreshToken,
        scope: "tweet.read tweet.write users.read media.write offline.access",
      },
    };
  }

  return {
    platform: "twitter",
    ...routeCalls({
      "upload/initialize": { route: "POST /2/media/upload/initialize", answer: signedIn(uploads.initialize) },
      "upload/append": { route: "POST /2/media/upload/:id/append", answer: signedIn(uploads.append) },
      "upload/finalize": { route: "POST /2/media/upload/:id/finalize", answer: signedIn(uploads.finalize) },
      "upload/status": {
        route: "GET /2/media/upload",
        takes: ({ query }) => query.get("command") === "STATUS",
        answer: signedIn(uploads.getStatus),
      },
      "media/metadata": { route: "POST /2/media/metadata", answer: signedIn(uploads.addMetadata) },
      tweets: { route: "POST /2/tweets", answer: signedIn(createPost) },
      "tweets/get": { route: "GET /2/tweets", answer: signedIn(getPosts) },
      "tweets/delete": { route: "DELETE /2/tweets/:id", answer: signedIn(deletePost) },
      "users/tweets": { route: "GET /2/users/:id/tweets", answer: signedIn(listTimeline) },
      "oauth2/token": { route: "POST /2/oauth2/token", answer: exchangeRefreshToken },
    }),
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    findAccount: tokens.findAccount,
    findCallForCode: (code) => (MEDIA_FAILURES.includes(code) ? "upload/status" : null),

    failProcessing: (request) => failUpload(request, "InvalidMedia"),

    buildScriptedError(kind: ScriptedError, code, request) {
      if (kind === "429") return rateLimitError(context.now(), 100);
      if (kind === "500") return problemResponse(503, "", "Service Unavailable");
      return failUpload(request, code ?? "") ?? namedError(code ?? "invalid-request");
    },
  };
}
