// Contract tests for all drivers, run against the fake of each network over HTTP.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Content,
  type Driver,
  type Failure,
  getFailure,
  type Handle,
  type Job,
  type Published,
  type Publisher,
} from "../../lib/platforms/platform.ts";
import type { NetworkConfig } from "../../lib/shared/platforms.ts";
import { toExternalId } from "../../lib/simulator/networks/network.ts";
import type { Script } from "../local/networks/scripts.ts";
import { type NetworkAccount, type Networks, startNetworks, type Timing } from "../local/networks/server.ts";
import { type MediaHost, startMediaHost } from "./media-host.ts";

export interface ContentCase {
  name: string;
  content(media: MediaHost): Content;
  /** Name of the publishing call in the fake network. */
  publishCall: string;
  /** Result of `reconcile` when the response was lost after, and before, the call took effect. */
  lostAfter: "published" | "cannot_tell";
  lostBefore: "not_published" | "cannot_tell";
}

export interface ContractFixtures {
  driver: Driver;
  kinds: readonly [ContentCase, ...ContentCase[]];
  media: Record<string, number>;
  /** An error code for rejected content, and one for a rejected account. */
  errorCodes: { content: string; account: string };
  /** A call of `start`, for failures before the irreversible call. */
  startCall: string;
  /** Name of the refresh call in the fake network. */
  refreshCall: string;
}

export interface TestNetwork {
  networks: Networks;
  media: MediaHost;
  job(content: Content): Job & { advance(ms: number): void };
  config: NetworkConfig;
}

interface OpenTestNetwork extends TestNetwork {
  account: NetworkAccount;
  /** Forgets what was published, and the scripted answers. */
  reset(): Promise<void>;
  close(): Promise<unknown>;
}

let accounts = 0;

/** A fake network with one account, and jobs with a clock that can be advanced. */
export async function openTestNetwork(
  driver: Driver,
  media: Record<string, number>,
  facts: NetworkAccount["facts"],
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
      for (const path of ["_published", "_behave"]) await fetch(`${networks.url}/${path}`, { method: "DELETE" });
    },
    close: () => Promise.all([networks.close(), host.close()]),
  };
  return setup;
}

/** Opens a fake network for the tests of a block, and empties it before each of them. */
export function useTestNetwork(driver: Driver, media: Record<string, number>) {
  let setup: OpenTestNetwork | undefined;
  const get = (): OpenTestNetwork => {
    if (!setup) throw new Error("The network opens before the first test.");
    return setup;
  };
  const network = driver.platform;
  beforeAll(async () => {
    setup = await openTestNetwork(driver, media, undefined);
  });
  afterAll(() => get().close());
  beforeEach(async () => {
    await get().reset();
    await fetch(`${get().networks.url}/_log`, { method: "DELETE" });
  });
  return {
    get,
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

const POLLING_MS = 20_000;

/** Polls until the state is no longer processing. */
export async function pollUntilDone(
  poll: (handle: Handle) => Promise<{ state: string; handle?: Handle; afterMs?: number }>,
  first: Handle,
  wait: (ms: number) => void = () => {},
) {
  let handle = first;
  for (const until = performance.now() + POLLING_MS; performance.now() < until; ) {
    const answer = await poll(handle);
    if (answer.state !== "processing") return answer;
    handle = answer.handle ?? handle;
    wait(answer.afterMs ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`still processing after ${POLLING_MS} ms`);
}

/** Polls when the driver asks for it, by the job's own clock if it can be advanced. */
export async function startUntilReady(
  driver: Publisher,
  job: Job & { advance?: (ms: number) => void },
): Promise<Handle> {
  let handle = toStored(await driver.start(job));
  const ready = await pollUntilDone(
    (current) => {
      handle = toStored(current);
      return driver.poll(job, handle);
    },
    handle,
    job.advance,
  );
  expect(ready.state).toBe("ready");
  return toStored(ready.handle ?? handle);
}

export async function publishToEnd(driver: Publisher, job: Job): Promise<Published> {
  const handle = await startUntilReady(driver, job);
  const sent = await driver.publish(job, handle);
  if (sent.state === "published") return sent;
  return (await pollUntilDone((current) => driver.poll(job, current), toStored(sent.handle))) as Published;
}

/** A handle as read from its row, after a JSON round trip. */
function toStored(handle: Handle): Handle {
  return JSON.parse(JSON.stringify(handle)) as Handle;
}

/** Returns the failure that a driver call throws; fails the test if there is none. */
export async function expectFailure(work: Promise<unknown>): Promise<Failure> {
  const outcome: unknown = await work.catch((error: unknown) => error);
  const failed = getFailure(outcome);
  if (!failed) throw new Error(`expected a failure, got ${JSON.stringify(outcome) ?? String(outcome)}`);
  return failed;
}

export function driverContract(name: string, fixtures: ContractFixtures): void {
  const { driver } = fixtures;
  const { platform } = driver;
  const [firstKind] = fixtures.kinds;

  describe(`${name} driver contract`, () => {
    let setup: Awaited<ReturnType<typeof openTestNetwork>>;
    const published = () => setup.networks.published()[platform] ?? [];
    const contentOf = (kind: ContentCase) => kind.content(setup.media);
    const behave = (
      answer: "refuse" | "429" | "500" | "stall" | "drop_before" | "drop_after",
      call: string,
      code?: string,
    ) => setup.networks.addScript({ network: platform, answer, call, ...(code === undefined ? {} : { code }) });

    beforeAll(async () => {
      setup = await openTestNetwork(driver, fixtures.media, undefined);
    });
    afterAll(() => setup.close());
    beforeEach(() => setup.reset());

    describe.each(fixtures.kinds)("$name", (kind) => {
      test("is published once for its account, and polling changes nothing", async () => {
        const job = setup.job(contentOf(kind));
        const handle = await startUntilReady(driver, job);
        expect(published()).toHaveLength(0);
        const sent = await driver.publish(job, handle);
        const after = published();
        expect(after).toHaveLength(1);
        if (sent.state === "sent") {
          const answer = await pollUntilDone((current) => driver.poll(job, current), sent.handle);
          expect(answer.state).toBe("published");
          await driver.poll(job, sent.handle);
        }
        expect(published()).toEqual(after);
        expect(after[0]?.account).toBe(setup.account.externalId);
      });

      test("reconcile distinguishes a response lost after the effect from a request that was not received", async () => {
        for (const [answer, expected, count] of [
          ["drop_after", kind.lostAfter, 1],
          ["drop_before", kind.lostBefore, 0],
        ] as const) {
          await setup.reset();
          const job = setup.job(contentOf(kind));
          const handle = await startUntilReady(driver, job);
          behave(answer, kind.publishCall);
          expect((await expectFailure(driver.publish(job, handle))).class).toBe("unanswered");
          const verdict = await pollUntilDone((current) => {
            job.advance(5_000);
            return driver.reconcile(job, toStored(current));
          }, handle);
          expect(verdict.state).toBe(expected);
          expect(published()).toHaveLength(count);
        }
      });

      test("a 500 in the publishing request leaves the outcome unknown", async () => {
        const job = setup.job(contentOf(kind));
        const handle = await startUntilReady(driver, job);
        behave("500", kind.publishCall);
        expect((await expectFailure(driver.publish(job, handle))).class).toBe("unanswered");
      });

      test("a 429 in the publishing request is a rate limit, and nothing is published", async () => {
        const job = setup.job(contentOf(kind));
        const handle = await startUntilReady(driver, job);
        behave("429", kind.publishCall);
        const failed = await expectFailure(driver.publish(job, handle));
        expect(failed.class).toBe("rate_limited");
        // Not every network reports the reset time.
        expect(failed.retryAt?.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now());
        expect(published()).toHaveLength(0);
      });
    });

    test("a failed start publishes nothing and can be repeated", async () => {
      for (const [answer, expected] of [
        ["500", "transient"],
        ["429", "rate_limited"],
        ["drop_before", "unanswered"],
        ["drop_after", "unanswered"],
      ] as const) {
        behave(answer, fixtures.startCall);
        const failed = await expectFailure(driver.start(setup.job(contentOf(firstKind))));
        expect(failed.class).toBe(expected);
      }
      expect(published()).toHaveLength(0);
      await publishToEnd(driver, setup.job(contentOf(firstKind)));
      expect(published()).toHaveLength(1);
    });

    test("a stalled response is unanswered", async () => {
      behave("stall", fixtures.startCall);
      const failed = await expectFailure(driver.start(withShortTimeout(setup.job(contentOf(firstKind)))));
      expect(failed).toMatchObject({ class: "unanswered", code: "timeout" });
    });

    test("rejected content and a rejected account are final, each with its class", async () => {
      for (const kind of ["content", "account"] as const) {
        behave("refuse", fixtures.startCall, fixtures.errorCodes[kind]);
        const failed = await expectFailure(driver.start(setup.job(contentOf(firstKind))));
        expect(failed.class).toBe(kind);
        expect(failed.message).toMatch(/\w.*\./);
      }
    });

    test("an invalid token is auth, and neither message nor code contains the token", async () => {
      const job = setup.job(contentOf(firstKind));
      const accessToken = "token-unknown";
      const failed = await expectFailure(driver.start({ ...job, connection: { ...job.connection, accessToken } }));
      expect(failed.class).toBe("auth");
      expect(JSON.stringify(failed)).not.toContain(accessToken);
    });

    test("refresh returns a valid token with its expiry, and never an empty refresh token", async () => {
      const { accessToken, refreshToken } = setup.account;
      const io = setup.job(contentOf(firstKind));
      const fresh = await driver.refresh(setup.config, { accessToken, refreshToken: refreshToken ?? null }, io);
      expect(fresh.accessToken).not.toBe(accessToken);
      expect(fresh.refreshToken === null || fresh.refreshToken.length > 0).toBe(true);
      expect(fresh.expiresAt?.getTime()).toBeGreaterThan(Date.now());
      const job = { ...io, connection: { ...io.connection, accessToken: fresh.accessToken } };
      await publishToEnd(driver, job);
      expect(published()).toHaveLength(1);
    });

    test("a failed refresh distinguishes a revoked grant from a network error", async () => {
      const io = setup.job(contentOf(firstKind));
      const dead = { accessToken: "gone", refreshToken: "gone" };
      expect((await expectFailure(driver.refresh(setup.config, dead, io))).class).toBe("auth");
      behave("500", fixtures.refreshCall);
      expect((await expectFailure(driver.refresh(setup.config, dead, io))).class).toBe("transient");
    });
  });
}
