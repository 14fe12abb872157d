// A customer of a deployment over HTTP: connects accounts in a browser, uploads files and publishes posts.
import { setTimeout as sleep } from "node:timers/promises";
import { toResult, unwrap } from "../../lib/shared/result.ts";
import { answerConsent, openBrowser } from "../connect/scriptless-browser.ts";
import type { Deployment } from "./deployment.ts";

const CRON_MS = 2_000;
const POLL_MS = 1_000;
const PUBLISH_MS = 100_000;

export interface ConsentAnswer {
  /** A platform, or "linkedin page". */
  offer: string;
  /** The network's id of an account, or the name of a new one. */
  person: string;
  /** Permissions that the person declines. */
  declined?: readonly string[];
  /** The account that the person enters where accounts are on many servers. */
  identifier?: string;
}

export interface Account {
  id: string;
  platform: string;
  username: string;
  workspace_id: string | null;
  capabilities: { supported_content_kinds: string[] };
}

export interface DeliveryState {
  status: string;
  published_url: string | null;
  error_code: string | null;
  error_message: string | null;
}

export interface Customer {
  connect(answer: ConsentAnswer): Promise<Account & { app: string | null }>;
  /** Returns the URL of the verified file. */
  uploadFile(contentType: string, bytes: Uint8Array): Promise<string>;
  /** Returns the id of the post. */
  createPost(accountId: string, caption: string, more?: object): Promise<string>;
  /** Waits until the condition holds for every post, and returns their states in the same order. */
  waitForPosts(ids: readonly string[], isDone?: (state: DeliveryState) => boolean): Promise<DeliveryState[]>;
}

/** A published post is done when its URL is known. */
const isFinal = ({ status, published_url }: DeliveryState) =>
  status === "failed" || status === "void" || (status === "posted" && published_url !== null);

const UNREAD: DeliveryState = { status: "unread", published_url: null, error_code: null, error_message: null };

/** Runs cron, which Cloudflare does each minute, again and again until the work is done. */
export async function withCron<Result>(deployment: Deployment, work: Promise<Result>): Promise<Result> {
  const end = new AbortController();
  const result = toResult(work).finally(() => end.abort());
  while (!end.signal.aborted) {
    await deployment.worker.runCron();
    await sleep(CRON_MS, undefined, { signal: end.signal }).catch(() => undefined);
  }
  return unwrap(await result);
}

/** A browser of the deployment. */
export function openDeploymentBrowser({ worker }: Deployment) {
  return openBrowser(worker.url, (request) => fetch(request));
}

/** The customer with this API key; the seeded workspace by default. */
export function openCustomer(deployment: Deployment, key?: string): Customer {
  const call: Deployment["callApi"] = (method, path, body) =>
    deployment.callApi(method, path, body, key === undefined ? {} : { key });

  const readState = async (id: string): Promise<DeliveryState> =>
    (await call("GET", `/posts/${id}`)).accounts.states[0];

  return {
    async connect({ offer, person, declined = [], identifier }) {
      const [platform = ""] = offer.split(" ");
      const link = await call("POST", "/accounts/connect-links", { platforms: [platform] });
      const browser = openDeploymentBrowser(deployment);
      const { pathname } = new URL(link.url);
      const screen = new URL(await browser.start(pathname, offer, identifier));
      const asked = screen.searchParams.get("scope")?.split(/[ ,]/) ?? [];
      const unasked = declined.filter((scope) => !asked.includes(scope));
      if (unasked.length > 0) throw new Error(`the consent screen does not ask for ${unasked.join(", ")}`);
      const consent = { accounts: [person], without: [...declined] };
      const page = await browser.get(await answerConsent(screen.href, consent));
      if (!/is connected\b/.test(page.text)) throw new Error(page.text.replaceAll(/<[^>]*>|\s+/g, " "));
      const { accounts: connected } = await call("GET", `/accounts/connect-links/${link.id}`);
      const { accounts } = await call("GET", "/accounts?status=all");
      const account = accounts.find(({ id }: Account) => id === connected[0].id);
      return { ...account, app: screen.searchParams.get("client_id") };
    },

    async uploadFile(contentType, bytes) {
      const upload = await call("POST", "/files", { contentType, size: bytes.length });
      const put = await fetch(upload.uploadUrl, {
        method: "PUT",
        headers: upload.headers,
        body: new Uint8Array(bytes),
      });
      if (!put.ok) throw new Error(`the storage responded with ${put.status}: ${await put.text()}`);
      return (await call("POST", `/files/${upload.id}/finalize`, {})).file.url;
    },

    async createPost(accountId, caption, more = {}) {
      return (await call("POST", "/posts", { caption, accounts: [{ id: accountId }], ...more })).id;
    },

    async waitForPosts(ids, isDone = isFinal) {
      const states = new Map<string, DeliveryState>();
      for (const deadline = Date.now() + PUBLISH_MS; Date.now() < deadline; await sleep(POLL_MS)) {
        const isOpen = (id: string) => !isDone(states.get(id) ?? UNREAD);
        for (const id of ids.filter(isOpen)) states.set(id, await readState(id));
        if (!ids.some(isOpen)) break;
      }
      return ids.map((id) => states.get(id) ?? UNREAD);
    },
  };
}
