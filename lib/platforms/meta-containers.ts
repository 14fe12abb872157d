// Shared by Instagram and Threads: the versioned Graph API, media containers, the post quota and long-lived tokens.
import { HOUR_MS } from "../shared/durations.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { createApi } from "./api.ts";
import { isObject, pickList, pickNumber, pickString, sendRequest, unanswered } from "./http.ts";
import { assertSuccess, type Dialect, LONG_LIVED_SECONDS, REFRESH_AHEAD_MS } from "./meta.ts";
import { readTokens } from "./oauth.ts";
import { type Driver, type Failure, failure, getFailure, type Handle, type Job, type Published } from "./platform.ts";
import { pollLater } from "./polling.ts";

interface GraphConfig {
  platform: "instagram" | "threads";
  version: string;
  /** Prefix of its failure codes. */
  prefix: string;
  dialect?: Dialect;
  /** Edges of the account for creating containers and for reading the post quota. */
  containersEdge: string;
  limitEdge: string;
  /** Grant type for refreshing a long-lived token. */
  refreshGrant: string;
  /** Reads the state of a container from the network. */
  fetchState(job: Job, container: string): Promise<ContainerState>;
  /** Failure codes of a parent whose children the network does not consider finished yet. */
  childrenPending: ReadonlySet<string>;
}

/** The handle of a post that is being published. */
export interface ContainerHandle extends Handle {
  /** Empty while the children of a carousel are processed, because their parent is made after them. */
  container: string;
  /** The children of a carousel, in order, and those whose processing was not seen to end. */
  children?: string[];
  pending?: string[];
  startedAt: number;
}

/** LOST cannot be published; `missing` when the network does not know the container, so the outcome is unknown. */
export type ContainerState =
  | { code: "FINISHED" }
  | { code: "IN_PROGRESS" }
  | { code: "PUBLISHED" }
  | { code: "LOST"; missing: boolean; failed: Failure };

export type Fields = Record<string, string | undefined>;

/** The containers of a post: a single one, or children and their parent. */
export type Containers = { single: Fields } | { children: Fields[]; parent: Fields };

type Refresh = NonNullable<Driver["refresh"]>;

/** Edge that lists the newest posts, and the field with their text; null where posts have no text. */
interface RecentPostsQuery {
  edge: string;
  textField: string | null;
  limit: number;
}

/** Tolerance for a network clock that is behind ours, when searching the newest posts. */
const CLOCK_SKEW_MS = 120_000;
/** Neither network reports when its rolling 24-hour quota frees a slot. */
const QUOTA_RETRY_MS = HOUR_MS;

export function createContainerApi(network: GraphConfig) {
  const { version, prefix, dialect } = network;
  const { name } = PLATFORM_DETAILS[network.platform];

  const { request, requestRaw } = createApi({
    platform: network.platform,
    prefix: `/${version}/`,
    assertSuccess(io, response, { irreversible = false }) {
      assertSuccess(io, response, { prefix, irreversible, dialect });
    },
  });

  /** Returns the id of the new container. */
  async function createContainer(job: Job, form: Fields): Promise<string> {
    const response = await request(job, "POST", `${job.connection.externalId}/${network.containersEdge}`, { form });
    const id = pickString(response.body, "id");
    if (!id) throw unanswered(name, "container_without_id");
    return id;
  }

  /** Runs before anything is created. The used quota must be requested from the network. */
  async function checkQuota(job: Job): Promise<void> {
    const query = { fields: "quota_usage,config" };
    const response = await request(job, "GET", `${job.connection.externalId}/${network.limitEdge}`, { query });
    const [limit] = pickList(response.body, "data");
    const used = pickNumber(limit, "quota_usage");
    const total = pickNumber(limit, "config", "quota_total");
    if (used === null || total === null || used < total) return;
    throw failure({
      class: "rate_limited",
      code: `${prefix}_2207042`,
      message: `${name} allows this account ${total} posts in 24 hours, and all of them are used.`,
      retryAt: new Date(job.now().getTime() + QUOTA_RETRY_MS),
    });
  }

  /** The post is already published, so a failure only leaves the url null. */
  async function fetchPermalink(job: Job, id: string): Promise<string | null> {
    try {
      const response = await request(job, "GET", id, { query: { fields: "permalink" } });
      return pickString(response.body, "permalink");
    } catch {
      return null;
    }
  }

  /**
   * The parent is made once every child is finished: Instagram rejects one with children in progress by 9007/2207027,
   * Threads by 24/4279004.
   */
  async function pollChildren(job: Job, handle: ContainerHandle, parent: Fields) {
    const { children = [], pending = [] } = handle;
    const states = await Promise.all(pending.map((child) => network.fetchState(job, child)));
    for (const state of states) if (state.code === "LOST") throw failure({ ...state.failed, restart: true });
    const left = pending.filter((_child, at) => states[at]?.code === "IN_PROGRESS");
    if (left.length > 0) return pollLater({ ...handle, pending: left });
    try {
      const container = await createContainer(job, { ...parent, children: children.join(",") });
      return pollLater({ startedAt: handle.startedAt, container });
    } catch (error) {
      if (!network.childrenPending.has(getFailure(error)?.code ?? "")) throw error;
      return pollLater({ ...handle, pending: children });
    }
  }

  /** The network can reject the call that published the container, so its state decides. */
  async function assertUnpublished(job: Job, { container }: ContainerHandle, error: unknown): Promise<void> {
    const failed = getFailure(error);
    if (!failed || failed.class === "unanswered" || failed.class === "auth") return;
    const state = await network.fetchState(job, container).catch(() => null);
    if (state === null || state.code === "PUBLISHED") throw unanswered(name, "rejected_but_published");
  }

  return {
    refreshAheadMs: REFRESH_AHEAD_MS,
    request,
    requestRaw,

    /** Before `publish`: waits for the children of a carousel, makes their parent, and waits for that one. */
    async poll(job: Job, handle: ContainerHandle, plan: Containers, findPost: () => Promise<Published>) {
      if (handle.container === "") return pollChildren(job, handle, "parent" in plan ? plan.parent : {});
      const state = await network.fetchState(job, handle.container);
      if (state.code === "FINISHED") return { state: "ready" as const, handle };
      if (state.code === "PUBLISHED") return findPost();
      if (state.code === "IN_PROGRESS") return pollLater(handle);
      throw failure({ ...state.failed, restart: true });
    },

    /** The irreversible call: publishes a container. */
    async publish(job: Job, handle: ContainerHandle): Promise<Published> {
      const path = `${job.connection.externalId}/${network.containersEdge}_publish`;
      const form = { creation_id: handle.container };
      const response = await request(job, "POST", path, { form, irreversible: true }).catch(async (error: unknown) => {
        await assertUnpublished(job, handle, error);
        throw error;
      });
      const id = pickString(response.body, "id");
      if (!id) throw unanswered(name, "publish_without_id");
      return { state: "published", platformPostId: id, url: await fetchPermalink(job, id) };
    },

    /** Finds a post after a lost response: the newest one since the start with the same text. */
    async findPublished(job: Job, { startedAt }: ContainerHandle, newest: RecentPostsQuery): Promise<Published> {
      const fields = ["id", "permalink", "timestamp", ...(newest.textField ? [newest.textField] : [])].join();
      const query = { fields, limit: String(newest.limit) };
      const response = await request(job, "GET", `${job.connection.externalId}/${newest.edge}`, { query });
      const found = pickList(response.body, "data")
        .filter(isObject)
        .find((post) => {
          const at = Date.parse(pickString(post, "timestamp") ?? "");
          if (job.part?.earlier.some(({ id }) => id === pickString(post, "id"))) return false;
          const text = newest.textField ? (pickString(post, newest.textField) ?? "").trim() : null;
          return (text === null || text === job.content.caption.trim()) && at >= startedAt - CLOCK_SKEW_MS;
        });
      return { state: "published", platformPostId: pickString(found, "id"), url: pickString(found, "permalink") };
    },

    checkQuota,

    /** Creates the container to publish, or the children of a carousel side by side; nothing becomes visible. */
    async createContainers(job: Job, plan: Containers): Promise<ContainerHandle> {
      // What can be read without another permission is the quota of posts; replies have one of their own.
      if (!job.part) await checkQuota(job);
      const startedAt = job.now().getTime();
      if ("single" in plan) return { container: await createContainer(job, plan.single), startedAt };
      const children = await Promise.all(plan.children.map((child) => createContainer(job, child)));
      return { container: "", children, pending: children, startedAt };
    },

    /** These endpoints take the token in the query; no component logs URLs. */
    async refresh(...[config, tokens, io]: Parameters<Refresh>): ReturnType<Refresh> {
      const url = `${config.baseUrl}/refresh_access_token`;
      const query = { grant_type: network.refreshGrant, access_token: tokens.accessToken };
      const response = await sendRequest(io, { network: name, method: "GET", url, query });
      assertSuccess(io, response, { prefix, irreversible: false, dialect });
      const read = readTokens(io, response.body, LONG_LIVED_SECONDS);
      if (!read) throw unanswered(name, "refresh_without_token");
      return read;
    },
  };
}
