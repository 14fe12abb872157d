// Comments below the posts of the networks whose comments are no posts of their own: of the accounts, and of other people.

import type { NetworkContext } from "./context.ts";
import type { AccountAnswer } from "./endpoints.ts";
import { canActAs, errorResponse as linkedinError } from "./linkedin-protocol.ts";
import { formatGraphTime, graphError, missingObjectError } from "./meta-protocol.ts";
import {
  type NetworkAccount,
  type NetworkResponse,
  type PublishedItem,
  readFields,
  readJsonObject,
} from "./network.ts";
import { errorResponse as youtubeError } from "./youtube-protocol.ts";

interface Comment {
  id: string;
  text: string;
  at: string;
  /** False for those of other people: an account's fact `strangers` has their texts, below each of its posts. */
  isOwn: boolean;
  url: string | null;
}

function createCommentStore(context: NetworkContext, published: PublishedItem[]) {
  return {
    /** A post of the account, which is no comment. */
    findPost: (account: NetworkAccount, id: string) =>
      published.find((item) => item.id === id && item.account === account.externalId && item.kind !== "comment"),

    add(account: NetworkAccount, comment: Pick<PublishedItem, "id" | "caption" | "url"> & { parent: string }): void {
      const at = new Date(context.now()).toISOString();
      published.push({ ...comment, account: account.externalId, kind: "comment", media: [], settings: {}, at });
    },

    /** Newest first. */
    list(account: NetworkAccount, parent: string): Comment[] {
      const texts = (account.facts?.strangers ?? []) as string[];
      const others = texts.map((text, at) => {
        return { id: `${parent}${at}`, text, at: "2026-01-01T00:00:00.000Z", isOwn: false, url: null };
      });
      const own = published
        .filter((item) => item.kind === "comment" && item.parent === parent)
        .map(({ id, caption: text, at, url }) => ({ id, text, at, isOwn: true, url }));
      return [...others, ...own].toReversed();
    },
  };
}

type Calls = Record<"create" | "list", (...args: Parameters<AccountAnswer>) => NetworkResponse>;

/** Instagram and Facebook. Both answer at most one page here, and say whether there is another. */
export function createGraphComments(
  context: NetworkContext,
  published: PublishedItem[],
  network: "instagram" | "facebook",
): Calls {
  const store = createCommentStore(context, published);
  const longest = network === "instagram" ? 2_200 : 8_000;
  return {
    create(account, request, { id = "" }) {
      const { message = "" } = readFields(request);
      const post = store.findPost(account, id);
      if (!post || post.kind === "STORIES") return missingObjectError(id, "POST");
      if (message.trim() === "") return graphError(400, 100, null, "(#100) The parameter message is required");
      if (message.length > longest) return graphError(400, 100, null, "(#100) Param message is too long");
      const number = context.nextId("17");
      const commentId = network === "instagram" ? number : `${id.split("_").at(-1)}_${number}`;
      const url = network === "instagram" ? null : `https://www.facebook.com/${id}?comment_id=${number}`;
      store.add(account, { id: commentId, caption: message, url, parent: id });
      return { status: 200, body: { id: commentId } };
    },

    list(account, { query, baseUrl, path }, { id = "" }) {
      if (!store.findPost(account, id)) return missingObjectError(id, "GET");
      const limit = Math.min(Number(query.get("limit") ?? 25), network === "instagram" ? 50 : 100);
      const all = store.list(account, id);
      const data = all.slice(0, limit).map((comment) => {
        const shared = { id: comment.id };
        const { externalId, username = "someone" } = account;
        if (network === "instagram") {
          const author = comment.isOwn ? { user: { id: externalId } } : { username: "someone" };
          return { ...shared, text: comment.text, timestamp: formatGraphTime(comment.at), ...author };
        }
        const from = comment.isOwn ? { id: externalId, name: username } : { id: "1", name: "Someone" };
        const address = comment.url === null ? {} : { permalink_url: comment.url };
        return { ...shared, message: comment.text, created_time: formatGraphTime(comment.at), from, ...address };
      });
      const next = all.length > limit ? { next: `${baseUrl}${path}?after=more` } : {};
      return { status: 200, body: { data, paging: next } };
    },
  };
}

export function createLinkedInComments(context: NetworkContext, published: PublishedItem[]): Calls {
  const store = createCommentStore(context, published);
  const find = (urn: string) => published.find((item) => item.id === urn && item.kind !== "comment");
  const toUrn = (post: string, id: string) => `urn:li:comment:(urn:li:activity:${post.split(":").at(-1)},${id})`;
  return {
    create(account, request, { id: urn = "" }) {
      const { actor, object, message } = readJsonObject(request) as { [name: string]: unknown };
      const text = (message as { text?: unknown } | undefined)?.text;
      if (!find(urn)) return linkedinError("NOT_FOUND");
      if (!canActAs(account, String(actor))) return linkedinError("ACCESS_DENIED");
      if (typeof object !== "string" || typeof text !== "string" || text.trim() === "")
        return linkedinError("MISSING_REQUIRED_FIELD");
      if (text.length > 1_250) return linkedinError("FIELD_LENGTH_TOO_LONG");
      const id = context.nextId("63");
      const commentUrn = toUrn(urn, id);
      const url = `https://www.linkedin.com/feed/update/urn:li:activity:${urn.split(":").at(-1)}/?commentUrn=${encodeURIComponent(commentUrn)}`;
      store.add(account, { id: commentUrn, caption: text, url, parent: urn });
      const body = {
        actor,
        object,
        message: { attributes: [], text },
        id,
        commentUrn,
        created: { time: context.now() },
      };
      return { status: 201, headers: { "x-restli-id": id }, body };
    },

    list(account, _request, { id: urn = "" }) {
      const post = find(urn);
      if (!post) return linkedinError("NOT_FOUND");
      const actor = String(post.settings.author);
      const elements = store.list(account, urn).map(({ id, text, isOwn }) => ({
        ...{ actor: isOwn ? actor : "urn:li:person:someone", object: urn, message: { attributes: [], text } },
        ...{ commentUrn: isOwn ? id : toUrn(urn, id), id: /(\d+)\)$/.exec(id)?.[1] ?? id },
      }));
      return { status: 200, body: { elements, paging: { start: 0, count: elements.length, total: elements.length } } };
    },
  };
}

export function createYouTubeComments(context: NetworkContext, published: PublishedItem[]): Calls {
  const store = createCommentStore(context, published);
  return {
    create(account, request) {
      const { snippet = {} } = readJsonObject(request) as { snippet?: Record<string, unknown> };
      const videoId = String(snippet.videoId ?? "");
      const text = (snippet.topLevelComment as { snippet?: { textOriginal?: unknown } } | undefined)?.snippet
        ?.textOriginal;
      if (!snippet.channelId || videoId === "") return youtubeError("channelOrVideoIdMissing");
      const video = store.findPost(account, videoId);
      if (!video) return youtubeError("videoNotFound");
      // https://support.google.com/youtube/answer/14323217 and /157177, read 2026-11-28.
      const isClosed = video.settings.selfDeclaredMadeForKids === true || video.settings.privacyStatus === "private";
      if (isClosed || account.facts?.noComments === true) return youtubeError("commentsDisabled");
      if (typeof text !== "string" || text.trim() === "") return youtubeError("commentTextRequired");
      if (text.length > 10_000) return youtubeError("commentTextTooLong");
      const id = context.nextId("Ugx");
      store.add(account, { id, caption: text, url: `${video.url}&lc=${id}`, parent: videoId });
      return { status: 200, body: toThread(account, videoId, { id, text, isOwn: true }) };
    },

    list(account, { query }) {
      const videoId = query.get("videoId") ?? "";
      if (!store.findPost(account, videoId)) return youtubeError("videoNotFound");
      const items = store.list(account, videoId).map((comment) => toThread(account, videoId, comment));
      const body = { kind: "youtube#commentThreadListResponse", items, pageInfo: { totalResults: items.length } };
      return { status: 200, body };
    },
  };
}

/** The original text of a comment is told its author alone. */
function toThread(
  { externalId }: NetworkAccount,
  videoId: string,
  { id, text, isOwn }: Pick<Comment, "id" | "text" | "isOwn">,
) {
  const author = { authorChannelId: { value: isOwn ? externalId : "UCsomeone" } };
  const snippet = { videoId, textDisplay: text, ...(isOwn ? { textOriginal: text } : {}), ...author };
  const topLevelComment = { kind: "youtube#comment", id, snippet };
  return { kind: "youtube#commentThread", id, snippet: { videoId, topLevelComment, totalReplyCount: 0 } };
}
