// Instagram driver: creates containers that Instagram fills from public URLs, then publishes one.
import { withComments } from "../comments.ts";
import { type HttpContext, pickString } from "../http.ts";
import { assertSuccess, findSubcode, readMetaError, toMetaFailure } from "../meta.ts";
import { type ContainerHandle, type ContainerState, createContainerApi } from "../meta-containers.ts";
import { type Driver, defineDriver, type Job, type Published } from "../platform.ts";
import { createComments } from "./comments.ts";
import { buildContainers, findViolations, findWarnings, getLimits, isStory } from "./content.ts";
import { capabilities, INSTAGRAM } from "./rules.ts";

const graph = createContainerApi({
  platform: "instagram",
  version: INSTAGRAM.version,
  prefix: "ig",
  containersEdge: "media",
  limitEdge: "content_publishing_limit",
  refreshGrant: "ig_refresh_token",
  fetchState: fetchContainer,
  childrenPending: new Set(["ig_2207027", "ig_9007"]),
});

const publishing = defineDriver<ContainerHandle>({
  platform: "instagram",
  capabilities,
  connectBy: "consent",
  validate: findViolations,
  warn: findWarnings,
  limits: getLimits,

  check: graph.checkQuota,

  start: async (job) => graph.createContainers(job, buildContainers(job.content)),
  poll: async (job, handle) => graph.poll(job, handle, buildContainers(job.content), () => findPublished(job, handle)),
  publish: graph.publish,

  async reconcile(job, handle): ReturnType<Driver["reconcile"]> {
    const state = await fetchContainer(job, handle.container);
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    if (state.code === "LOST") return { state: state.missing ? "cannot_tell" : "not_published" };
    // A container is published at most once, so continuing from it is safe.
    return { state: "not_published", handle };
  },

  refreshAheadMs: graph.refreshAheadMs,
  refresh: graph.refresh,
});

export const instagram = withComments(publishing, createComments(graph.requestRaw));

async function fetchContainer(job: Job, container: string): Promise<ContainerState> {
  const response = await graph.requestRaw(job, "GET", container, { query: { fields: "status_code,status" } });
  const error = readMetaError(response.body);
  if (error?.code === 100 && error.subcode === 33) return toLostContainer(job, 2207008, true);
  assertSuccess(job, response, { prefix: "ig", irreversible: false });
  const code = pickString(response.body, "status_code");
  if (code === "FINISHED" || code === "IN_PROGRESS" || code === "PUBLISHED") return { code };
  if (code === "EXPIRED") return toLostContainer(job, 2207020, false);
  return toLostContainer(job, findSubcode(pickString(response.body, "status")) ?? 2207053, false);
}

function toLostContainer(io: HttpContext, subcode: number, missing: boolean): ContainerState {
  return { code: "LOST", missing, failed: toMetaFailure(io, "ig", { code: null, subcode }, null) };
}

/** Stories have no text. */
function findPublished(job: Job, handle: ContainerHandle): Promise<Published> {
  const edge = isStory(job.content) ? "stories" : "media";
  return graph.findPublished(job, handle, { edge, textField: isStory(job.content) ? null : "caption", limit: 10 });
}
