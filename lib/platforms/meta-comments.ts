// Comments by the Graph API, for Instagram and Facebook.
import { type CommentCalls, commentsForbidden, type OwnComment } from "./comments.ts";
import { isObject, type NetworkRequest, type NetworkResponse, pickList, pickString, unanswered } from "./http.ts";
import { readMetaError } from "./meta.ts";
import { isGone, isPermissionMissing } from "./meta-removal.ts";
import { type Job, parentMissing } from "./platform.ts";
import type { Capabilities } from "./rules.ts";

type Fields = Pick<NetworkRequest, "form" | "query" | "irreversible">;

export interface GraphComments {
  /** The display name of the network. */
  name: string;
  capabilities: Capabilities;
  requestRaw(job: Job, method: "GET" | "POST", path: string, fields: Fields): Promise<NetworkResponse>;
  /** Throws what an error of the network means. */
  assertSuccess(job: Job, response: NetworkResponse, irreversible: boolean): void;
  /** Of the list: the fields of a comment, and the text among them. */
  query: Record<string, string>;
  textField: string;
  isOwn(job: Job, comment: Record<string, unknown>): boolean;
  /** The address of a new comment; null where the network has none. */
  fetchUrl(job: Job, id: string): Promise<string | null>;
}

export function createGraphComments(network: GraphComments): CommentCalls {
  const { name, capabilities, requestRaw, assertSuccess, query, textField, isOwn, fetchUrl } = network;
  return {
    async create(job, postId) {
      const form = { message: job.content.caption };
      const response = await requestRaw(job, "POST", `${postId}/comments`, { form, irreversible: true });
      const error = readMetaError(response.body);
      if (isGone(error)) throw parentMissing(name);
      if (isPermissionMissing(error)) throw commentsForbidden(capabilities);
      assertSuccess(job, response, true);
      const id = pickString(response.body, "id");
      if (!id) throw unanswered(name, "comment_without_id");
      return { id, url: await fetchUrl(job, id) };
    },

    async list(job, postId) {
      const response = await requestRaw(job, "GET", `${postId}/comments`, { query });
      assertSuccess(job, response, false);
      const own = pickList(response.body, "data")
        .filter(isObject)
        .filter((comment) => isOwn(job, comment));
      const comments = own.map((comment): OwnComment => {
        const [id, text] = [pickString(comment, "id"), pickString(comment, textField) ?? ""];
        return { id, text, url: pickString(comment, "permalink_url") };
      });
      return { comments, isComplete: pickString(response.body, "paging", "next") === null };
    },
  };
}
