// Simulates Facebook pages: feed posts, unpublished photos, videos, reels, stories, token exchange.

import { createGraphComments } from "./comments.ts";
import type { NetworkContext } from "./context.ts";
import { createReels, REEL_CALLS } from "./facebook-reels.ts";
import { createVideoUploads, matchVideoCall } from "./facebook-videos.ts";
import { formatGraphTime, graphError, missingObjectError, parseNodePath } from "./meta-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readBearerToken,
  readFields,
  removePublished,
  type SimulatedNetwork,
} from "./network.ts";
import { createTokenStore } from "./token-store.ts";

const CALLS = [
  "published_posts",
  "photos",
  "feed",
  "videos_start",
  "videos_transfer",
  "videos_finish",
  ...REEL_CALLS,
  "video",
  "permalink",
  "delete",
  "edit",
  "comments.create",
  "comments.list",
  "oauth/access_token",
] as const;

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp", "image/tiff"];

interface Photo {
  id: string;
  page: string;
  media: PublishedItem["media"][number];
}

/** HTTP status, code and message of the subcodes that are returned here. */
const SUBCODES: Readonly<Record<number, readonly [number, number, string]>> = {
  1363047: [400, 2, "Facebook is temporarily unavailable."],
  1366046: [400, 324, "Photos should be smaller than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files."],
  1366051: [400, 100, "These photos were already posted."],
  1390008: [403, 368, "You are posting too fast."],
  1404102: [403, 368, "The content goes against the community standards."],
  1609010: [400, 2, "Facebook is temporarily unavailable."],
  2061006: [400, 100, "The URL is not valid."],
  4854002: [403, 200, "The identity must be confirmed."],
};

export function simulateFacebook(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const photos = context.map<Photo>("photos");
  /** Photo ids by post, in order. */
  const attachedPhotoIds = context.map<string[]>("photos of posts");
  const published = context.list<PublishedItem>("published");
  const videos = createVideoUploads(context, published);
  const reels = createReels(context, published);
  const comments = createGraphComments(context, published, "facebook");

  function authorize(token: string | null): NetworkAccount | null {
    const page = tokens.findByAccessToken(token);
    return page && !page.expired ? page : null;
  }

  function listPosts(page: NetworkAccount): PublishedItem[] {
    return published.filter((item) => item.account === page.externalId && item.kind !== "comment");
  }

  async function addPhoto(page: NetworkAccount, request: NetworkRequest): Promise<NetworkResponse> {
    const { url = "", published: isPublished, caption, alt_text_custom: alt } = readFields(request);
    const file = await context.fetchMedia(url, "image");
    if (!file.ok) return graphError(400, 324, 2069019, "Missing or invalid image file");
    if (!IMAGE_TYPES.includes(file.type) || file.bytes > 10_000_000) return subcodeError(1366046);
    const photo: Photo = {
      id: context.nextId("12"),
      page: page.externalId,
      media: { url, type: file.type, bytes: file.bytes, ...(alt === undefined ? {} : { alt_text: alt }) },
    };
    photos.set(photo.id, photo);
    if (isPublished === "false") return { status: 200, body: { id: photo.id } };
    const post = addPost(page, "photo", caption ?? "", [photo], {});
    return { status: 200, body: { id: photo.id, post_id: post.id } };
  }

  function addPost(
    page: NetworkAccount,
    kind: string,
    message: string,
    attached: Photo[],
    settings: Record<string, unknown>,
  ): PublishedItem {
    const number = context.nextId("12");
    const id = `${page.externalId}_${number}`;
    const item: PublishedItem = {
      id,
      account: page.externalId,
      kind,
      caption: message,
      media: attached.map((photo) => photo.media),
      settings,
      at: new Date(context.now()).toISOString(),
      url: `https://www.facebook.com/${page.externalId}/posts/${number}`,
    };
    const ids = attached.map((photo) => photo.id);
    attachedPhotoIds.set(id, ids);
    published.push(item);
    return item;
  }

  function createPost(page: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const { message = "", link, ...rest } = readFields(request);
    const ids = parseAttachedIds(rest);
    if (ids === null) return graphError(400, 100, null, "Param attached_media is not valid");
    if (message === "" && !link && ids.length === 0) return graphError(400, 100, null, "The post is empty.");
    if (message.length > 63_206) return graphError(400, 100, null, "Param message is too long");
    if (link !== undefined && !/^https?:\/\/[^\s/]+\.[^\s]+$/.test(link)) return subcodeError(2061006);
    if (new Set(ids).size < ids.length) return subcodeError(1366051);
    const attached = ids.map((id) => photos.get(id)).filter((photo) => photo?.page === page.externalId) as Photo[];
    if (attached.length < ids.length) return graphError(400, 100, null, "(#100) No such photo to attach.");
    const kind = ids.length > 0 ? "photos" : link === undefined ? "status" : "link";
    const item = addPost(page, kind, message, attached, link === undefined ? {} : { link });
    return { status: 200, body: { id: item.id } };
  }

  function listPublishedPosts(page: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const since = Number(request.query.get("since") ?? 0) * 1000;
    const limit = Math.min(Number(request.query.get("limit") ?? 25), 100);
    const rows = listPosts(page)
      .filter((item) => Date.parse(item.at) >= since)
      .reverse();
    const data = rows.slice(0, limit).map((item) => ({
      id: item.id,
      message: item.caption,
      created_time: formatGraphTime(item.at),
      permalink_url: item.url,
      ...buildAttachments(item),
    }));
    const next = rows.length > limit ? { next: `${request.baseUrl}${request.path}?after=more` } : {};
    return { status: 200, body: { data, paging: next } };
  }

  /** A single photo is the attachment itself, several are subattachments of an album. */
  function buildAttachments(item: PublishedItem): object {
    const targets = (attachedPhotoIds.get(item.id) ?? []).map((id) => ({ target: { id } }));
    const [first] = targets;
    if (!first) return {};
    if (targets.length === 1) return { attachments: { data: [first] } };
    return { attachments: { data: [{ target: { id: item.id }, subattachments: { data: targets } }] } };
  }

  function publishPhotoStory(page: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const photo = photos.get(readFields(request).photo_id ?? "");
    const isUsed = [...attachedPhotoIds.values()].flat().includes(photo?.id ?? "");
    return reels.publishPhoto(page, photo?.page === page.externalId ? photo : null, isUsed);
  }

  /** No page documents that a story can be removed. */
  function deleteNode(page: NetworkAccount, id: string): NetworkResponse {
    const isStory = published.some((item) => item.id === id && item.kind === "story");
    const isRemoved = !isStory && removePublished(published, page, id);
    return isRemoved ? { status: 200, body: { success: true } } : missingObjectError(id, "DELETE");
  }

  function getNode(page: NetworkAccount, id: string): NetworkResponse {
    if (id === page.externalId) return { status: 200, body: { id } };
    const item = published.find((one) => one.account === page.externalId && one.id === id);
    return item ? { status: 200, body: { permalink_url: item.url, id } } : missingObjectError(id, "GET");
  }

  /** A post has a message, a video a description. */
  function editNode(page: NetworkAccount, id: string, request: NetworkRequest): NetworkResponse {
    const item = listPosts(page).find((post) => post.id === id);
    if (!item) return missingObjectError(id, "POST");
    const { message, description } = readFields(request);
    const text = item.kind === "video" || item.kind === "reel" ? description : message;
    if (text === undefined || text.length > 63_206) return graphError(400, 100, null, "Invalid parameter");
    item.caption = text;
    return { status: 200, body: { success: true } };
  }

  function exchangeToken(request: NetworkRequest): NetworkResponse {
    const param = (name: string) => request.query.get(name);
    const page = authorize(param("fb_exchange_token"));
    if (!param("client_id") || !param("client_secret") || param("grant_type") !== "fb_exchange_token") {
      return graphError(400, 101, null, "Missing client_id or client_secret parameter.");
    }
    if (!page) return graphError(400, 190, 463, "Error validating access token: Session has expired.");
    const accessToken = context.nextId("EAA");
    tokens.register({ ...page, accessToken });
    const expiry = page.facts?.lastingToken === true ? {} : { expires_in: 5_183_944 };
    return { status: 200, body: { access_token: accessToken, token_type: "bearer", ...expiry } };
  }

  return {
    platform: "facebook",
    calls: CALLS,
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    findAccount: tokens.findAccount,
    findCallForCode: (code) => (/^(fb_)?(352|1363(0[124][0-9]|12[789]))$/.test(code) ? "video" : null),

    matchCall(request) {
      const { method, path, query } = request;
      if (method === "GET" && /^\/v\d+\.\d+\/oauth\/access_token$/.test(path)) return "oauth/access_token";
      if (method === "POST" && /^\/video-upload\/v\d+\.\d+\/\d+$/.test(path)) return "video_upload";
      const node = parseNodePath(path);
      if (!node) return null;
      if (method === "DELETE") return node.edge === null ? "delete" : null;
      if (node.edge === "comments") return method === "POST" ? "comments.create" : "comments.list";
      if (method === "POST" && node.edge === null) return "edit";
      if (method === "POST" && node.edge === "videos") return matchVideoCall(request);
      if (method === "POST" && /^video_(reels|stories)$/.test(node.edge ?? "")) {
        return reels.matchPhase(node.edge ?? "", request);
      }
      if (method === "POST") return ["feed", "photos", "photo_stories"].find((edge) => edge === node.edge) ?? null;
      if (method !== "GET") return null;
      if (node.edge === null) return /status/.test(query.get("fields") ?? "") ? "video" : "permalink";
      return node.edge === "published_posts" || node.edge === "stories" ? node.edge : null;
    },

    async handle(call, request) {
      if (call === "oauth/access_token") return exchangeToken(request);
      const page = authorize(readBearerToken(request));
      if (!page) return graphError(400, 190, 463, "Error validating access token: Session has expired.");
      if (call === "video_upload") return reels.handle(call, page, request);
      const { id } = parseNodePath(request.path) ?? { id: "" };
      if (call === "video") return reels.read(page, id) ?? videos.read(page, id);
      if (call === "permalink") return getNode(page, id);
      if (call === "edit") return editNode(page, id, request);
      if (call === "delete") return deleteNode(page, id);
      if (call === "comments.create") return comments.create(page, id, request);
      if (call === "comments.list") return comments.list(page, id, request);
      if (id !== page.externalId) return missingObjectError(id, request.method);
      if (call === "photos") return addPhoto(page, request);
      if (call === "feed") return createPost(page, request);
      if (call === "published_posts") return listPublishedPosts(page, request);
      if (call === "photo_stories") return publishPhotoStory(page, request);
      return call.startsWith("videos_") ? videos.handle(call, page, request) : reels.handle(call, page, request);
    },

    failProcessing(request) {
      const { id } = parseNodePath(request.path) ?? { id: "" };
      return reels.failProcessing(id, 352) ?? videos.failProcessing(id, 352);
    },

    buildScriptedError(kind, code, request) {
      if (kind === "429") return graphError(429, 4, null, "Application request limit reached");
      if (kind === "500") return graphError(500, 2, null, "Service temporarily unavailable");
      const number = Number((code ?? "100").replace(/^fb_/, ""));
      if (Number.isNaN(number)) return graphError(400, 100, null, "Scripted error");
      const { id } = parseNodePath(request.path) ?? { id: "" };
      const failed =
        request.method === "GET" ? (reels.failProcessing(id, number) ?? videos.failProcessing(id, number)) : null;
      if (failed) return failed;
      return number > 100_000 ? subcodeError(number) : graphError(400, number, null, "Scripted error");
    },
  };
}

/** Parses `attached_media[0]={"media_fbid":"12"}` and following, in order; null when one is malformed. */
function parseAttachedIds(fields: Record<string, string>): string[] | null {
  const ids: string[] = [];
  for (let at = 0; fields[`attached_media[${at}]`] !== undefined; at++) {
    const id = /^\{"media_fbid":"(\d+)"\}$/.exec(fields[`attached_media[${at}]`] ?? "")?.[1];
    if (!id) return null;
    ids.push(id);
  }
  return ids;
}

function subcodeError(subcode: number): NetworkResponse {
  const [status, code, message] = SUBCODES[subcode] ?? [400, 100, "Scripted error"];
  return graphError(status, code, subcode, message);
}
