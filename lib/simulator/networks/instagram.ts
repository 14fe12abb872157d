// Simulates Instagram's content publishing API: containers filled from public URLs, quotas, permalinks, tokens.

import { createGraphComments } from "./comments.ts";
import { createTraceId, type NetworkContext } from "./context.ts";
import { type AccountAnswer, createSignedIn, type PathParams, routeCalls } from "./endpoints.ts";
import { createInstagramAnalytics } from "./instagram-analytics.ts";
import { findInvalidSetting } from "./instagram-settings.ts";
import { createContainers } from "./meta-containers.ts";
import { asksForStatus, formatGraphTime, NODE, ofAccount } from "./meta-protocol.ts";
import { createQuota } from "./meta-quota.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readFields,
  type SimulatedNetwork,
} from "./network.ts";
import { createTokenStore } from "./token-store.ts";

const QUOTA = 100;

/** Code and message of the subcodes that are returned here. */
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

export function simulateInstagram(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const published = context.list<PublishedItem>("published");
  const quota = createQuota(context, published, QUOTA);
  const containers = createContainers<number>(context, {
    ...{ idPrefix: "178", lifetimeMs: Number.POSITIVE_INFINITY, imageTypes: ["image/jpeg"], maxChildren: 10 },
    // Children of a carousel are read side by side, so only the time counts for them.
    areChildrenPolled: false,
    ...{ unfetchedVideo: 2207052, unsupportedVideo: 2207026, foreignChild: 2207028, unfinishedChild: 2207027 },
    isImage: ({ media_type, image_url }) => media_type !== "CAROUSEL" && Boolean(image_url),
    ...{ findFieldError, subcodeError },
  });
  const analytics = createInstagramAnalytics(context, published);
  const comments = createGraphComments(context, published, "instagram");
  const signedIn = createSignedIn(
    (request) =>
      tokens.authorize(request) ?? errorResponse(401, 190, null, "Error validating access token: Session has expired."),
  );
  const onAccount = (answer: AccountAnswer) => signedIn(ofAccount(answer, missingObjectError));

  function readContainer(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const container = containers.findOwn(account, id);
    if (!container) return missingObjectError(id);
    const code = containers.getState(container);
    container.reads += 1;
    const messages: Record<string, string> = {
      ERROR: `Error: Media upload has failed with error code ${container.error}`,
      FINISHED: "Finished: Media has been uploaded and it is ready to be published.",
      IN_PROGRESS: "In Progress: Media is still being processed.",
      PUBLISHED: "Published: Media has been published.",
    };
    return { status: 200, body: { status_code: code, status: messages[code], id } };
  }

  function publish(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const container = containers.findOwn(account, readFields(request).creation_id);
    if (!container || container.published) return subcodeError(2207006);
    if (containers.isChild(container)) return subcodeError(2207023);
    const state = containers.getState(container);
    if (state !== "FINISHED") return subcodeError(state === "ERROR" ? (container.error ?? 2207032) : 2207027);
    if (quota.isExceeded(account)) return subcodeError(2207042);
    container.published = true;
    // Fields other than text and media are settings of the post; tags and alternative texts are shown with their media.
    const { caption, children, image_url, video_url, is_carousel_item, media_type, user_tags, alt_text, ...settings } =
      container.fields;
    const id = context.nextId("180");
    const path = media_type === "REELS" ? "reel" : media_type === "STORIES" ? `stories/${account.username}` : "p";
    published.push({
      id,
      account: account.externalId,
      kind: media_type ?? "IMAGE",
      caption: caption ?? "",
      media: container.media,
      settings,
      at: new Date(context.now()).toISOString(),
      url: `https://www.instagram.com/${path}/${Buffer.from(id).toString("base64url")}/`,
    });
    return { status: 200, body: { id } };
  }

  function listStories(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const limit = Number(request.query.get("limit") ?? 25);
    const posts = quota.listPosts(account).filter((item) => item.kind === "STORIES");
    const data = posts
      .reverse()
      .slice(0, limit)
      .map(({ id, url, at }) => ({ id, permalink: url, timestamp: formatGraphTime(at) }));
    return { status: 200, body: { data, paging: {} } };
  }

  function getPermalink(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const item = quota.listPosts(account).find((post) => post.id === id);
    return item ? { status: 200, body: { permalink: item.url, id } } : missingObjectError(id);
  }

  function refreshToken(account: NetworkAccount): NetworkResponse {
    const accessToken = context.nextId("IGAA");
    tokens.register({ ...account, accessToken });
    return { status: 200, body: { access_token: accessToken, token_type: "bearer", expires_in: 5_184_000 } };
  }

  return {
    platform: "instagram",
    ...routeCalls({
      media: { route: `POST ${NODE}/media`, answer: onAccount(containers.create) },
      container: { route: `GET ${NODE}`, takes: asksForStatus, answer: signedIn(readContainer) },
      media_publish: { route: `POST ${NODE}/media_publish`, answer: onAccount(publish) },
      permalink: { route: `GET ${NODE}`, answer: signedIn(getPermalink) },
      media_list: { route: `GET ${NODE}/media`, answer: onAccount(analytics.list) },
      insights: { route: `GET ${NODE}/insights`, answer: signedIn(analytics.insights) },
      stories: { route: `GET ${NODE}/stories`, answer: onAccount(listStories) },
      "comments.create": { route: `POST ${NODE}/comments`, answer: signedIn(comments.create) },
      "comments.list": { route: `GET ${NODE}/comments`, answer: signedIn(comments.list) },
      content_publishing_limit: {
        route: `GET ${NODE}/content_publishing_limit`,
        answer: onAccount(quota.toResponse),
      },
      refresh_access_token: { route: "GET /refresh_access_token", answer: signedIn(refreshToken) },
    }),
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    findAccount: tokens.findAccount,

    failProcessing(request) {
      const account = tokens.authorize(request);
      const container = containers.findByPath(request);
      if (!account || !container?.fields.video_url) return null;
      Object.assign(container, { error: 2207026, readyAt: 0 });
      return readContainer(account, request, { id: container.id });
    },

    buildScriptedError(kind, code) {
      if (kind === "429") return errorResponse(429, 4, null, "Application request limit reached");
      if (kind === "500") return errorResponse(500, 2, null, "Service temporarily unavailable");
      const number = Number(String(code ?? "2207010").replace(/^ig_/, ""));
      if (number >= 2_207_000 && number < 2_208_000) return subcodeError(number);
      return errorResponse(number === 190 ? 401 : 400, Number.isNaN(number) ? 100 : number, null, "Scripted error");
    },
  };
}

function findFieldError(fields: Record<string, string>): NetworkResponse | null {
  if ((fields.caption ?? "").length > 2_200) return subcodeError(2207010);
  const types = [undefined, "REELS", "STORIES", "CAROUSEL", "VIDEO"];
  if (!types.includes(fields.media_type)) return subcodeError(2207023);
  const invalid = findInvalidSetting(fields);
  if (invalid) return errorResponse(400, 100, null, `(#100) Param ${invalid} is not valid`);
  if (fields.media_type === "CAROUSEL") return null;
  return fields.image_url || fields.video_url ? null : errorResponse(400, 100, null, "Param image_url is required");
}

function missingObjectError(id: string): NetworkResponse {
  return errorResponse(400, 100, 33, `Unsupported get request. Object with ID '${id}' does not exist.`);
}

function subcodeError(subcode: number): NetworkResponse {
  const [code, message] = SUBCODES[subcode] ?? [100, "Scripted error"];
  return errorResponse(400, code, subcode, message);
}

function errorResponse(status: number, code: number, subcode: number | null, message: string): NetworkResponse {
  return {
    status,
    body: {
      error: {
        message,
        type: code === 190 ? "OAuthException" : "IGApiException",
        code,
        ...(subcode === null ? {} : { error_subcode: subcode, is_transient: code < 0 }),
        fbtrace_id: createTraceId("A"),
      },
    },
  };
}
