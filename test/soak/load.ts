// The mixed load: reads, posts with and without keys, uploads, searches and renders, each kind in a loop of its own.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import type { BenchTenant } from "../bench/tenant.ts";
import type { Kind, Ledger, WantedPost } from "./ledger.ts";

interface Response<Data> {
  status: number | null;
  data: Data | null;
}

interface Options {
  url: string;
  /** Posts, uploads and renders are of the first; searches rotate, because each customer may search 20 times a minute. */
  tenants: readonly BenchTenant[];
  ledger: Ledger;
}

const VIDEO = join(import.meta.dirname, "../local/demo.mp4");
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the lease of a claim whose Worker crashed. */
const RETRY_FOR_MS = 150_000;
/** The first pause; each is half as long again as the one before, up to the last. */
const [RETRY_PAUSE_MS, MAX_RETRY_PAUSE_MS] = [500, 5_000];
/** No more posts begin while so many are retried, so that a long failure does not end in a flood of retries. */
const MAX_WAITING_POSTS = 20;
/** Pause between two rounds of a kind. */
const PAUSE_MS: Record<Kind, number> = { read: 200, post: 700, upload: 3_000, search: 2_500, render: 3_000 };

export type Load = ReturnType<typeof createLoad>;

export function createLoad({ url, tenants, ledger }: Options) {
  const [tenant] = tenants;
  if (!tenant) throw new Error("The load needs a tenant.");
  const main = tenant;
  const state = { stopped: false, round: 0 };
  const video = readFile(VIDEO);

  /** Sends one request and records it; never throws. */
  async function send<Data>(
    kind: Kind,
    method: string,
    path: string,
    options: { body?: unknown; key?: string | null; token?: string } = {},
  ): Promise<Response<Data>> {
    const from = ledger.now();
    let [status, code, data]: [number | null, string | null, Data | null] = [null, null, null];
    try {
      const response = await fetch(`${url}${BASE_PATH}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${options.token ?? main.token}`,
          ...(options.key ? { "idempotency-key": options.key } : {}),
        },
        body: options.body === undefined ? null : JSON.stringify(options.body),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const envelope = (await response.json()) as { error_code?: string; data?: Data };
      [status, code, data] = [response.status, envelope.error_code ?? null, envelope.data ?? null];
    } catch {
      // Without a response, or with one that is cut off: the status stays null.
      status = null;
    }
    ledger.requests.push({ kind, label: `${method} ${path.split("?")[0]}`, from, until: ledger.now(), status, code });
    return { status, data };
  }

  /** Repeats a request with the same key until it succeeds, is rejected, or the time is over. */
  async function insist<Data>(kind: Kind, path: string, key: string, body: unknown): Promise<Response<Data>> {
    const deadline = ledger.now() + RETRY_FOR_MS;
    for (let pause = RETRY_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_RETRY_PAUSE_MS)) {
      const response = await send<Data>(kind, "POST", path, { body, key });
      const { status } = response;
      const final = status !== null && status < 500 && status !== 409 && status !== 429;
      if (final || ledger.now() > deadline) return response;
      await sleep(pause);
    }
  }

  const rounds: Record<Kind, () => Promise<boolean>> = {
    async read() {
      const path = ["/accounts", "/posts?limit=20", "/slideshows"][state.round % 3] ?? "/accounts";
      return (await send("read", "GET", path)).status === 200;
    },

    async post() {
      const { caption, promise } = createPost(state.round % 4 === 3 ? null : (state.round % 2) + 1);
      return (await promise) && caption !== "";
    },

    async upload() {
      const started = await send<{ id: string; uploadUrl: string; headers: Record<string, string> }>(
        "upload",
        "POST",
        "/files",
        { body: { contentType: "video/mp4" } },
      );
      if (!started.data) return false;
      const { uploadUrl, headers, id } = started.data;
      const put = await fetch(uploadUrl, { method: "PUT", headers, body: new Uint8Array(await video) }).catch(
        () => null,
      );
      await put?.arrayBuffer().catch(() => null);
      if (!put?.ok) return false;
      return (await send("upload", "POST", `/files/${id}/finalize`, { key: crypto.randomUUID() })).status === 200;
    },

    async search() {
      const token = tenants[state.round % tenants.length]?.token ?? main.token;
      const path = `/viral-library?limit=5&q=${encodeURIComponent(`indoor cats ${state.round}`)}`;
      return (await send("search", "GET", path, { token })).status === 200;
    },

    async render() {
      const slide = { text_elements: [{ content: `Tea ${state.round}`, x: 50, y: 40 }], image_url: null };
      const show = await send<{ id: string }>("render", "POST", "/slideshows", { body: { slides: [slide] } });
      if (!show.data) return false;
      const path = `/slideshows/${show.data.id}`;
      const rendered = await send("render", "POST", `${path}/render`);
      const deleted = await send("render", "DELETE", path);
      return rendered.status === 200 && deleted.status === 200;
    },
  };

  /**
   * A post with so many simultaneous requests of one key; null for one request without a key. Accounts take turns unless
   * one is named.
   */
  function createPost(twins: number | null, accountId?: string): { caption: string; promise: Promise<boolean> } {
    const caption = `soak ${crypto.randomUUID()}`;
    const post: WantedPost = {
      caption,
      key: twins === null ? null : crypto.randomUUID(),
      requests: 0,
      created: 0,
      ids: new Set(),
    };
    ledger.posts.push(post);
    const account = accountId ?? main.accountIds[ledger.posts.length % main.accountIds.length];
    const body = { caption, accounts: [{ id: account }] };
    const sendOne = async (): Promise<boolean> => {
      post.requests += 1;
      const { status, data } = post.key
        ? await insist<{ id: string }>("post", "/posts", post.key, body)
        : await send<{ id: string }>("post", "POST", "/posts", { body });
      if (status === 201 && data) {
        post.created += 1;
        post.ids.add(data.id);
      }
      return status === 201;
    };
    const promise = Promise.all(Array.from({ length: twins ?? 1 }, sendOne)).then((all) => all.every(Boolean));
    return { caption, promise };
  }

  /** Posts do not wait for each other: while one is retried, others begin. */
  async function loop(kind: Kind): Promise<void> {
    const running = new Set<Promise<unknown>>();
    while (!state.stopped) {
      if (running.size >= MAX_WAITING_POSTS) await Promise.race(running);
      state.round += 1;
      const round = rounds[kind]().finally(() => running.delete(round));
      running.add(round);
      if (kind !== "post") await round;
      await sleep(PAUSE_MS[kind]);
    }
    await Promise.all(running);
  }

  return {
    /** Ends when `stop` was called and every request has ended. */
    run: (kinds: readonly Kind[]): Promise<unknown> => Promise.all(kinds.map(loop)),
    stop: (): void => {
      state.stopped = true;
    },
    /** One round of a kind; whether everything in it succeeded. */
    runOnce: (kind: Kind): Promise<boolean> => rounds[kind](),
    createPost,
    accountIds: main.accountIds,
  };
}
