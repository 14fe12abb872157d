// Comments of a page below its own posts.
import { pickString } from "../http.ts";
import { assertSuccess } from "../meta.ts";
import { createGraphComments } from "../meta-comments.ts";
import { DIALECT } from "./errors.ts";
import { NETWORK, requestGraph, requestGraphRaw } from "./graph.ts";
import { capabilities } from "./rules.ts";

/**
 * https://developers.facebook.com/documentation/pages-api/comments-mentions, read 2026-11-28: `message`, and the author is the
 * page. The list is that of https://developers.facebook.com/docs/graph-api/reference/object/comments/, which a connection
 * without the permission to read what people wrote may be refused.
 */
export const comments = createGraphComments({
  name: NETWORK,
  capabilities,
  requestRaw: requestGraphRaw,
  assertSuccess: (job, response, irreversible) =>
    assertSuccess(job, response, { prefix: "fb", irreversible, dialect: DIALECT }),
  query: { fields: "id,message,from,created_time,permalink_url", order: "reverse_chronological", limit: "100" },
  textField: "message",
  isOwn: ({ connection }, comment) => pickString(comment, "from", "id") === connection.externalId,

  // The comment is out, so a failure only leaves the address null.
  async fetchUrl(job, id) {
    try {
      const { body } = await requestGraph(job, "GET", id, { query: { fields: "permalink_url" } });
      return pickString(body, "permalink_url");
    } catch {
      return null;
    }
  },
});
