// A stand-in for Threads' publishing API: containers filled from public URLs, the daily quota, permalinks, tokens.
import { createQuota } from "./meta-quota.ts";
import { graphFault, graphTime, missingObject, nodeOf } from "./meta-wire.ts";
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
  "threads_publishing_limit",
  "threads",
  "container",
  "threads_publish",
  "threads_list",
  "permalink",
  "refresh_access_token",
] as const;

const QUOTA = 250;
const DAY_MS = 86_400_000;
const TYPES = ["TEXT", "IMAGE", "VIDEO", "CAROUSEL"];
const REPLY_CONTROLS = [
  "everyone",
  "accounts_you_follow",
  "mentioned_only",
  "parent_post_author_only",
  "followers_only",
];

interface Container {
  id: string;
  account: string;
  fields: Record<string, string>;
  media: PublishedItem["media"];
  readyAt: number;
  createdAt: number;
  reads: number;
  /** The network's word when the media could not be used. */
  error: string | null;
  published: boolean;
}

/** code and words of the subcodes that this stand-in gives by itself or on demand. */
const SUBCODES: Readonly<Record<number, readonly [number, string]>> = {
  2207004: [36000, "The image is too large to download."],
  2207005: [36001, "The image format is not supported."],
  2207028: [100, "Your post won't work as a carousel."],
  2207042: [9, "You reached the maximum number of posts that is allowed to be published."],
  2207050: [25, "The account is restricted."],
  2207051: [4, "We restrict certain activity to protect our community."],
  2207052: [9004, "The media could not be fetched from this uri."],
  4279009: [24, "The requested resource does not exist"],
  4279013: [10, "The account is restricted from this action."],
};

export function threadsStandIn(pace: Pace): Network {
  const tokens = createTokens();
  const containers = new Map<string, Container>();
  const published: PublishedItem[] = [];
  const quota = createQuota(published, QUOTA);

  async function createContainer(account: NetworkAccount, request: Incoming): Promise<Answer> {
    const fields = fieldsOf(request);
    if (account.facts?.restricted === true) return fault(4279013);
    const container: Container = {
      id: nextId("179"),
      account: account.externalId,
      fields,
      media: [],
      readyAt: 0,
      createdAt: Date.now(),
      reads: 0,
      error: null,
      published: false,
    };
    const wrong = fieldFault(fields) ?? (await fill(container));
    if (wrong) return wrong;
    containers.set(container.id, container);
    return { status: 200, body: { id: container.id } };
  }

  async function fill(container: Container): Promise<Answer | null> {
    const { fields } = container;
    if (fields.media_type === "TEXT") return null;
    if (fields.media_type === "CAROUSEL") return fillCarousel(container);
    const url = (fields.media_type === "IMAGE" ? fields.image_url : fields.video_url) ?? "";
    const file = await fetchMedia(url);
    container.media = [{ url, type: file.type, bytes: file.bytes }];
    if (fields.media_type === "IMAGE") {
      if (!file.ok) return fault(2207052);
      if (!["image/jpeg", "image/png"].includes(file.type)) return fault(2207005);
      return file.bytes > 8 * 1024 * 1024 ? fault(2207004) : null;
    }
    container.readyAt = Date.now() + pace.processingMs;
    if (!file.ok) container.error = "FAILED_DOWNLOADING_VIDEO";
    else if (!["video/mp4", "video/quicktime"].includes(file.type)) container.error = "FAILED_PROCESSING_VIDEO";
    return null;
  }

  function fillCarousel(container: Container): Answer | null {
    const ids = (container.fields.children ?? "").split(",").filter(Boolean);
    const children = ids.map((id) => containers.get(id));
    if (ids.length < 2 || ids.length > 20) return fault(2207028);
    if (children.some((child) => child?.account !== container.account)) return fault(4279009);
    if (children.some((child) => child?.fields.is_carousel_item !== "true")) return fault(2207028);
    if (children.some((child) => child && stateOf(child) !== "FINISHED")) return fault(4279009);
    container.media = children.flatMap((child) => child?.media ?? []);
    return null;
  }

  function stateOf(container: Container): string {
    if (container.published) return "PUBLISHED";
    if (Date.now() - container.createdAt > DAY_MS) return "EXPIRED";
    if (Date.now() < container.readyAt) return "IN_PROGRESS";
    if (container.readyAt > 0 && container.reads < pace.processingPolls) return "IN_PROGRESS";
    return container.error === null ? "FINISHED" : "ERROR";
  }

  function readContainer(account: NetworkAccount, id: string): Answer {
    const container = containers.get(id);
    if (!container || container.account !== account.externalId) return missingObject(id, "GET");
    const status = stateOf(container);
    container.reads += 1;
    return { status: 200, body: { status, id, ...(status === "ERROR" ? { error_message: container.error } : {}) } };
  }

  function publish(account: NetworkAccount, request: Incoming): Answer {
    const container = containers.get(fieldsOf(request).creation_id ?? "");
    if (!container || container.account !== account.externalId) return fault(4279009);
    if (container.fields.is_carousel_item === "true" || stateOf(container) !== "FINISHED") return fault(4279009);
    if (quota.spent(account)) return fault(2207042);
    container.published = true;
    const { text, children, image_url, video_url, media_type, ...settings } = container.fields;
    const id = nextId("180");
    published.push({
      id,
      account: account.externalId,
      kind: media_type ?? "TEXT",
      caption: text ?? "",
      media: container.media,
      settings,
      at: new Date().toISOString(),
      url: `https://www.threads.net/@${account.username ?? account.externalId}/post/${Buffer.from(id).toString("base64url")}`,
    });
    return { status: 200, body: { id } };
  }

  function list(account: NetworkAccount, request: Incoming): Answer {
    const limit = Number(request.query.get("limit") ?? 25);
    const data = quota
      .postsOf(account)
      .reverse()
      .slice(0, limit)
      .map(({ id, url, at, caption }) => ({ id, permalink: url, timestamp: graphTime(at), text: caption }));
    return { status: 200, body: { data, paging: {} } };
  }

  function permalink(account: NetworkAccount, id: string): Answer {
    const item = quota.postsOf(account).find((one) => one.id === id);
    return item ? { status: 200, body: { permalink: item.url, id } } : missingObject(id, "GET");
  }

  function refresh(account: NetworkAccount, request: Incoming): Answer {
    if (request.query.get("grant_type") !== "th_refresh_token") {
      return graphFault(400, 100, null, "Param grant_type must be th_refresh_token");
    }
    const accessToken = nextId("THAA");
    tokens.register({ ...account, accessToken });
    return { status: 200, body: { access_token: accessToken, token_type: "bearer", expires_in: 5_184_000 } };
  }

  return {
    platform: "threads",
    calls: CALLS,
    published,
    register: tokens.register,
    accountOf: tokens.accountOf,

    callOf({ method, path, query }) {
      if (method === "GET" && path === "/refresh_access_token") return "refresh_access_token";
      const node = nodeOf(path);
      if (!node) return null;
      if (method === "POST") return node.edge === "threads" || node.edge === "threads_publish" ? node.edge : null;
      if (method !== "GET") return null;
      if (node.edge === null) return /status/.test(query.get("fields") ?? "") ? "container" : "permalink";
      if (node.edge === "threads") return "threads_list";
      return node.edge === "threads_publishing_limit" ? node.edge : null;
    },

    async answer(call, request) {
      const account = tokens.authorized(request);
      if (!account) return graphFault(401, 190, null, "Error validating access token: Session has expired.");
      if (call === "refresh_access_token") return refresh(account, request);
      const { id } = nodeOf(request.path) ?? { id: "" };
      if (call === "container") return readContainer(account, id);
      if (call === "permalink") return permalink(account, id);
      if (id !== account.externalId) return missingObject(id, request.method);
      if (call === "threads") return createContainer(account, request);
      if (call === "threads_publish") return publish(account, request);
      if (call === "threads_list") return list(account, request);
      return quota.answer(account);
    },

    refusal(kind, code, request) {
      if (kind === "429") return graphFault(429, 4, null, "Application request limit reached");
      if (kind === "500") return graphFault(500, 2, null, "Service temporarily unavailable");
      const named = (code ?? "100").replace(/^th_/, "");
      const container = containers.get(nodeOf(request.path)?.id ?? "");
      if (/^[A-Z_]+$/.test(named) && container) {
        container.error = named;
        return { status: 200, body: { status: "ERROR", id: container.id, error_message: named } };
      }
      if (Number.isNaN(Number(named))) return graphFault(400, 100, null, "Scripted refusal");
      return Number(named) > 100_000
        ? fault(Number(named))
        : graphFault(named === "190" ? 401 : 400, Number(named), null, "Scripted refusal");
    },

    callOfCode: (code) => (/^(FAILED|INVALID)_[A-Z_]+$/.test(code) ? "container" : null),
  };
}

function fieldFault(fields: Record<string, string>): Answer | null {
  const { media_type: type, text, topic_tag: tag, reply_control: control } = fields;
  if (!type || !TYPES.includes(type)) return graphFault(400, 100, null, `Param media_type must be one of {${TYPES}}`);
  if (type === "TEXT" && !text) return graphFault(400, 100, null, "The parameter text is required");
  if (weight(text ?? "") > 500) return graphFault(400, 100, null, "Param text must be at most 500 characters long.");
  const links = new Set((text ?? "").match(/(?:https?:\/\/|www\.)[^\s]+/g) ?? []);
  if (links.size > 5) return graphFault(400, 100, null, "THREADS_API__LINK_LIMIT_EXCEEDED");
  if (control !== undefined && !REPLY_CONTROLS.includes(control)) {
    return graphFault(400, 100, null, "Param reply_control must be one of the documented values");
  }
  if (tag !== undefined && !/^[^.&]{1,50}$/.test(tag))
    return graphFault(400, 100, null, "Param topic_tag is not valid");
  return null;
}

/** Written apart from the service's own count, so that the two check each other. */
function weight(text: string): number {
  const emoji = /\p{RGI_Emoji}/gv;
  const bytes = (text.match(emoji) ?? []).reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  return bytes + [...text.replace(emoji, "")].length;
}

function fault(subcode: number): Answer {
  const [code, message] = SUBCODES[subcode] ?? [100, "Scripted refusal"];
  return graphFault(400, code, subcode, message);
}
