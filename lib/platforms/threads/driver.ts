// Threads driver: creates containers that Threads fills from public URLs, then publishes one.
import { pickString } from "../http.ts";
import { assertSuccess, readMetaError, toMetaFailure } from "../meta.ts";
import { type ContainerHandle, type ContainerState, createContainerApi } from "../meta-containers.ts";
import { createRemoval } from "../meta-removal.ts";
import { defineDriver, type Failure, failure, getFailure, type Job, type Published } from "../platform.ts";
import { pollLater } from "../polling.ts";
import { buildContainers, findViolations, findWarnings } from "./content.ts";
import { DIALECT, toContainerFailure } from "./errors.ts";
import { capabilities, THREADS } from "./rules.ts";

const graph = createContainerApi({
  platform: "threads",
  version: THREADS.version,
  prefix: "th",
  dialect: DIALECT,
  containersEdge: "threads",
  limitEdge: "threads_publishing_limit",
  refreshGrant: "th_refresh_token",
  fetchState: fetchContainer,
  childrenPending: new Set(["th_4279004", "th_4279009"]),
});

export const threads = defineDriver<ContainerHandle>({
  platform: "threads",
  capabilities,
  connectBy: "consent",
  validate: findViolations,
  warn: findWarnings,

  check: graph.checkQuota,

  start: async (job) => graph.createContainers(job, buildContainers(job)),
  poll: async (job, handle) => graph.poll(job, handle, buildContainers(job), () => findPublished(job, handle)),
  publish: graph.publish,

  async reconcile(job, handle) {
    const state = await fetchContainer(job, handle.container);
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    // After publish this means that Threads is publishing, not that it is processing the media.
    if (state.code === "IN_PROGRESS") return pollLater(handle);
    // A container is published at most once, so continuing from it cannot create a second post.
    if (state.code === "FINISHED") return { state: "not_published", handle };
    if (state.missing) return { state: "cannot_tell" };
    if (state.failed.class === "content" || state.failed.class === "account") {
      throw failure({ ...state.failed, restart: true });
    }
    return { state: "not_published" };
  },

  // https://developers.facebook.com/docs/threads/posts/delete-posts, read 2026-11-28: 100 a day and profile.
  unpublish: createRemoval({
    platform: "threads",
    requestRaw: graph.requestRaw,
    assertSuccess: (job, response) =>
      assertSuccess(job, response, { prefix: "th", irreversible: false, dialect: DIALECT }),
    readAccount: (job) =>
      graph.request(job, "GET", `${job.connection.externalId}/threads`, { query: { fields: "id", limit: "1" } }),
  }),

  refreshAheadMs: graph.refreshAheadMs,
  refresh: graph.refresh,
});

async function fetchContainer(job: Job, container: string): Promise<ContainerState> {
  const response = await graph.requestRaw(job, "GET", container, { query: { fields: "id,status,error_message" } });
  const error = readMetaError(response.body);
  if (error?.subcode === 4279009 || (error?.code === 100 && error.subcode === 33)) {
    return toLostContainer(toMetaFailure(job, "th", { code: null, subcode: 2207008 }, null, DIALECT), true);
  }
  assertSuccess(job, response, { prefix: "th", irreversible: false, dialect: DIALECT });
  const code = pickString(response.body, "status");
  if (code === "FINISHED" || code === "IN_PROGRESS" || code === "PUBLISHED") return { code };
  if (code === "EXPIRED") {
    return toLostContainer(toMetaFailure(job, "th", { code: null, subcode: 2207020 }, null, DIALECT), false);
  }
  return toLostContainer(toContainerFailure(job, pickString(response.body, "error_message")), false);
}

function toLostContainer(failed: Failure, missing: boolean): ContainerState {
  return { code: "LOST", missing, failed };
}

async function findPublished(job: Job, handle: ContainerHandle): Promise<Published> {
  const newest = { textField: "text", limit: 25 } as const;
  if (!job.part) return graph.findPublished(job, handle, { ...newest, edge: "threads" });
  try {
    // https://developers.facebook.com/documentation/threads/retrieve-and-manage-replies/retrieve-replies, read 2026-11-28.
    return await graph.findPublished(job, handle, { ...newest, edge: "replies" });
  } catch (error) {
    // Without the permission to read replies it is known that the reply is out, but not its id.
    if (getFailure(error)?.class !== "account") throw error;
    return { state: "published", platformPostId: null, url: null };
  }
}
