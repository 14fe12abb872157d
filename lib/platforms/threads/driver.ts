// Threads' publishing API: containers that the network fills from public URLs, then one publish call.
import { pickString } from "../http.ts";
import { expectSuccess, explainMeta, metaError } from "../meta.ts";
import { type ContainerHandle, containerGraph } from "../meta-containers.ts";
import { type Driver, type Failure, failure, type Job, type Published } from "../platform.ts";
import { containersOf, violationsOf } from "./content.ts";
import { DIALECT, failedContainer } from "./errors.ts";
import { capabilities, THREADS } from "./rules.ts";

const POLL_MS = 5_000;

const graph = containerGraph({
  name: "Threads",
  version: THREADS.version,
  prefix: "th",
  dialect: DIALECT,
  containers: "threads",
  limit: "threads_publishing_limit",
  grant: "th_refresh_token",
});

export const threads: Driver = {
  platform: "threads",
  capabilities,
  validate: violationsOf,

  async start(job) {
    return graph.fill(job, containersOf(job.content));
  },

  async poll(job, stored) {
    const handle = stored as ContainerHandle;
    const state = await readContainer(job, handle);
    if (state.code === "FINISHED") return { state: "ready" };
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    if (state.code === "IN_PROGRESS") return { state: "processing", afterMs: POLL_MS };
    throw failure({ ...state.failed, restart: true });
  },

  async publish(job, stored) {
    return graph.publish(job, stored as ContainerHandle);
  },

  async reconcile(job, stored) {
    const handle = stored as ContainerHandle;
    const state = await readContainer(job, handle);
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    // After publish this says that Threads is still at it, not that the media is being prepared.
    if (state.code === "IN_PROGRESS") return { state: "processing", afterMs: POLL_MS };
    // A container is published once, so going on from it can not make a second post.
    if (state.code === "FINISHED") return { state: "not_published", handle };
    if (state.code === "MISSING") return { state: "cannot_tell" };
    if (state.failed.class === "content" || state.failed.class === "account") {
      throw failure({ ...state.failed, restart: true });
    }
    return { state: "not_published" };
  },

  renewAheadMs: graph.renewAheadMs,
  refresh: graph.refresh,
};

/** LOST is useless for publishing; MISSING is unknown to Threads, which so can not say what became of it. */
type ContainerState =
  | { code: "FINISHED" }
  | { code: "IN_PROGRESS" }
  | { code: "PUBLISHED" }
  | { code: "LOST" | "MISSING"; failed: Failure };

async function readContainer(job: Job, handle: ContainerHandle): Promise<ContainerState> {
  const reply = await graph.raw(job, "GET", handle.container, { query: { fields: "id,status,error_message" } });
  const error = metaError(reply.body);
  if (error?.subcode === 4279009 || (error?.code === 100 && error.subcode === 33)) {
    return { code: "MISSING", failed: explainMeta(job, "th", { code: null, subcode: 2207008 }, null, DIALECT) };
  }
  expectSuccess(job, reply, { prefix: "th", irreversible: false, dialect: DIALECT });
  const code = pickString(reply.body, "status");
  if (code === "FINISHED" || code === "IN_PROGRESS" || code === "PUBLISHED") return { code };
  if (code === "EXPIRED") {
    return { code: "LOST", failed: explainMeta(job, "th", { code: null, subcode: 2207020 }, null, DIALECT) };
  }
  return { code: "LOST", failed: failedContainer(job, pickString(reply.body, "error_message")) };
}

function findPublished(job: Job, handle: ContainerHandle): Promise<Published> {
  return graph.findPublished(job, handle, { edge: "threads", words: "text", limit: 25 });
}
