// Comments of the account below its own posts. Comments have no permalink.
import { pickString } from "../http.ts";
import { assertSuccess } from "../meta.ts";
import { createGraphComments, type GraphComments } from "../meta-comments.ts";
import { capabilities } from "./rules.ts";

/**
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media/comments, read
 * 2026-11-28: `message`; a list has at most 50, the newest first. `user` of a comment is there only for the app user's own:
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-comment.
 */
export const createComments = (requestRaw: GraphComments["requestRaw"]) =>
  createGraphComments({
    name: "Instagram",
    capabilities,
    requestRaw,
    assertSuccess: (job, response, irreversible) => assertSuccess(job, response, { prefix: "ig", irreversible }),
    query: { fields: "id,text,timestamp,user", limit: "50" },
    textField: "text",
    isOwn: (_job, comment) => (pickString(comment, "user") ?? pickString(comment, "user", "id")) !== null,
    fetchUrl: async () => null,
  });
