// Simulates Facebook pages: feed posts, unpublished photos, videos, reels, stories, token exchange.

import { createGraphComments } from "./comments.ts";
import type { NetworkContext } from "./context.ts";
import { type AccountAnswer, createSignedIn, type PathParams, routeCalls } from "./endpoints.ts";
import { createReels } from "./facebook-reels.ts";
import { createVideoUploads, inPhase } from "./facebook-videos.ts";
import { asksForStatus, formatGraphTime, graphError, missingObjectError, NODE, ofAccount } from "./meta-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readFields,
  removePublished,
  type SimulatedNetwork,
} from "./network.ts";
import { createTokenStore } from "./token-store.ts";

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

  const expired = () => graphError(400, 190, 463, "Error validating access token: Session has expired.");
  const signedIn = createSignedIn((request) => tokens.authorize(request) ?? expired());
  const onPage = (answer: AccountAnswer) => signedIn(ofAccount(answer));

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
  function deleteNode(page: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const isStory = published.some((item) => item.id === id && item.kind === "story");
    const isRemoved = !isStory && removePublished(published, page, id);
    return isRemoved ? { status: 200, body: { success: true } } : missingObjectError(id, "DELETE");
  }

  function getNode(page: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    if (id === page.externalId) return { status: 200, body: { id } };
    const item = published.find((one) => one.account === page.externalId && one.id === id);
    return item ? { status: 200, body: { permalink_url: item.url, id } } : missingObjectError(id, "GET");
  }

  /** A post has a message, a video a description. */
  function editNode(page: NetworkAccount, request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
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
    const page = tokens.findByAccessToken(param("fb_exchange_token"));
    if (!param("client_id") || !param("client_secret") || param("grant_type") !== "fb_exchange_token") {
      return graphError(400, 101, null, "Missing client_id or client_secret parameter.");
    }
    if (!page || page.expired) return expired();
    const accessToken = context.nextId("EAA");
    tokens.register({ ...page, accessToken });
    const expiry = page.facts?.lastingToken === true ? {} : { expires_in: 5_183_944 };
    return { status: 200, body: { access_token: accessToken, token_type: "bearer", ...expiry } };
  }

  function readVideo(page: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    return reels.read(page, id) ?? videos.read(page, id);
  }

  function failVideo({ path }: NetworkRequest, code: number): NetworkResponse | null {
    const id = path.split("/").at(-1) ?? "";
    return reels.failProcessing(id, code) ?? videos.failProcessing(id, code);
  }

  const start = inPhase("start");
  const finish = inPhase("finish");
  return {
    platform: "facebook",
    ...routeCalls({
      photos: { route: `POST ${NODE}/photos`, answer: onPage(addPhoto) },
      feed: { route: `POST ${NODE}/feed`, answer: onPage(createPost) },
      published_posts: { route: `GET ${NODE}/published_posts`, answer: onPage(listPublishedPosts) },
      videos_start: { route: `POST ${NODE}/videos`, takes: start, answer: onPage(videos.start) },
      videos_transfer: { route: `POST ${NODE}/videos`, takes: inPhase("transfer"), answer: onPage(videos.transfer) },
      videos_finish: { route: `POST ${NODE}/videos`, takes: finish, answer: onPage(videos.finish) },
      video_reels_start: {
        route: `POST ${NODE}/video_reels`,
        takes: start,
        answer: onPage(reels.start("video_reels")),
      },
      video_reels_finish: {
        route: `POST ${NODE}/video_reels`,
        takes: finish,
        answer: onPage(reels.finish("video_reels")),
      },
      video_stories_start: {
        route: `POST ${NODE}/video_stories`,
        takes: start,
        answer: onPage(reels.start("video_stories")),
      },
      video_stories_finish: {
        route: `POST ${NODE}/video_stories`,
        takes: finish,
        answer: onPage(reels.finish("video_stories")),
      },
      video_upload: { route: "POST /video-upload/:version/:id", answer: signedIn(reels.upload) },
      photo_stories: { route: `POST ${NODE}/photo_stories`, answer: onPage(publishPhotoStory) },
      stories: { route: `GET ${NODE}/stories`, answer: onPage(reels.list) },
      video: { route: `GET ${NODE}`, takes: asksForStatus, answer: signedIn(readVideo) },
      permalink: { route: `GET ${NODE}`, answer: signedIn(getNode) },
      edit: { route: `POST ${NODE}`, answer: signedIn(editNode) },
      delete: { route: `DELETE ${NODE}`, answer: signedIn(deleteNode) },
      "comments.create": { route: `POST ${NODE}/comments`, answer: signedIn(comments.create) },
      "comments.list": { route: `GET ${NODE}/comments`, answer: signedIn(comments.list) },
      "oauth/access_token": { route: "GET /:version{v[0-9]+[.][0-9]+}/oauth/access_token", answer: exchangeToken },
    }),
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    findAccount: tokens.findAccount,
    findCallForCode: (code) => (/^(fb_)?(352|1363(0[124][0-9]|12[789]))$/.test(code) ? "video" : null),

    failProcessing: (request) => failVideo(request, 352),

    buildScriptedError(kind, code, request) {
      if (kind === "429") return graphError(429, 4, null, "Application request limit reached");
      if (kind === "500") return graphError(500, 2, null, "Service temporarily unavailable");
      const number = Number((code ?? "100").replace(/^fb_/, ""));
      if (Number.isNaN(number)) return graphError(400, 100, null, "Scripted error");
      const failed = request.method === "GET" ? failVideo(request, number) : null;
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
