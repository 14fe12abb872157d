// Simulates LinkedIn's versioned REST API: assets, multipart videos, posts, duplicates, tokens.

import { createLinkedInComments } from "./comments.ts";
import type { NetworkContext } from "./context.ts";
import { type AccountAnswer, createSignedIn, type PathParams, routeCalls } from "./endpoints.ts";
import { createAssets } from "./linkedin-assets.ts";
import {
  canActAs,
  errorResponse,
  findArticle,
  findHeaderError,
  findPostError,
  listUrns,
  readLastPathId,
  renderCommentary,
  toKind,
} from "./linkedin-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  type PublishedItem,
  readBearerToken,
  readJsonObject,
  removePublished,
  type ScriptedError,
  type SimulatedNetwork,
} from "./network.ts";
import { createTokenStore } from "./token-store.ts";

const ASSETS = "/rest/:kind{images|videos|documents}";
const COMMENTS = "/rest/socialActions/:id/comments";
const DUPLICATE_WINDOW_MS = 10 * 60_000;
const POSTS_PER_DAY = 150;

interface Post {
  urn: string;
  author: string;
  body: Record<string, unknown>;
  createdAt: number;
}

export function simulateLinkedIn(context: NetworkContext): SimulatedNetwork {
  const tokens = createTokenStore(context);
  const posts = context.map<Post>("posts");
  const published = context.list<PublishedItem>("published");
  const comments = createLinkedInComments(context, published);
  const assets = createAssets(context, (token) => tokens.findByAccessToken(token) !== null);

  const withToken = createSignedIn((request) => {
    const token = readBearerToken(request);
    const account = tokens.findByAccessToken(token);
    if (!account) return errorResponse(token ? "INVALID_ACCESS_TOKEN" : "EMPTY_ACCESS_TOKEN");
    return account.expired ? errorResponse("EXPIRED_ACCESS_TOKEN") : account;
  });
  /** The versioned API asks for headers of its own. */
  const signedIn = (answer: AccountAnswer) =>
    withToken((account, request, params) => findHeaderError(request) ?? answer(account, request, params));

  function createPost(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const body = readJsonObject(request);
    const author = String(body.author);
    if (account.facts?.noPosting === true || !canActAs(account, author)) return errorResponse("ACCESS_DENIED");
    const used = published.filter((item) => item.account === account.externalId && item.kind !== "comment").length;
    if (used >= Number(account.facts?.postsPerDay ?? POSTS_PER_DAY)) return errorResponse("TOO_MANY_REQUESTS");
    const urns = listUrns(body.content);
    const postError =
      findPostError(body, author) ??
      urns.map((urn) => assets.findUseError(urn, author)).find((error) => error !== null);
    if (postError) return postError;
    const duplicate = findDuplicate(author, body.commentary, urns);
    if (duplicate) {
      const prefix = "com.linkedin.content.common.exception.BadRequestResponseException";
      return errorResponse("DUPLICATE_POST", `${prefix}: Content is a duplicate of ${duplicate.urn}`);
    }
    const post = storePost(account, author, body, urns);
    return { status: 201, headers: { "x-restli-id": post.urn, "x-linkedin-id": post.urn } };
  }

  const isPublished = ({ urn }: Post) => published.some(({ id }) => id === urn);

  /** Finds a recent post of the author with the same text and media, unless it was cleared by a control endpoint. */
  function findDuplicate(author: string, commentary: unknown, urns: string[]): Post | undefined {
    return [...posts.values()].find(
      (post) =>
        isPublished(post) &&
        post.author === author &&
        post.body.commentary === commentary &&
        String(listUrns(post.body.content)) === String(urns) &&
        context.now() - post.createdAt < DUPLICATE_WINDOW_MS,
    );
  }

  function storePost(account: NetworkAccount, author: string, body: Record<string, unknown>, urns: string[]): Post {
    const urn = `urn:li:share:${context.nextId("74")}`;
    const { commentary, visibility, isReshareDisabledByAuthor } = body;
    const article = findArticle(body.content);
    const cover = urns.map((urn) => assets.describeCover(urn)).find((hash) => hash !== null);
    const title = (body.content as { media?: { title?: string } } | undefined)?.media?.title;
    const item: PublishedItem = {
      id: urn,
      account: account.externalId,
      kind: article ? "article" : toKind(urns),
      caption: renderCommentary(String(commentary)),
      ...(title === undefined ? {} : { title }),
      media: urns.map((urn) => ({ ...assets.describeFile(urn), ...findAltText(body.content, urn) })),
      settings: {
        ...{ author, commentary, visibility, isReshareDisabledByAuthor },
        ...(article ? { card: article } : {}),
        ...(cover ? { cover } : {}),
      },
      at: new Date(context.now()).toISOString(),
      url: `https://www.linkedin.com/feed/update/${urn}/`,
    };
    const post: Post = { urn, author, body, createdAt: context.now() };
    posts.set(urn, post);
    published.push(item);
    return post;
  }

  function toPostBody({ urn, body, createdAt }: Post) {
    return { ...body, id: urn, createdAt, publishedAt: createdAt, lastModifiedAt: createdAt };
  }

  function findPosts(account: NetworkAccount, request: NetworkRequest): NetworkResponse {
    const author = request.query.get("author") ?? "";
    const isFinder = request.query.get("q") === "author" && request.headers.get("x-restli-method") === "FINDER";
    if (!isFinder) return errorResponse("MISSING_REQUIRED_FIELD");
    // Few apps have permission to read posts of members.
    if (account.facts?.noReading === true || !canActAs(account, author)) return errorResponse("ACCESS_DENIED");
    const count = Number(request.query.get("count") ?? 10);
    const ownPosts = [...posts.values()].filter((post) => post.author === author && isPublished(post));
    const elements = ownPosts.toReversed().slice(0, count).map(toPostBody);
    return { status: 200, body: { elements, paging: { start: 0, count, links: [] } } };
  }

  function getPost(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const post = posts.get(id);
    if (!post || account.facts?.ghostPosts === true) return errorResponse("NOT_FOUND");
    if (account.facts?.noReading === true) return errorResponse("ACCESS_DENIED");
    return canActAs(account, post.author) ? { status: 200, body: toPostBody(post) } : errorResponse("ACCESS_DENIED");
  }

  function updatePost(account: NetworkAccount, request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const post = posts.get(id);
    if (!post) return errorResponse("NOT_FOUND");
    if (!canActAs(account, post.author)) return errorResponse("ACCESS_DENIED");
    const { patch } = readJsonObject(request) as { patch?: { $set?: { commentary?: unknown } } };
    const commentary = patch?.$set?.commentary;
    const isPartial = request.headers.get("x-restli-method") === "PARTIAL_UPDATE";
    if (!isPartial || typeof commentary !== "string") return errorResponse("MISSING_REQUIRED_FIELD");
    post.body.commentary = commentary;
    const item = published.find(({ id }) => id === post.urn);
    if (item)
      Object.assign(item, { caption: renderCommentary(commentary), settings: { ...item.settings, commentary } });
    return { status: 204 };
  }

  /** A deletion is idempotent: 204 for a post that is gone. */
  function deletePost(account: NetworkAccount, _request: NetworkRequest, { id = "" }: PathParams): NetworkResponse {
    const post = posts.get(id);
    if (post && !canActAs(account, post.author)) return errorResponse("ACCESS_DENIED");
    if (post) removePublished(published, account, post.urn);
    if (post) posts.delete(post.urn);
    return { status: 204 };
  }

  function getUser({ externalId, username, facts }: NetworkAccount): NetworkResponse {
    if (facts?.noProfile === true) return errorResponse("ACCESS_DENIED");
    const sub = externalId.split(":").at(-1);
    return { status: 200, body: { sub, name: username ?? sub, locale: { country: "US", language: "en" } } };
  }

  function exchangeRefreshToken(request: NetworkRequest): NetworkResponse {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const tokenError = (status: number, error: string, error_description: string) => ({
      status,
      body: { error, error_description },
    });
    if (!form.get("client_id") || !form.get("client_secret")) {
      return tokenError(401, "invalid_client", "Client authentication failed");
    }
    const account = tokens.findByRefreshToken(form.get("refresh_token"));
    if (!account || form.get("grant_type") !== "refresh_token") {
      return tokenError(
        400,
        "invalid_request",
        "The provided authorization grant or refresh token is invalid or expired.",
      );
    }
    const accessToken = context.nextId("AQX");
    tokens.register({ ...account, accessToken, expired: false });
    // The refresh token stays the same, its lifetime is not extended.
    const rest = { refresh_token: account.refreshToken, refresh_token_expires_in: 31_000_000 };
    return { status: 200, body: { access_token: accessToken, expires_in: 5_184_000, ...rest } };
  }

  return {
    platform: "linkedin",
    ...routeCalls({
      upload: { route: "PUT /dms-uploads/:id/:at", answer: assets.upload },
      userinfo: { route: "GET /v2/userinfo", answer: withToken(getUser) },
      initializeUpload: {
        route: `POST ${ASSETS}`,
        takes: ({ query }) => query.get("action") === "initializeUpload",
        answer: signedIn(assets.initialize),
      },
      finalizeUpload: {
        route: "POST /rest/videos",
        takes: ({ query }) => query.get("action") === "finalizeUpload",
        answer: signedIn(assets.finalize),
      },
      "assets.get": { route: `GET ${ASSETS}/:id`, answer: signedIn(assets.get) },
      "posts.create": { route: "POST /rest/posts", answer: signedIn(createPost) },
      "posts.find": { route: "GET /rest/posts", answer: signedIn(findPosts) },
      "posts.get": { route: "GET /rest/posts/:id", answer: signedIn(getPost) },
      "posts.update": { route: "POST /rest/posts/:id", answer: signedIn(updatePost) },
      "posts.delete": { route: "DELETE /rest/posts/:id", answer: signedIn(deletePost) },
      "comments.create": { route: `POST ${COMMENTS}`, answer: signedIn(comments.create) },
      "comments.list": { route: `GET ${COMMENTS}`, answer: signedIn(comments.list) },
      "oauth/accessToken": { route: "POST /oauth/v2/accessToken", answer: exchangeRefreshToken },
    }),
    published,
    register: tokens.register,
    disconnect: tokens.disconnect,
    findAccount: tokens.findAccount,
    findCallForCode(code) {
      if (code === "PROCESSING_FAILED") return "assets.get";
      return /^(DUPLICATE_POST|MEDIA_ASSET_\w+|FIELD_LENGTH_TOO_LONG)$/.test(code) ? "posts.create" : null;
    },

    failProcessing: (request) => assets.fail(readLastPathId(request)),

    buildScriptedError(kind: ScriptedError, code, request) {
      if (kind === "429") return errorResponse("TOO_MANY_REQUESTS", "Resource level throttle DAY limit is reached.");
      if (kind === "500") return errorResponse("INTERNAL_SERVER_ERROR");
      if (request.path === "/oauth/v2/accessToken") return { status: 400, body: { error: code ?? "invalid_request" } };
      const failed = code === "PROCESSING_FAILED" ? assets.fail(readLastPathId(request)) : null;
      return failed ?? errorResponse(code ?? "INVALID_VALUE_FOR_FIELD");
    },
  };
}

/** Of an image: a video and a document have none. */
function findAltText(content: unknown, urn: string): { alt_text?: string } {
  const { media, multiImage } = (content ?? {}) as { media?: Described; multiImage?: { images?: Described[] } };
  const own = [...(media ? [media] : []), ...(multiImage?.images ?? [])].find(({ id }) => id === urn);
  return own?.altText && urn.startsWith("urn:li:image:") ? { alt_text: own.altText } : {};
}

interface Described {
  id: string;
  altText?: string;
}
