// A stand-in for Facebook pages: feed posts, unpublished photos, videos, and the exchange of tokens.
import { videoUploads } from "./facebook-videos.ts";
import { graphFault, graphTime, missingObject, nodeOf } from "./meta-wire.ts";
import {
  type Answer,
  bearerOf,
  fetchMedia,
  fieldsOf,
  type Incoming,
  type Network,
  type NetworkAccount,
  nextId,
  type Pace,
  type PublishedItem,
} from "./network.ts";
import { createTokens } from "./tokens.ts";

const CALLS = [
  "feed_list",
  "photos",
  "feed",
  "videos_start",
  "videos_transfer",
  "videos_finish",
  "video",
  "permalink",
  "oauth/access_token",
] as const;

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp", "image/tiff"];

interface Photo {
  id: string;
  page: string;
  media: PublishedItem["media"][number];
}

/** HTTP status, code and words of the subcodes that this stand-in gives by itself or on demand. */
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

export function facebookStandIn(pace: Pace): Network {
  const tokens = createTokens();
  const photos = new Map<string, Photo>();
  /** Photo ids of a post, in their order. */
  const shown = new Map<string, string[]>();
  const published: PublishedItem[] = [];
  const videos = videoUploads(pace, published);

  function authorized(token: string | null): NetworkAccount | null {
    const page = tokens.holder(token);
    return page && !page.expired ? page : null;
  }

  function postsOf(page: NetworkAccount): PublishedItem[] {
    return published.filter((item) => item.account === page.externalId);
  }

  async function addPhoto(page: NetworkAccount, request: Incoming): Promise<Answer> {
    const { url = "", published: visible, caption } = fieldsOf(request);
    const file = await fetchMedia(url);
    if (!file.ok) return graphFault(400, 324, 2069019, "Missing or invalid image file");
    if (!IMAGE_TYPES.includes(file.type) || file.bytes > 10_000_000) return fault(1366046);
    const photo: Photo = {
      id: nextId("12"),
      page: page.externalId,
      media: { url, type: file.type, bytes: file.bytes },
    };
    photos.set(photo.id, photo);
    if (visible === "false") return { status: 200, body: { id: photo.id } };
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
    const number = nextId("12");
    const id = `${page.externalId}_${number}`;
    const item: PublishedItem = {
      id,
      account: page.externalId,
      kind,
      caption: message,
      media: attached.map((photo) => photo.media),
      settings,
      at: new Date().toISOString(),
      url: `https://www.facebook.com/${page.externalId}/posts/${number}`,
    };
    const ids = attached.map((photo) => photo.id);
    shown.set(id, ids);
    published.push(item);
    return item;
  }

  function post(page: NetworkAccount, request: Incoming): Answer {
    const { message = "", link, ...rest } = fieldsOf(request);
    const ids = attachedIds(rest);
    if (ids === null) return graphFault(400, 100, null, "Param attached_media is not valid");
    if (message === "" && !link && ids.length === 0) return graphFault(400, 100, null, "The post is empty.");
    if (message.length > 63_206) return graphFault(400, 100, null, "Param message is too long");
    if (link !== undefined && !/^https?:\/\/[^\s/]+\.[^\s]+$/.test(link)) return fault(2061006);
    if (new Set(ids).size < ids.length) return fault(1366051);
    const attached = ids.map((id) => photos.get(id)).filter((photo) => photo?.page === page.externalId) as Photo[];
    if (attached.length < ids.length) return graphFault(400, 100, null, "(#100) No such photo to attach.");
    const kind = ids.length > 0 ? "photos" : link === undefined ? "status" : "link";
    const item = addPost(page, kind, message, attached, link === undefined ? {} : { link });
    return { status: 200, body: { id: item.id } };
  }

  function list(page: NetworkAccount, request: Incoming): Answer {
    const since = Number(request.query.get("since") ?? 0) * 1000;
    const limit = Math.min(Number(request.query.get("limit") ?? 25), 100);
    const rows = postsOf(page)
      .filter((item) => Date.parse(item.at) >= since)
      .reverse();
    const data = rows.slice(0, limit).map((item) => ({
      id: item.id,
      message: item.caption,
      created_time: graphTime(item.at),
      permalink_url: item.url,
      from: { id: page.externalId },
      ...attachmentsOf(item),
    }));
    const next = rows.length > limit ? { next: `${request.self}${request.path}?after=more` } : {};
    return { status: 200, body: { data, paging: next } };
  }

  /** One photo is the attachment itself, several lie below an album. */
  function attachmentsOf(item: PublishedItem): object {
    const targets = (shown.get(item.id) ?? []).map((id) => ({ target: { id } }));
    const [first] = targets;
    if (!first) return {};
    if (targets.length === 1) return { attachments: { data: [first] } };
    return { attachments: { data: [{ target: { id: item.id }, subattachments: { data: targets } }] } };
  }

  function permalink(page: NetworkAccount, id: string): Answer {
    const item = postsOf(page).find((one) => one.id === id);
    return item ? { status: 200, body: { permalink_url: item.url, id } } : missingObject(id, "GET");
  }

  function exchange(request: Incoming): Answer {
    const param = (name: string) => request.query.get(name);
    const page = authorized(param("fb_exchange_token"));
    if (!param("client_id") || !param("client_secret") || param("grant_type") !== "fb_exchange_token") {
      return graphFault(400, 101, null, "Missing client_id or client_secret parameter.");
    }
    if (!page) return graphFault(400, 190, 463, "Error validating access token: Session has expired.");
    const accessToken = nextId("EAA");
    tokens.register({ ...page, accessToken });
    const lasting = page.facts?.lastingToken === true ? {} : { expires_in: 5_183_944 };
    return { status: 200, body: { access_token: accessToken, token_type: "bearer", ...lasting } };
  }

  return {
    platform: "facebook",
    calls: CALLS,
    published,
    register: tokens.register,
    accountOf: tokens.accountOf,
    callOfCode: (code) => (/^(fb_)?(352|13630(1[0-9]|2[0-9]))$/.test(code) ? "video" : null),

    callOf(request) {
      const { method, path, query } = request;
      if (method === "GET" && /^\/v\d+\.\d+\/oauth\/access_token$/.test(path)) return "oauth/access_token";
      const node = nodeOf(path);
      if (!node) return null;
      if (method === "POST" && node.edge === "videos") return videoCall(request);
      if (method === "POST") return node.edge === "feed" || node.edge === "photos" ? node.edge : null;
      if (method !== "GET") return null;
      if (node.edge === null) return /status/.test(query.get("fields") ?? "") ? "video" : "permalink";
      return node.edge === "feed" ? "feed_list" : null;
    },

    async answer(call, request) {
      if (call === "oauth/access_token") return exchange(request);
      const page = authorized(bearerOf(request));
      if (!page) return graphFault(400, 190, 463, "Error validating access token: Session has expired.");
      const { id } = nodeOf(request.path) ?? { id: "" };
      if (call === "video") return videos.read(page, id);
      if (call === "permalink") return permalink(page, id);
      if (id !== page.externalId) return missingObject(id, request.method);
      if (call === "photos") return addPhoto(page, request);
      if (call === "feed") return post(page, request);
      if (call === "feed_list") return list(page, request);
      return videos.answer(call, page, request);
    },

    refusal(kind, code, request) {
      if (kind === "429") return graphFault(429, 4, null, "Application request limit reached");
      if (kind === "500") return graphFault(500, 2, null, "Service temporarily unavailable");
      const number = Number((code ?? "100").replace(/^fb_/, ""));
      if (Number.isNaN(number)) return graphFault(400, 100, null, "Scripted refusal");
      const spoilt = request.method === "GET" ? videos.spoil(nodeOf(request.path)?.id ?? "", number) : null;
      if (spoilt) return spoilt;
      return number > 100_000 ? fault(number) : graphFault(400, number, null, "Scripted refusal");
    },
  };
}

function videoCall(request: Incoming): string | null {
  if (/^multipart\/form-data/.test(request.headers.get("content-type") ?? "")) return "videos_transfer";
  const phase = fieldsOf(request).upload_phase;
  return phase === "start" || phase === "finish" ? `videos_${phase}` : null;
}

/** `attached_media[0]={"media_fbid":"12"}` and so on, in their order; null when one can not be read. */
function attachedIds(fields: Record<string, string>): string[] | null {
  const ids: string[] = [];
  for (let at = 0; fields[`attached_media[${at}]`] !== undefined; at++) {
    const id = /^\{"media_fbid":"(\d+)"\}$/.exec(fields[`attached_media[${at}]`] ?? "")?.[1];
    if (!id) return null;
    ids.push(id);
  }
  return ids;
}

function fault(subcode: number): Answer {
  const [status, code, message] = SUBCODES[subcode] ?? [400, 100, "Scripted refusal"];
  return graphFault(status, code, subcode, message);
}
