// Comments of the member or page below their own posts.
import { type CommentCalls, commentsForbidden, type OwnComment } from "../comments.ts";
import { isObject, pickList, pickNumber, pickString, unanswered } from "../http.ts";
import { failure, parentMissing } from "../platform.ts";
import type { PublishedPart } from "../published-post.ts";
import { NETWORK, request, requestRaw } from "./api.ts";
import { getAuthor } from "./content.ts";
import { toFailure } from "./errors.ts";
import { capabilities } from "./rules.ts";

const PAGE_SIZE = 100;

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api, read 2026-11-28. The text is
 * plain, with mentions apart from it; `object` repeats the post of the path. Reading needs r_organization_social_feed, or
 * r_member_social_feed, which is granted to select developers only.
 */
export const comments: CommentCalls = {
  async create(job, postId) {
    const response = await requestRaw(job, "POST", toPath(postId), {
      json: { actor: getAuthor(job), object: postId, message: { text: job.content.caption } },
      irreversible: true,
    });
    if (response.status === 403) throw commentsForbidden(capabilities);
    if (response.status === 404) throw parentMissing(NETWORK);
    if (response.status >= 400) throw failure(toFailure(response));
    const created = toComment(response.body);
    if (response.status >= 300 || !created.id) throw unanswered(NETWORK, "comment_without_id");
    return created;
  },

  async list(job, postId) {
    const query = { start: "0", count: String(PAGE_SIZE) };
    const { body } = await request(job, "GET", toPath(postId), { query });
    const elements = pickList(body, "elements").filter(isObject);
    const own = elements.filter((comment) => pickString(comment, "actor") === getAuthor(job));
    const listed = own.map(
      (comment): OwnComment => ({ ...toComment(comment), text: pickString(comment, "message", "text") ?? "" }),
    );
    const total = pickNumber(body, "paging", "total") ?? elements.length;
    return { comments: listed, isComplete: elements.length < PAGE_SIZE && total <= elements.length };
  },
};

const toPath = (postId: string) => `rest/socialActions/${encodeURIComponent(postId)}/comments`;

/** A comment has the address that LinkedIn copies: that of its post's activity, which `commentUrn` begins with. */
function toComment(comment: Record<string, unknown>): PublishedPart {
  const urn = pickString(comment, "commentUrn") ?? pickString(comment, "$URN");
  const post = /^urn:li:comment:\((urn:li:\w+:\d+),/.exec(urn ?? "")?.[1];
  if (!urn || !post) return { id: urn ?? pickString(comment, "id"), url: null };
  return { id: urn, url: `https://www.linkedin.com/feed/update/${post}/?commentUrn=${encodeURIComponent(urn)}` };
}
