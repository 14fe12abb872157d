// What every driver must do, told against its network's stand-in over real HTTP: one suite for all of them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Carrier,
  type Content,
  type Driver,
  type Failure,
  failureOf,
  type Handle,
  type Job,
  type NetworkConfig,
  type Published,
} from "../../lib/platforms/platform.ts";
import { type NetworkAccount, type Networks, startNetworks } from "../local/networks/server.ts";
import { type MediaHost, startMedia } from "./media.ts";

export interface Kind {
  name: string;
  content(media: MediaHost): Content;
  /** The call that makes the post visible, as the stand-in names it. */
  publishCall: string;
  /** What `reconcile` can know when the answer was lost after, and before, the network acted. */
  lostAfter: "published" | "cannot_tell";
  lostBefore: "not_published" | "cannot_tell";
}

export interface Fixtures {
  driver: Driver;
  kinds: readonly [Kind, ...Kind[]];
  media: Record<string, number>;
  /** A code by which the network refuses content for good, and one that only a person can mend. */
  refusals: { content: string; account: string };
  /** A call of `start`, for failures before anything is irreversible. */
  startCall: string;
  /** The name under which the stand-in knows the refresh call. */
  refreshCall: string;
}

export interface World {
  networks: Networks;
  media: MediaHost;
  job(content: Content): Job & { advance(ms: number): void };
  config: NetworkConfig;
}

let accounts = 0;

/** A network with one account on it, and jobs whose clock only moves when told. */
export async function openWorld(driver: Driver, media: Record<string, number>, facts: NetworkAccount["facts"]) {
  accounts += 1;
  const platform = driver.platform;
  const account: NetworkAccount = {
    platform,
    externalId: `98${accounts}`,
    username: `maker${accounts}`,
    accessToken: `token-${platform}-${accounts}`,
    refreshToken: `refresh-${platform}-${accounts}`,
    ...(facts ? { facts } : {}),
  };
  const networks = await startNetworks({ accounts: [account], pace: { processingMs: 5 } });
  const host = await startMedia(media);
  const config = { baseUrl: `${networks.url}/${platform}`, clientId: "client", clientSecret: "secret" };
  const world: World & { account: NetworkAccount; close(): Promise<unknown> } = {
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
    close: () => Promise.all([networks.close(), host.close()]),
  };
  return world;
}

/** A job that waits for no answer longer than a second and a half, so that a stalled one ends a test in time. */
export function hasty<Kept extends Job>(job: Kept): Kept {
  const limited: typeof fetch = (input, init) =>
    job.fetch(input, { ...init, signal: AbortSignal.any([AbortSignal.timeout(1_500), ...signalsOf(init)]) });
  return { ...job, fetch: limited };
}

function signalsOf(init: RequestInit | undefined): AbortSignal[] {
  return init?.signal ? [init.signal] : [];
}

/** Polls until something other than processing comes. */
export async function settle(ask: (handle: Handle) => Promise<{ state: string; handle?: Handle }>, first: Handle) {
  let handle = first;
  for (let turn = 0; turn < 200; turn++) {
    const answer = await ask(handle);
    if (answer.state !== "processing") return answer;
    handle = answer.handle ?? handle;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("still processing after 200 polls");
}

export async function startReady(driver: Carrier, job: Job): Promise<Handle> {
  const handle = stored(await driver.start(job));
  const ready = await settle((current) => driver.poll(job, current), handle);
  expect(ready.state).toBe("ready");
  return stored(ready.handle ?? handle);
}

export async function publishAll(driver: Carrier, job: Job): Promise<Published> {
  const handle = await startReady(driver, job);
  const sent = await driver.publish(job, handle);
  if (sent.state === "published") return sent;
  return (await settle((current) => driver.poll(job, current), stored(sent.handle))) as Published;
}

/** A handle as it comes back from its row: through JSON. */
function stored(handle: Handle): Handle {
  return JSON.parse(JSON.stringify(handle)) as Handle;
}

/** The failure that a driver call throws; anything else fails the test. */
export async function failureFrom(work: Promise<unknown>): Promise<Failure> {
  const outcome: unknown = await work.catch((error: unknown) => error);
  const failed = failureOf(outcome);
  if (!failed) throw new Error(`expected a failure, got ${JSON.stringify(outcome) ?? String(outcome)}`);
  return failed;
}

export function driverContract(name: string, fixtures: Fixtures): void {
  const { driver } = fixtures;
  const { platform } = driver;
  const [firstKind] = fixtures.kinds;

  describe(`${name} keeps the driver contract`, () => {
    let world: Awaited<ReturnType<typeof openWorld>>;
    const published = () => world.networks.published()[platform] ?? [];
    const contentOf = (kind: Kind) => kind.content(world.media);
    const behave = (
      answer: "refuse" | "429" | "500" | "stall" | "drop_before" | "drop_after",
      call: string,
      code?: string,
    ) => world.networks.behave({ network: platform, answer, call, ...(code === undefined ? {} : { code }) });

    beforeAll(async () => {
      world = await openWorld(driver, fixtures.media, undefined);
    });
    afterAll(() => world.close());
    beforeEach(async () => {
      await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
      await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
    });

    describe.each(fixtures.kinds)("$name", (kind) => {
      test("goes out once for its account, and polling changes nothing", async () => {
        const job = world.job(contentOf(kind));
        const handle = await startReady(driver, job);
        expect(published()).toHaveLength(0);
        const sent = await driver.publish(job, handle);
        const after = published();
        expect(after).toHaveLength(1);
        if (sent.state === "sent") {
          const answer = await settle((current) => driver.poll(job, current), sent.handle);
          expect(answer.state).toBe("published");
          await driver.poll(job, sent.handle);
        }
        expect(published()).toEqual(after);
        expect(after[0]?.account).toBe(world.account.externalId);
      });

      test("a lost answer after the effect is told from one before it, without sending again", async () => {
        for (const [answer, expected, count] of [
          ["drop_after", kind.lostAfter, 1],
          ["drop_before", kind.lostBefore, 0],
        ] as const) {
          await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
          const job = world.job(contentOf(kind));
          const handle = await startReady(driver, job);
          behave(answer, kind.publishCall);
          expect((await failureFrom(driver.publish(job, handle))).class).toBe("unanswered");
          const verdict = await settle((current) => {
            job.advance(5_000);
            return driver.reconcile(job, stored(current));
          }, handle);
          expect(verdict.state).toBe(expected);
          expect(published()).toHaveLength(count);
        }
      });

      test("a 500 in the publishing call leaves the outcome open", async () => {
        const job = world.job(contentOf(kind));
        const handle = await startReady(driver, job);
        behave("500", kind.publishCall);
        expect((await failureFrom(driver.publish(job, handle))).class).toBe("unanswered");
      });

      test("a 429 in the publishing call is a limit that ends later, and nothing is out", async () => {
        const job = world.job(contentOf(kind));
        const handle = await startReady(driver, job);
        behave("429", kind.publishCall);
        const failed = await failureFrom(driver.publish(job, handle));
        expect(failed.class).toBe("rate_limited");
        // Not every network names the end.
        expect(failed.retryAt?.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now());
        expect(published()).toHaveLength(0);
      });
    });

    test("a start that failed leaves nothing behind and can be repeated", async () => {
      for (const [answer, expected] of [
        ["500", "transient"],
        ["429", "rate_limited"],
        ["drop_before", "unanswered"],
        ["drop_after", "unanswered"],
      ] as const) {
        behave(answer, fixtures.startCall);
        const failed = await failureFrom(driver.start(world.job(contentOf(firstKind))));
        expect(failed.class).toBe(expected);
      }
      expect(published()).toHaveLength(0);
      await publishAll(driver, world.job(contentOf(firstKind)));
      expect(published()).toHaveLength(1);
    });

    test("a stalled answer ends as unanswered", async () => {
      behave("stall", fixtures.startCall);
      const failed = await failureFrom(driver.start(hasty(world.job(contentOf(firstKind)))));
      expect(failed).toMatchObject({ class: "unanswered", code: "timeout" });
    });

    test("refused content and a refused account are final, each in its class", async () => {
      for (const kind of ["content", "account"] as const) {
        behave("refuse", fixtures.startCall, fixtures.refusals[kind]);
        const failed = await failureFrom(driver.start(world.job(contentOf(firstKind))));
        expect(failed.class).toBe(kind);
        expect(failed.message).toMatch(/\w.*\./);
      }
    });

    test("a dead token is auth, and no message or code quotes the token", async () => {
      const job = world.job(contentOf(firstKind));
      const accessToken = "token-nobody-knows";
      const failed = await failureFrom(driver.start({ ...job, connection: { ...job.connection, accessToken } }));
      expect(failed.class).toBe("auth");
      expect(JSON.stringify(failed)).not.toContain(accessToken);
    });

    test("refresh gives a token that works, with its end, and never an empty refresh token", async () => {
      const { accessToken, refreshToken } = world.account;
      const io = world.job(contentOf(firstKind));
      const fresh = await driver.refresh(world.config, { accessToken, refreshToken: refreshToken ?? null }, io);
      expect(fresh.accessToken).not.toBe(accessToken);
      expect(fresh.refreshToken === null || fresh.refreshToken.length > 0).toBe(true);
      expect(fresh.expiresAt?.getTime()).toBeGreaterThan(Date.now());
      const job = { ...io, connection: { ...io.connection, accessToken: fresh.accessToken } };
      await publishAll(driver, job);
      expect(published()).toHaveLength(1);
    });

    test("a refresh that fails says whether the person or the network is to blame", async () => {
      const io = world.job(contentOf(firstKind));
      const dead = { accessToken: "gone", refreshToken: "gone" };
      expect((await failureFrom(driver.refresh(world.config, dead, io))).class).toBe("auth");
      behave("500", fixtures.refreshCall);
      expect((await failureFrom(driver.refresh(world.config, dead, io))).class).toBe("transient");
    });
  });
}
