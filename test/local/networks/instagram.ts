// A stand-in for Instagram's content publishing API: containers filled from public URLs, quotas, permalinks, tokens.

import { instagramReading } from "./instagram-read.ts";
import { createQuota } from "./meta-quota.ts";
import { graphTime } from "./meta-wire.ts";
import {
  type Answer,
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
  "content_publishing_limit",
  "media",
  "container",
  "media_publish",
  "media_list",
  "insights",
  "stories",
  "permalink",
  "refresh_access_token",
] as const;

const QUOTA = 100;

interface Container {
  id: string;
  account: string;
  fields: Record<string, string>;
  media: PublishedItem["media"];
  readyAt: number;
  reads: number;
  /** Meta's subcode when the media could not be used. */
  error: number | null;
  published: boolean;
  expired: boolean;
}

/** code and words of the subcodes that this stand-in gives by itself or on demand. */
const SUBCODES: Readonly<Record<number, readonly [number, string]>> = {
  2207003: [-2, "It takes too long to download the media."],
  2207004: [36000, "The image is too large to download."],
  2207005: [36001, "The image format is not supported."],
  2207006: [24, "The requested resource does not exist."],
  2207008: [24, "The media builder does not exist or has expired."],
  2207009: [36003, "The submitted image with aspect ratio cannot be published."],
  2207010: [36004, "The submitted image's caption was too long."],
  2207020: [-2, "The media you are trying to access has expired."],
  2207023: [100, "The media type is unknown."],
  2207026: [352, "The video format is not supported."],
  2207027: [9007, "The media is not ready for publishing, please wait for a moment"],
  2207028: [100, "Your post won't work as a carousel."],
  2207032: [-1, "Create media fail, please try to re-create media"],
  2207042: [9, "You reached the maximum number of posts that is allowed to be published."],
  2207050: [25, "The Instagram account is restricted."],
  2207051: [4, "We restrict certain activity to protect our community."],
  2207052: [9004, "The media could not be fetched from this uri."],
  2207053: [-1, "unknown upload error"],
  2207077: [9004, "The media could not be fetched from this uri."],
};

export function instagramStandIn(pace: Pace): Network {
  const tokens = createTokens();
  const containers = new Map<string, Container>();
  const published: PublishedItem[] = [];
  const quota = createQuota(published, QUOTA);
  const reading = instagramReading(published);

  async function createContainer(account: NetworkAccount, request: Incoming): Promise<Answer> {
    const fields = fieldsOf(request);
    const container: Container = {
      id: nextId("178"),
      account: account.externalId,
      fields,
      media: [],
      readyAt: Date.now() + pace.processingMs,
      reads: 0,
      error: null,
      published: false,
      expired: false,
    };
    const wrong = fieldFault(fields) ?? (await fill(container));
    if (wrong) return wrong;
    containers.set(container.id, container);
    return { status: 200, body: { id: container.id } };
  }

  async function fill(container: Container): Promise<Answer | null> {
    const { fields } = container;
    if (fields.media_type === "CAROUSEL") return fillCarousel(container);
    const url = fields.image_url ?? fields.video_url ?? "";
    const file = await fetchMedia(url);
    container.media = [{ url, type: file.type, bytes: file.bytes }];
    if (fields.image_url) {
      // Images are read at once, so a bad one is refused here; videos are read later and fail in their status.
      container.readyAt = 0;
      if (!file.ok) return fault(2207052);
      if (file.type !== "image/jpeg") return fault(2207005);
      return file.bytes > 8 * 1024 * 1024 ? fault(2207004) : null;
    }
    if (!file.ok) container.error = 2207052;
    else if (!["video/mp4", "video/quicktime"].includes(file.type)) container.error = 2207026;
    return null;
  }

  function fillCarousel(container: Container): Answer | null {
    const ids = (container.fields.children ?? "").split(",").filter(Boolean);
    const children = ids.map((id) => containers.get(id));
    if (ids.length < 2 || ids.length > 10) return fault(2207028);
    if (children.some((child) => child?.account !== container.account || child.fields.is_carousel_item !== "true")) {
      return fault(2207028);
    }
    if (children.some((child) => child && stateOf(child) !== "FINISHED")) return fault(2207027);
    container.media = children.flatMap((child) => child?.media ?? []);
    return null;
  }

  function stateOf(container: Container): string {
    if (container.published) return "PUBLISHED";
    if (container.expired) return "EXPIRED";
    if (Date.now() < container.readyAt) return "IN_PROGRESS";
    if (container.readyAt > 0 && container.reads < pace.processingPolls) return "IN_PROGRESS";
    return container.error === null ? "FINISHED" : "ERROR";
  }

  function readContainer(account: NetworkAccount, id: string): Answer {
    const container = containers.get(id);
    if (!container || container.account !== account.externalId) return missing(id);
    const code = stateOf(container);
    container.reads += 1;
    const sentence: Record<string, string> = {
      ERROR: `Error: Media upload has failed with error code ${container.error}`,
      FINISHED: "Finished: Media has been uploaded and it is ready to be published.",
      IN_PROGRESS: "In Progress: Media is still being processed.",
      PUBLISHED: "Published: Media has been published.",
      EXPIRED: "Expired: Media was not published within 24 hours.",
    };
    return { status: 200, body: { status_code: code, status: sentence[code], id } };
  }

  function publish(account: NetworkAccount, request: Incoming): Answer {
    const container = containers.get(fieldsOf(request).creation_id ?? "");
    if (!container || container.account !== account.externalId || container.published) return fault(2207006);
    if (container.fields.is_carousel_item === "true") return fault(2207023);
    const state = stateOf(container);
    if (state === "EXPIRED") return fault(2207020);
    if (state !== "FINISHED") return fault(state === "ERROR" ? (container.error ?? 2207032) : 2207027);
    if (quota.spent(account)) return fault(2207042);
    container.published = true;
    const { caption, children, image_url, video_url, is_carousel_item, media_type, ...settings } = container.fields;
    const id = nextId("180");
    const path = media_type === "REELS" ? "reel" : media_type === "STORIES" ? `stories/${account.username}` : "p";
    published.push({
      id,
      account: account.externalId,
      kind: media_type ?? "IMAGE",
      caption: caption ?? "",
      media: container.media,
      settings,
      at: new Date().toISOString(),
      url: `https://www.instagram.com/${path}/${Buffer.from(id).toString("base64url")}/`,
    });
    return { status: 200, body: { id } };
  }

  function stories(account: NetworkAccount, request: Incoming): Answer {
    const limit = Number(request.query.get("limit") ?? 25);
    const posts = quota.postsOf(account).filter((item) => item.kind === "STORIES");
    const data = posts
      .reverse()
      .slice(0, limit)
      .map(({ id, url, at }) => ({ id, permalink: url, timestamp: graphTime(at) }));
    return { status: 200, body: { data, paging: {} } };
  }

  function permalink(account: NetworkAccount, id: string): Answer {
    const item = quota.postsOf(account).find((one) => one.id === id);
    return item ? { status: 200, body: { permalink: item.url, id } } : missing(id);
  }

  function refresh(account: NetworkAccount): Answer {
    const accessToken = nextId("IGAA");
    tokens.register({ ...account, accessToken });
    return { status: 200, body: { access_token: accessToken, token_type: "bearer", expires_in: 5_184_000 } };
  }

  return {
    platform: "instagram",
    calls: CALLS,
    published,
    register: tokens.register,
    accountOf: tokens.accountOf,

    callOf({ method, path, query }) {
      if (method === "GET" && path.endsWith("/refresh_access_token")) return "refresh_access_token";
      const [, id, edge] = /^\/(?:v\d+\.\d+\/)?(\w+)(?:\/(\w+))?$/.exec(path) ?? [];
      if (!id) return null;
      if (method === "POST") return edge === "media" || edge === "media_publish" ? edge : null;
      if (method !== "GET") return null;
      if (edge === undefined) return /status/.test(query.get("fields") ?? "") ? "container" : "permalink";
      if (edge === "media") return "media_list";
      if (edge === "insights") return edge;
      return edge === "stories" || edge === "content_publishing_limit" ? edge : null;
    },

    async answer(call, request) {
      const account = tokens.authorized(request);
      if (!account) return envelope(401, 190, null, "Error validating access token: Session has expired.");
      if (call === "refresh_access_token") return refresh(account);
      const [id = ""] = request.path
        .replace(/^\/v\d+\.\d+/, "")
        .split("/")
        .filter(Boolean);
      if (call === "container") return readContainer(account, id);
      if (call === "permalink") return permalink(account, id);
      if (call === "insights") return reading.insights(account, id, request);
      if (id !== account.externalId) return missing(id);
      if (call === "media") return createContainer(account, request);
      if (call === "media_publish") return publish(account, request);
      if (call === "media_list") return reading.list(account, request);
      if (call === "stories") return stories(account, request);
      return quota.answer(account);
    },

    refusal(kind, code) {
      if (kind === "429") return envelope(429, 4, null, "Application request limit reached");
      if (kind === "500") return envelope(500, 2, null, "Service temporarily unavailable");
      const number = Number(String(code ?? "2207010").replace(/^ig_/, ""));
      if (number >= 2_207_000 && number < 2_208_000) return fault(number);
      return envelope(number === 190 ? 401 : 400, Number.isNaN(number) ? 100 : number, null, "Scripted refusal");
    },
  };
}

function fieldFault(fields: Record<string, string>): Answer | null {
  if ((fields.caption ?? "").length > 2_200) return fault(2207010);
  const types = [undefined, "REELS", "STORIES", "CAROUSEL", "VIDEO"];
  if (!types.includes(fields.media_type)) return fault(2207023);
  if (fields.media_type === "CAROUSEL") return null;
  return fields.image_url || fields.video_url ? null : envelope(400, 100, null, "Param image_url is required");
}

function missing(id: string): Answer {
  return envelope(400, 100, 33, `Unsupported get request. Object with ID '${id}' does not exist.`);
}

function fault(subcode: number): Answer {
  const [code, message] = SUBCODES[subcode] ?? [100, "Scripted refusal"];
  return envelope(400, code, subcode, message);
}

function envelope(status: number, code: number, subcode: number | null, message: string): Answer {
  return {
    status,
    body: {
      error: {
        message,
        type: code === 190 ? "OAuthException" : "IGApiException",
        code,
        ...(subcode === null ? {} : { error_subcode: subcode, is_transient: code < 0 }),
        fbtrace_id: nextId("A"),
      },
    },
  };
}
