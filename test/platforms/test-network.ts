// The fake of a network, opened for the tests of its driver.
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Content, Driver, Job } from "../../lib/platforms/platform.ts";
import type { NetworkConfig } from "../../lib/shared/platforms.ts";
import { toExternalId } from "../../lib/simulator/networks/network.ts";
import type { Script } from "../local/networks/scripts.ts";
import { type NetworkAccount, type Networks, startNetworks, type Timing } from "../local/networks/server.ts";
import { type MediaHost, startMediaHost } from "./media-host.ts";

export interface TestNetwork {
  networks: Networks;
  media: MediaHost;
  job(content: Content): Job & { advance(ms: number): void };
  config: NetworkConfig;
}

export interface OpenTestNetwork extends TestNetwork {
  account: NetworkAccount;
  /** Forgets what was published, the scripted answers and the log of calls. */
  reset(): Promise<void>;
  close(): Promise<unknown>;
}

let accounts = 0;

/** A fake network with one account, and jobs with a clock that can be advanced. */
export async function openTestNetwork(
  driver: Driver,
  media: Record<string, number>,
  facts?: NetworkAccount["facts"],
  timing?: Partial<Timing>,
) {
  accounts += 1;
  const platform = driver.platform;
  const account: NetworkAccount = {
    platform,
    externalId: toExternalId(platform, `98${accounts}`),
    username: `maker${accounts}`,
    accessToken: `token-${platform}-${accounts}`,
    refreshToken: `refresh-${platform}-${accounts}`,
    ...(facts ? { facts } : {}),
  };
  const networks = await startNetworks({ accounts: [account], timing: { processingMs: 5, ...timing } });
  const host = await startMediaHost(media);
  const config = { baseUrl: `${networks.url}/${platform}`, clientId: "client", clientSecret: "secret" };
  const setup: OpenTestNetwork = {
    networks,
    media: host,
    config,
    account,
    job(content) {
      let skipped = 0;
      return {
        deliveryId: "delivery",
        content,
        connection: { accountId: "account", externalId: account.externalId, accessToken: account.accessToken },
        network: config,
        fetch: (input, init) => fetch(input, init),
        fetchMedia: (url, init) => fetch(url, init),
        now: () => new Date(Date.now() + skipped),
        advance: (ms) => {
          skipped += ms;
        },
      };
    },
    async reset() {
      for (const path of ["_published", "_behave", "_log"])
        await fetch(`${networks.url}/${path}`, { method: "DELETE" });
    },
    close: () => Promise.all([networks.close(), host.close()]),
  };
  return setup;
}

/** Opens a fake network for the tests of a block, and empties it before each of them. */
export function useTestNetwork(
  driver: Driver,
  media: Record<string, number>,
  facts?: NetworkAccount["facts"],
  timing?: Partial<Timing>,
) {
  let opened: OpenTestNetwork | undefined;
  const get = (): OpenTestNetwork => {
    if (!opened) throw new Error("The network opens before the first test.");
    return opened;
  };
  const network = driver.platform;
  beforeAll(async () => {
    opened = await openTestNetwork(driver, media, facts, timing);
  });
  afterAll(() => get().close());
  beforeEach(() => get().reset());
  return {
    get networks() {
      return get().networks;
    },
    get media() {
      return get().media;
    },
    get config() {
      return get().config;
    },
    get account() {
      return get().account;
    },
    job: (content: Content) => get().job(content),
    reset: () => get().reset(),
    published: () => get().networks.published()[network] ?? [],
    behave: (call: string, answer: Script["answer"], code?: string) =>
      get().networks.addScript({ network, call, answer, ...(code === undefined ? {} : { code }) }),
    callsOf: (name: string) =>
      get()
        .networks.log()
        .filter((entry) => entry.call === name).length,
  };
}

/** Limits every request of a job to 0.3 s, so that a stalled response ends the test quickly. */
export function withShortTimeout<Kept extends Job>(job: Kept): Kept {
  const limited: typeof fetch = (input, init) =>
    job.fetch(input, { ...init, signal: AbortSignal.any([AbortSignal.timeout(300), ...getSignals(init)]) });
  return { ...job, fetch: limited };
}

function getSignals(init: RequestInit | undefined): AbortSignal[] {
  return init?.signal ? [init.signal] : [];
}
