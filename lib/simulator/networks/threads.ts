// Simulates Threads' publishing API: containers filled from public URLs, the daily quota, permalinks, tokens.

import { DAY_MS } from "../../shared/durations.ts";
import type { NetworkContext } from "./context.ts";
import { createSignedIn, type PathParams, routeCalls } from "./endpoints.ts";
import { createContainers } from "./meta-containers.ts";
import { asksForStatus, formatGraphTime, graphError, missingObjectError, NODE, ofAccount } from "./meta-protocol.ts";
import { createQuota } from "./meta-quota.ts";
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

const QUOTA = 250;
const TYPES = ["TEXT", "IMAGE", "VIDEO", "CAROUSEL"];
const REPLY_CONTROLS = [
  "everyone",
  "accounts_you_follow",
  "mentioned_only",
  "parent_post_author_only",
  "followers_only",
];

/** Code and message of the subcodes that are returned here. */
const SUBCODES: Readonly<Record<number, readonly [number, string]>> = {
  2207004: [36000, "The image is too large to download."],
  2207005: [36001, "The image format is not supported."],
  2207028: [100, "Your post won't work as a carousel."],
  2207042: [9, "You reached the maximum number of posts that is allowed to be published."],
  2207050: [25, "The account is restricted."],
  2207051: [4, "We restrict certain activity to protect our community."],
  2207052: [9004, "The media could not be fetched from this uri."],
  4279004: [24, "The carousel child items are invalid or expired."],
  4279009: [24, "The requested resource does not exist"],
  4279013: [10, "The account is restricted from this action."],
};

export function simulateThreads(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const published = context.list<PublishedItem>("published");
  const quota = createQuota(context, published, QUOTA);
  const containers = createContainers<string>(context, {
    ...{ idPrefix: "179", lifetimeMs: DAY_MS, imageTypes: ["image/jpeg", "image/png"], maxChildren: 20 },
    areChildrenPolled: true,
    ...{ unfetchedVideo: "FAILED_DOWNLOADING_VIDEO", unsupportedVideo: "FAILED_PROCESSING_VIDEO" },
    ...{ foreignChild: 4279009, unfinishedChild: 4279004 },
    isImage: ({ media_type }) => media_type === "IMAGE",
    ...{ findFieldError, subcodeError },
  });
  const signedIn = createSignedIn(
    (request) =>
      tokens.authorize(request) ?? graphError(401, 190, null, "Error validating access token: Session has expired."),
  );

  function createContainer(account: NetworkAccount, request: NetworkRequest) {
    if (account.facts?.restricted === true) return subcodeError(4279013);
    const parent = readFields(request).reply_to_id;
    const isOwnPost = published.some((item) => item.id === parent && item.account === account.externalId);
    return parent !== undefined && !isOwnPost ? missingObjectError(parent, "GET") : containers.create(account, request);
  }

  function readContainer(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const container = containers.findOwn(account, id);
    if (!container) return missingObjectError(id, "GET");
    const status = containers.getState(container);
    container.reads += 1;
    return { status: 200, body: { status, id, ...(status === "ERROR" ? { error_message: container.error } : {}) } };
  }

  function publish(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const container = containers.findOwn(account, readFields(request).creation_id);
    if (!container || containers.isChild(container) || containers.getState(container) !== "FINISHED")
      return subcodeError(4279009);
    if (quota.isExceeded(account)) return subcodeError(2207042);
    container.published = true;
    // Fields other than text, media and parent are settings of the post.
    const {
      text,
      children,
      image_url,
      video_url,
      media_type,
      alt_text,
      reply_to_id: parent,
      ...settings
    } = container.fields;
    const id = context.nextId("180");
    published.push({
      id,
      account: account.externalId,
      kind: media_type ?? "TEXT",
      caption: text ?? "",
      media: container.media,
      settings,
      at: new Date(context.now()).toISOString(),
      url: `https://www.threads.net/@${account.username ?? account.externalId}/post/${Buffer.from(id).toString("base64url")}`,
      ...(parent ? { parent } : {}),
    });
    return { status: 200, body: { id } };
  }

  /** The posts of a profile, or its replies: neither list has the other's. */
  const listPosts =
    (isReply: boolean) =>
    (account: NetworkAccount, request: NetworkRequest): NetworkResponse => {
      const limit = Number(request.query.get("limit") ?? 25);
      const data = quota
        .listPosts(account)
        .reverse()
        .filter(({ parent }) => (parent !== undefined) === isReply)
        .slice(0, limit)
        .map(({ id, url, at, caption }) => ({ id, permalink: url, timestamp: formatGraphTime(at), text: caption }));
      return { status: 200, body: { data, paging: {} } };
    };

  function getPermalink(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const item = quota.listPosts(account).find((post) => post.id === id);
    return item ? { status: 200, body: { permalink: item.url, id } } : missingObjectError(id, "GET");
  }

  function refreshToken(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    if (request.query.get("grant_type") !== "th_refresh_token") {
      return graphError(400, 100, null, "Param grant_type must be th_refresh_token");
    }
    const accessToken = context.nextId("THAA");
    tokens.register({ ...account, accessToken });
    return { status: 200, body: { access_token: accessToken, token_type: "bearer", expires_in: 5_184_000 } };
  }

  function deletePost(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const isRemoved = removePublished(published, account, id);
    return isRemoved ? { status: 200, body: { success: true, deleted_id: id } } : missingObjectError(id, "DELETE");
  }

  return {
    platform: "threads",
    ...routeCalls({
      threads: { route: `POST ${NODE}/threads`, answer: signedIn(ofAccount(createContainer)) },
      container: { route: `GET ${NODE}`, takes: asksForStatus, answer: signedIn(readContainer) },
      threads_publish: { route: `POST ${NODE}/threads_publish`, answer: signedIn(ofAccount(publish)) },
      permalink: { route: `GET ${NODE}`, answer: signedIn(getPermalink) },
      delete: { route: `DELETE ${NODE}`, answer: signedIn(deletePost) },
      threads_list: { route: `GET ${NODE}/threads`, answer: signedIn(ofAccount(listPosts(false))) },
      replies: { route: `GET ${NODE}/replies`, answer: signedIn(ofAccount(listPosts(true))) },
      threads_publishing_limit: {
        route: `GET ${NODE}/threads_publishing_limit`,
        answer: signedIn(ofAccount(quota.toResponse)),
      },
      refresh_access_token: { route: "GET /refresh_access_token", answer: signedIn(refreshToken) },
    }),
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    findAccount: tokens.findAccount,

    failProcessing(request) {
      const container = containers.findByPath(request);
      return container?.fields.video_url ? this.buildScriptedError("refuse", "FAILED_PROCESSING_VIDEO", request) : null;
    },

    buildScriptedError(kind, code, request) {
      if (kind === "429") return graphError(429, 4, null, "Application request limit reached");
      if (kind === "500") return graphError(500, 2, null, "Service temporarily unavailable");
      const errorCode = (code ?? "100").replace(/^th_/, "");
      const container = containers.findByPath(request);
      if (/^[A-Z_]+$/.test(errorCode) && container) {
        container.error = errorCode;
        return { status: 200, body: { status: "ERROR", id: container.id, error_message: errorCode } };
      }
      if (Number.isNaN(Number(errorCode))) return graphError(400, 100, null, "Scripted error");
      return Number(errorCode) > 100_000
        ? subcodeError(Number(errorCode))
        : graphError(errorCode === "190" ? 401 : 400, Number(errorCode), null, "Scripted error");
    },

    findCallForCode: (code) => (/^(FAILED|INVALID)_[A-Z_]+$/.test(code) ? "container" : null),
  };
}

function findFieldError(fields: Record<string, string>): NetworkResponse | null {
  const { media_type: type, text, topic_tag: tag, reply_control: control } = fields;
  if (!type || !TYPES.includes(type)) return graphError(400, 100, null, `Param media_type must be one of {${TYPES}}`);
  if (type === "TEXT" && !text) return graphError(400, 100, null, "The parameter text is required");
  if (measureTextLength(text ?? "") > 500)
    return graphError(400, 100, null, "Param text must be at most 500 characters long.");
  const links = new Set((text ?? "").match(/(?:https?:\/\/|www\.)[^\s]+/g) ?? []);
  if (links.size > 5) return graphError(400, 100, null, "THREADS_API__LINK_LIMIT_EXCEEDED");
  if (control !== undefined && !REPLY_CONTROLS.includes(control)) {
    return graphError(400, 100, null, "Param reply_control must be one of the documented values");
  }
  const isDescribed = (fields.alt_text ?? "").length <= 1_000 && ["IMAGE", "VIDEO"].includes(type);
  if (fields.alt_text !== undefined && !isDescribed) return graphError(400, 100, null, "Param alt_text is not valid");
  if (tag !== undefined && !/^[^.&]{1,50}$/.test(tag))
    return graphError(400, 100, null, "Param topic_tag is not valid");
  return null;
}

/** Independent of the service's own implementation, so that tests compare the two. */
function measureTextLength(text: string): number {
  const emoji = /\p{RGI_Emoji}/gv;
  const bytes = (text.match(emoji) ?? []).reduce((sum, match) => sum + Buffer.byteLength(match), 0);
  return bytes + [...text.replace(emoji, "")].length;
}

function subcodeError(subcode: number): NetworkResponse {
  const [code, message] = SUBCODES[subcode] ?? [100, "Scripted error"];
  return graphError(400, code, subcode, message);
}
