// Instagram's content publishing: containers that the network fills from public URLs, then one publish call.
import { type Io, pickString } from "../http.ts";
import { expectSuccess, explainMeta, metaError, subcodeIn } from "../meta.ts";
import { type ContainerHandle, containerGraph } from "../meta-containers.ts";
import { type Driver, type Failure, failure, type Job, type Published } from "../platform.ts";
import { containersOf, isStory, limitsOf, violationsOf } from "./content.ts";
import { capabilities, INSTAGRAM } from "./rules.ts";

const POLL_MS = 5_000;

const graph = containerGraph({
  name: "Instagram",
  version: INSTAGRAM.version,
  prefix: "ig",
  containers: "media",
  limit: "content_publishing_limit",
  grant: "ig_refresh_token",
});

export const instagram: Driver = {
  platform: "instagram",
  capabilities,
  validate: violationsOf,
  limits: limitsOf,

  async start(job) {
    return graph.fill(job, containersOf(job.content));
  },

  async poll(job, stored) {
    const handle = stored as ContainerHandle;
    const state = await readContainer(job, handle);
    if (state.code === "FINISHED") return { state: "ready" };
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    if (state.code === "LOST") throw failure({ ...state.failed, restart: true });
    return { state: "processing", afterMs: POLL_MS };
  },

  async publish(job, stored) {
    return graph.publish(job, stored as ContainerHandle);
  },

  async reconcile(job, stored): ReturnType<Driver["reconcile"]> {
    const handle = stored as ContainerHandle;
    const state = await readContainer(job, handle);
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    if (state.code === "LOST") return { state: state.missing ? "cannot_tell" : "not_published" };
    // A container is published once at most, so that going on from it is safe.
    return { state: "not_published", handle };
  },

  renewAheadMs: graph.renewAheadMs,
  refresh: graph.refresh,
};

type ContainerState =
  | { code: "FINISHED" | "IN_PROGRESS" | "PUBLISHED" }
  /** Useless for publishing; `missing` when Instagram does not know it, and so can not say what became of it. */
  | { code: "LOST"; missing: boolean; failed: Failure };

async function readContainer(job: Job, handle: ContainerHandle): Promise<ContainerState> {
  const reply = await graph.raw(job, "GET", handle.container, { query: { fields: "status_code,status" } });
  const error = metaError(reply.body);
  if (error?.code === 100 && error.subcode === 33) return lost(job, 2207008, true);
  expectSuccess(job, reply, { prefix: "ig", irreversible: false });
  const code = pickString(reply.body, "status_code");
  if (code === "FINISHED" || code === "IN_PROGRESS" || code === "PUBLISHED") return { code };
  if (code === "EXPIRED") return lost(job, 2207020, false);
  return lost(job, subcodeIn(pickString(reply.body, "status")) ?? 2207053, false);
}

function lost(io: Io, subcode: number, missing: boolean): ContainerState {
  return { code: "LOST", missing, failed: explainMeta(io, "ig", { code: null, subcode }, null) };
}

/** Stories have no words. */
function findPublished(job: Job, handle: ContainerHandle): Promise<Published> {
  const edge = isStory(job.content) ? "stories" : "media";
  return graph.findPublished(job, handle, { edge, words: isStory(job.content) ? null : "caption", limit: 10 });
}
