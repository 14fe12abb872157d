// Threads' publishing API: containers that the network fills from public URLs, then one publish call.
import { isObject, pickList, pickString, unanswered } from "../http.ts";
import { expectSuccess, explainMeta, metaError } from "../meta.ts";
import { containerGraph } from "../meta-containers.ts";
import { type Driver, type Failure, failure, type Handle, type Job, type Published } from "../platform.ts";
import { containersOf, violationsOf } from "./content.ts";
import { DIALECT, failedContainer } from "./errors.ts";
import { capabilities, THREADS } from "./rules.ts";

const NETWORK = "Threads";
const POLL_MS = 5_000;
/** How far Threads' clock may lie behind ours when a post is looked for among the newest. */
const CLOCK_SKEW_MS = 120_000;

const { raw, ask, fill, refresh } = containerGraph({
  name: NETWORK,
  version: THREADS.version,
  prefix: "th",
  dialect: DIALECT,
  containers: "threads",
  limit: "threads_publishing_limit",
  grant: "th_refresh_token",
});

interface ThreadsHandle extends Handle {
  container: string;
  startedAt: number;
}

export const threads: Driver = {
  platform: "threads",
  capabilities,
  validate: violationsOf,

  async start(job) {
    return fill(job, containersOf(job.content));
  },

  async poll(job, stored) {
    const handle = stored as ThreadsHandle;
    const state = await readContainer(job, handle);
    if (state.code === "FINISHED") return { state: "ready" };
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    if (state.code === "IN_PROGRESS") return { state: "processing", afterMs: POLL_MS };
    throw failure({ ...state.failed, restart: true });
  },

  async publish(job, stored) {
    const handle = stored as ThreadsHandle;
    const reply = await ask(job, "POST", `${job.connection.externalId}/threads_publish`, {
      form: { creation_id: handle.container },
      irreversible: true,
    });
    const id = pickString(reply.body, "id");
    if (!id) throw unanswered(NETWORK, "publish_without_id");
    return { state: "published", platformPostId: id, url: await permalinkOf(job, id) };
  },

  async reconcile(job, stored) {
    const handle = stored as ThreadsHandle;
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

  refresh,
};

/** LOST is useless for publishing; MISSING is unknown to Threads, which so can not say what became of it. */
type ContainerState =
  | { code: "FINISHED" }
  | { code: "IN_PROGRESS" }
  | { code: "PUBLISHED" }
  | { code: "LOST" | "MISSING"; failed: Failure };

async function readContainer(job: Job, handle: ThreadsHandle): Promise<ContainerState> {
  const reply = await raw(job, "GET", handle.container, { query: { fields: "id,status,error_message" } });
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

/** The id of a post whose publish answer was lost: the newest one since the start with the same words. */
async function findPublished(job: Job, handle: ThreadsHandle): Promise<Published> {
  const reply = await ask(job, "GET", `${job.connection.externalId}/threads`, {
    query: { fields: "id,permalink,timestamp,text", limit: "25" },
  });
  const found = pickList(reply.body, "data")
    .filter(isObject)
    .find((post) => {
      const at = Date.parse(pickString(post, "timestamp") ?? "");
      const sameWords = (pickString(post, "text") ?? "").trim() === job.content.caption.trim();
      return sameWords && at >= handle.startedAt - CLOCK_SKEW_MS;
    });
  return {
    state: "published",
    platformPostId: pickString(found, "id"),
    url: pickString(found, "permalink"),
  };
}

/** The post is out whatever happens here, so a failure only leaves the url open. */
async function permalinkOf(job: Job, id: string): Promise<string | null> {
  try {
    const reply = await ask(job, "GET", id, { query: { fields: "permalink" } });
    return pickString(reply.body, "permalink");
  } catch {
    return null;
  }
}
