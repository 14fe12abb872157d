// Removes a post from the repository of a Bluesky account.
import { isObject, pick } from "../http.ts";
import { contentFailure, type Job } from "../platform.ts";
import type { PublishedPost, Removal } from "../published-post.ts";
import { permissionMissing } from "../takedown.ts";
import { callAccountServer, findAccountServer } from "./account-server.ts";
import { assertSuccess, getErrorName } from "./errors.ts";

/**
 * https://docs.bsky.app/docs/api/com-atproto-repo-delete-record, read 2026-11-28: no error for a record that does not exist;
 * only a deletion that changed the repository has a commit.
 */
export async function unpublish(job: Job, { id }: PublishedPost): Promise<Removal> {
  const [, repo, collection, rkey] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(id) ?? [];
  if (!repo || !collection || !rkey) throw contentFailure("uri_malformed", `Bluesky has no record named ${id}.`);
  const server = await findAccountServer(job, job.network, job.connection.externalId);
  const response = await callAccountServer(job, server, {
    method: "POST",
    name: "com.atproto.repo.deleteRecord",
    authorized: true,
    json: { repo, collection, rkey },
  });
  if (getErrorName(response) === "ScopeMissingError") throw permissionMissing("bluesky", "remove");
  assertSuccess(job, response);
  return isObject(pick(response.body, "commit")) ? "unpublished" : "already_gone";
}
