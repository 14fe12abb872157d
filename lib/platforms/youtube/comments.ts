// Comments of the channel below its own videos.
import { type CommentCalls, commentsForbidden, type OwnComment } from "../comments.ts";
import { pick, pickList, pickString, unanswered } from "../http.ts";
import { contentFailure, parentMissing } from "../platform.ts";
import type { PublishedPart } from "../published-post.ts";
import { request, requestRaw } from "./api.ts";
import { assertSuccess, isScopeMissing } from "./errors.ts";
import { capabilities } from "./rules.ts";

const PATH = "/youtube/v3/commentThreads";
const NETWORK = "YouTube";

/** https://developers.google.com/youtube/v3/docs/commentThreads/insert and /list, read 2026-11-28: 50 units and 1 unit. */
export const comments: CommentCalls = {
  async create(job, videoId) {
    const topLevelComment = { snippet: { textOriginal: job.content.caption } };
    const response = await requestRaw(job, "POST", PATH, {
      query: { part: "snippet" },
      json: { snippet: { channelId: job.connection.externalId, videoId, topLevelComment } },
      irreversible: true,
    });
    if (isScopeMissing(response)) throw commentsForbidden(capabilities);
    if (response.status === 404) throw parentMissing(NETWORK);
    const [first] = pickList(response.body, "error", "errors");
    const meaning = REASONS[pickString(first, "reason") ?? ""];
    if (meaning) throw contentFailure(pickString(first, "reason") ?? "", meaning);
    assertSuccess(job, response);
    const id = pickString(response.body, "id");
    if (!id) throw unanswered(NETWORK, "comment_without_id");
    return toPart(videoId, id);
  },

  async list(job, videoId) {
    const query = { part: "snippet", videoId, order: "time", maxResults: "100", textFormat: "plainText" };
    const { body } = await request(job, "GET", PATH, { query });
    const listed = pickList(body, "items").flatMap((thread): OwnComment[] => {
      const comment = pick(thread, "snippet", "topLevelComment", "snippet");
      if (pickString(comment, "authorChannelId", "value") !== job.connection.externalId) return [];
      const text = pickString(comment, "textOriginal") ?? pickString(comment, "textDisplay") ?? "";
      return [{ ...toPart(videoId, pickString(thread, "id")), text }];
    });
    return { comments: listed, isComplete: pickString(body, "nextPageToken") === null };
  },
};

/** The parameter `lc` shows a comment first. */
const toPart = (videoId: string, id: string | null): PublishedPart => ({
  id,
  url: id && `https://www.youtube.com/watch?v=${videoId}&lc=${id}`,
});

/** Errors of the page of the insert; for a video without comments its list has one of its own. */
const REASONS: Readonly<Record<string, string>> = {
  commentsDisabled: "Comments are turned off for this video. Turn them on in YouTube Studio, then retry the post.",
  commentTextRequired: "YouTube rejected the comment as empty. Create a new post with another one.",
  commentTextTooLong: "YouTube rejected the comment as too long. Create a new post with a shorter one.",
  forbidden: "YouTube does not let this account comment below the video. See YouTube Studio, then retry the post.",
  ineligibleAccount: "YouTube does not let this account comment. Open YouTube with it, then retry the post.",
};
