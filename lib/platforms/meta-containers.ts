// What Instagram and Threads share: calls to a versioned Graph, containers, a quota of posts and long-lived tokens.
import { call, isObject, pickList, pickNumber, pickString, type Reply, unanswered } from "./http.ts";
import { type Dialect, expectSuccess, RENEW_AHEAD_MS } from "./meta.ts";
import { type Driver, failure, type Handle, type Job, type Published } from "./platform.ts";

interface Network {
  name: string;
  version: string;
  /** Begins the codes of its failures. */
  prefix: string;
  dialect?: Dialect;
  /** Edges of the account: where containers are made, and where its limit is read. */
  containers: string;
  limit: string;
  /** The grant that trades a long-lived token. */
  grant: string;
}

/** What is remembered of a post on its way out. */
export interface ContainerHandle extends Handle {
  container: string;
  startedAt: number;
}

export type Fields = Record<string, string | undefined>;

/** What a post needs: one container, or children and the parent that holds them. */
export type Containers = { single: Fields } | { children: Fields[]; parent: Fields };

type Refresh = NonNullable<Driver["refresh"]>;

interface Rest {
  form?: Fields;
  query?: Fields;
  irreversible?: boolean;
}

/** Where a network lists an account's newest posts, and what holds their words; null where they have none. */
interface Newest {
  edge: string;
  words: string | null;
  limit: number;
}

/** How far a network's clock may lie behind ours when a post is looked for among the newest. */
const CLOCK_SKEW_MS = 120_000;
/** Neither network says when a slot of its 24 hours comes free. */
const QUOTA_RETRY_MS = 3_600_000;

export function containerGraph(network: Network) {
  const { name, version, prefix, dialect } = network;

  /** Answers whatever the network says, errors included. */
  function raw(job: Job, method: "GET" | "POST", path: string, rest: Rest): Promise<Reply> {
    const url = `${job.network.baseUrl}/${version}/${path}`;
    return call(job, { network: name, method, url, bearer: job.connection.accessToken, ...rest });
  }

  async function ask(job: Job, method: "GET" | "POST", path: string, rest: Rest): Promise<Reply> {
    const reply = await raw(job, method, path, rest);
    expectSuccess(job, reply, { prefix, irreversible: rest.irreversible === true, dialect });
    return reply;
  }

  /** The id of a new container. */
  async function createContainer(job: Job, form: Fields): Promise<string> {
    const reply = await ask(job, "POST", `${job.connection.externalId}/${network.containers}`, { form });
    const id = pickString(reply.body, "id");
    if (!id) throw unanswered(name, "container_without_id");
    return id;
  }

  /** Asked before anything is made: only the network knows what is used of the limit. */
  async function checkQuota(job: Job): Promise<void> {
    const query = { fields: "quota_usage,config" };
    const reply = await ask(job, "GET", `${job.connection.externalId}/${network.limit}`, { query });
    const [limit] = pickList(reply.body, "data");
    const used = pickNumber(limit, "quota_usage");
    const total = pickNumber(limit, "config", "quota_total");
    if (used === null || total === null || used < total) return;
    throw failure({
      class: "rate_limited",
      code: `${prefix}_2207042`,
      message: `${name} allows this account ${total} posts in 24 hours, and all are used. We try again later.`,
      retryAt: new Date(job.now().getTime() + QUOTA_RETRY_MS),
    });
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

  return {
    renewAheadMs: RENEW_AHEAD_MS,
    raw,
    ask,

    /** The one call that makes a post of a container. */
    async publish(job: Job, { container }: ContainerHandle): Promise<Published> {
      const path = `${job.connection.externalId}/${network.containers}_publish`;
      const reply = await ask(job, "POST", path, { form: { creation_id: container }, irreversible: true });
      const id = pickString(reply.body, "id");
      if (!id) throw unanswered(name, "publish_without_id");
      return { state: "published", platformPostId: id, url: await permalinkOf(job, id) };
    },

    /** A post whose publish answer was lost: the newest one since the start with the same words. */
    async findPublished(job: Job, { startedAt }: ContainerHandle, newest: Newest): Promise<Published> {
      const fields = ["id", "permalink", "timestamp", ...(newest.words ? [newest.words] : [])].join();
      const query = { fields, limit: String(newest.limit) };
      const reply = await ask(job, "GET", `${job.connection.externalId}/${newest.edge}`, { query });
      const found = pickList(reply.body, "data")
        .filter(isObject)
        .find((post) => {
          const at = Date.parse(pickString(post, "timestamp") ?? "");
          const words = newest.words ? (pickString(post, newest.words) ?? "").trim() : null;
          return (words === null || words === job.content.caption.trim()) && at >= startedAt - CLOCK_SKEW_MS;
        });
      return { state: "published", platformPostId: pickString(found, "id"), url: pickString(found, "permalink") };
    },

    /** The container to publish, children first where there are several; nothing of it is visible. */
    async fill(job: Job, plan: Containers): Promise<ContainerHandle> {
      await checkQuota(job);
      const startedAt = job.now().getTime();
      if ("single" in plan) return { container: await createContainer(job, plan.single), startedAt };
      const children: string[] = [];
      for (const child of plan.children) children.push(await createContainer(job, child));
      return { container: await createContainer(job, { ...plan.parent, children: children.join(",") }), startedAt };
    },

    /** The networks want the token in the query here; nothing on the way logs URLs. */
    async refresh(...[config, tokens, io]: Parameters<Refresh>): ReturnType<Refresh> {
      const url = `${config.baseUrl}/refresh_access_token`;
      const query = { grant_type: network.grant, access_token: tokens.accessToken };
      const reply = await call(io, { network: name, method: "GET", url, query });
      expectSuccess(io, reply, { prefix, irreversible: false, dialect });
      const accessToken = pickString(reply.body, "access_token");
      if (!accessToken) throw unanswered(name, "refresh_without_token");
      const seconds = pickNumber(reply.body, "expires_in");
      const expiresAt = seconds === null ? null : new Date(io.now().getTime() + seconds * 1000);
      return { accessToken, refreshToken: null, expiresAt };
    },
  };
}
