// A stand-in for LinkedIn's versioned REST API: assets, multipart videos, posts, duplicates, tokens.
import { createAssets } from "./linkedin-assets.ts";
import { fault, headerFault, kindOf, lastOf, mayActAs, readingOf, shapeFault, urnsOf } from "./linkedin-wire.ts";
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

const CALLS = [
  "initializeUpload",
  "upload",
  "finalizeUpload",
  "assets.get",
  "posts.create",
  "posts.find",
  "posts.get",
  "oauth/accessToken",
] as const;
const SAME_WITHIN_MS = 10 * 60_000;
const POSTS_PER_DAY = 150;

interface Post {
  urn: string;
  author: string;
  body: Record<string, unknown>;
  createdAt: number;
  item: PublishedItem;
}

export function linkedinStandIn(pace: Pace): Network {
  const tokens = createTokens();
  const posts = new Map<string, Post>();
  const published: PublishedItem[] = [];
  const assets = createAssets(pace, (token) => tokens.holder(token) !== null);

  function tokenFault(request: Incoming): Answer | null {
    const account = tokens.holder(bearerOf(request));
    if (!account) return fault(bearerOf(request) ? "INVALID_ACCESS_TOKEN" : "EMPTY_ACCESS_TOKEN");
    return account.expired ? fault("EXPIRED_ACCESS_TOKEN") : null;
  }

  function create(account: NetworkAccount, request: Incoming): Answer {
    const body = jsonOf(request);
    const author = String(body.author);
    if (account.facts?.noPosting === true || !mayActAs(account, author)) return fault("ACCESS_DENIED");
    const today = published.filter((item) => item.account === account.externalId).length;
    if (today >= Number(account.facts?.postsPerDay ?? POSTS_PER_DAY)) return fault("TOO_MANY_REQUESTS");
    const urns = urnsOf(body.content);
    const wrong =
      shapeFault(body, author) ?? urns.map((urn) => assets.faultOf(urn, author)).find((one) => one !== null);
    if (wrong) return wrong;
    const same = sameAs(author, body.commentary, urns);
    if (same) {
      const prefix = "com.linkedin.content.common.exception.BadRequestResponseException";
      return fault("DUPLICATE_POST", `${prefix}: Content is a duplicate of ${same.urn}`);
    }
    const post = keep(account, author, body, urns);
    return { status: 201, headers: { "x-restli-id": post.urn, "x-linkedin-id": post.urn } };
  }

  /** The same words and media from the same author a short while ago; what was cleared away is forgotten here too. */
  function sameAs(author: string, commentary: unknown, urns: string[]): Post | undefined {
    return [...posts.values()].find(
      (post) =>
        published.includes(post.item) &&
        post.author === author &&
        post.body.commentary === commentary &&
        String(urnsOf(post.body.content)) === String(urns) &&
        Date.now() - post.createdAt < SAME_WITHIN_MS,
    );
  }

  function keep(account: NetworkAccount, author: string, body: Record<string, unknown>, urns: string[]): Post {
    const urn = `urn:li:share:${nextId("74")}`;
    const { commentary, visibility, isReshareDisabledByAuthor } = body;
    const title = (body.content as { media?: { title?: string } } | undefined)?.media?.title;
    const item: PublishedItem = {
      id: urn,
      account: account.externalId,
      kind: kindOf(urns),
      caption: readingOf(String(commentary)),
      ...(title === undefined ? {} : { title }),
      media: urns.map(assets.factsOf),
      settings: { author, commentary, visibility, isReshareDisabledByAuthor },
      at: new Date().toISOString(),
      url: `https://www.linkedin.com/feed/update/${urn}/`,
    };
    const post: Post = { urn, author, body, createdAt: Date.now(), item };
    posts.set(urn, post);
    published.push(item);
    return post;
  }

  function shown({ urn, body, createdAt }: Post) {
    return { ...body, id: urn, createdAt, publishedAt: createdAt, lastModifiedAt: createdAt };
  }

  function find(account: NetworkAccount, request: Incoming): Answer {
    const author = request.query.get("author") ?? "";
    const asked = request.query.get("q") === "author" && request.headers.get("x-restli-method") === "FINDER";
    if (!asked) return fault("MISSING_REQUIRED_FIELD");
    // Few apps may read what members posted.
    if (account.facts?.noReading === true || !mayActAs(account, author)) return fault("ACCESS_DENIED");
    const count = Number(request.query.get("count") ?? 10);
    const mine = [...posts.values()].filter((post) => post.author === author && published.includes(post.item));
    const elements = mine.toReversed().slice(0, count).map(shown);
    return { status: 200, body: { elements, paging: { start: 0, count, links: [] } } };
  }

  function getPost(account: NetworkAccount, request: Incoming): Answer {
    const post = posts.get(lastOf(request));
    if (!post || account.facts?.ghostPosts === true) return fault("NOT_FOUND");
    return mayActAs(account, post.author) ? { status: 200, body: shown(post) } : fault("ACCESS_DENIED");
  }

  function token(request: Incoming): Answer {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const refused = (status: number, error: string, error_description: string) => ({
      status,
      body: { error, error_description },
    });
    if (!form.get("client_id") || !form.get("client_secret")) {
      return refused(401, "invalid_client", "Client authentication failed");
    }
    const account = tokens.refreshing(form.get("refresh_token"));
    if (!account || form.get("grant_type") !== "refresh_token") {
      return refused(
        400,
        "invalid_request",
        "The provided authorization grant or refresh token is invalid or expired.",
      );
    }
    const accessToken = nextId("AQX");
    tokens.register({ ...account, accessToken, expired: false });
    // The refresh token stays, and its year counts down.
    const rest = { refresh_token: account.refreshToken, refresh_token_expires_in: 31_000_000 };
    return { status: 200, body: { access_token: accessToken, expires_in: 5_184_000, ...rest } };
  }

  return {
    platform: "linkedin",
    calls: CALLS,
    published,
    register: tokens.register,
    accountOf: tokens.accountOf,
    callOfCode(code) {
      if (code === "PROCESSING_FAILED") return "assets.get";
      return /^(DUPLICATE_POST|MEDIA_ASSET_\w+|FIELD_LENGTH_TOO_LONG)$/.test(code) ? "posts.create" : null;
    },

    callOf({ method, path, query }) {
      if (method === "POST" && path === "/oauth/v2/accessToken") return "oauth/accessToken";
      if (method === "PUT" && path.startsWith("/dms-uploads/")) return "upload";
      const [, root, noun = "", id] = path.split("/");
      if (root !== "rest") return null;
      if (noun === "posts") return method === "POST" ? "posts.create" : id ? "posts.get" : "posts.find";
      if (!["images", "videos", "documents"].includes(noun)) return null;
      if (method === "GET") return id ? "assets.get" : null;
      const action = query.get("action");
      if (action === "finalizeUpload" && noun !== "videos") return null;
      return action === "initializeUpload" || action === "finalizeUpload" ? action : null;
    },

    async answer(call, request) {
      if (call === "oauth/accessToken") return token(request);
      if (call === "upload") return assets.upload(request);
      const wrong = tokenFault(request) ?? headerFault(request);
      const account = tokens.holder(bearerOf(request));
      if (wrong || !account) return wrong ?? fault("EMPTY_ACCESS_TOKEN");
      const doors = {
        initializeUpload: assets.initialize,
        finalizeUpload: assets.finalize,
        "assets.get": assets.get,
        "posts.create": create,
        "posts.find": find,
        "posts.get": getPost,
      };
      return doors[call as keyof typeof doors](account, request);
    },

    refusal(kind: ScriptedRefusal, code, request) {
      if (kind === "429") return fault("TOO_MANY_REQUESTS", "Resource level throttle DAY limit is reached.");
      if (kind === "500") return fault("INTERNAL_SERVER_ERROR");
      if (request.path === "/oauth/v2/accessToken") return { status: 400, body: { error: code ?? "invalid_request" } };
      const failed = code === "PROCESSING_FAILED" ? assets.fail(lastOf(request)) : null;
      return failed ?? fault(code ?? "INVALID_VALUE_FOR_FIELD");
    },
  };
}
