// Instagram's content publishing: containers that the network fills from public URLs, then one publish call.
import { type Io, isObject, pickList, pickString, unanswered } from "../http.ts";
import { expectSuccess, explainMeta, metaError, subcodeIn } from "../meta.ts";
import { containerGraph } from "../meta-containers.ts";
import { type Driver, type Failure, failure, type Handle, type Job, type Published } from "../platform.ts";
import { containersOf, isStory, limitsOf, violationsOf } from "./content.ts";
import { capabilities, INSTAGRAM } from "./rules.ts";

const NETWORK = "Instagram";
const POLL_MS = 5_000;
/** How far Instagram's clock may lie behind ours when a post is looked for among the newest. */
const CLOCK_SKEW_MS = 120_000;

const { raw, ask, fill, refresh } = containerGraph({
  name: NETWORK,
  version: INSTAGRAM.version,
  prefix: "ig",
  containers: "media",
  limit: "content_publishing_limit",
  grant: "ig_refresh_token",
});

interface InstagramHandle extends Handle {
  container: string;
  startedAt: number;
}

export const instagram: Driver = {
  platform: "instagram",
  capabilities,
  validate: violationsOf,
  limits: limitsOf,

  async start(job) {
    return fill(job, containersOf(job.content));
  },

  async poll(job, stored) {
    const handle = stored as InstagramHandle;
    const state = await readContainer(job, handle);
    if (state.code === "FINISHED") return { state: "ready" };
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    if (state.code === "LOST") throw failure({ ...state.failed, restart: true });
    return { state: "processing", afterMs: POLL_MS };
  },

  async publish(job, stored) {
    const handle = stored as InstagramHandle;
    const reply = await ask(job, "POST", `${job.connection.externalId}/media_publish`, {
      form: { creation_id: handle.container },
      irreversible: true,
    });
    const id = pickString(reply.body, "id");
    if (!id) throw unanswered(NETWORK, "publish_without_id");
    return { state: "published", platformPostId: id, url: await permalinkOf(job, id) };
  },

  async reconcile(job, stored): ReturnType<Driver["reconcile"]> {
    const handle = stored as InstagramHandle;
    const state = await readContainer(job, handle);
    if (state.code === "PUBLISHED") return findPublished(job, handle);
    if (state.code === "LOST") return { state: state.missing ? "cannot_tell" : "not_published" };
    // A container is published once at most, so that going on from it is safe.
    return { state: "not_published", handle };
  },

  refresh,
};

type ContainerState =
  | { code: "FINISHED" | "IN_PROGRESS" | "PUBLISHED" }
  /** Useless for publishing; `missing` when Instagram does not know it, and so can not say what became of it. */
  | { code: "LOST"; missing: boolean; failed: Failure };

async function readContainer(job: Job, handle: InstagramHandle): Promise<ContainerState> {
  const reply = await raw(job, "GET", handle.container, { query: { fields: "status_code,status" } });
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

/** The id of a post whose publish answer was lost: the newest one since the start with the same caption. */
async function findPublished(job: Job, handle: InstagramHandle): Promise<Published> {
  const edge = isStory(job.content) ? "stories" : "media";
  const reply = await ask(job, "GET", `${job.connection.externalId}/${edge}`, {
    query: { fields: "id,permalink,timestamp,caption", limit: "10" },
  });
  const found = pickList(reply.body, "data")
    .filter(isObject)
    .find((post) => {
      const at = Date.parse(pickString(post, "timestamp") ?? "");
      const sameWords =
        isStory(job.content) || (pickString(post, "caption") ?? "").trim() === job.content.caption.trim();
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
