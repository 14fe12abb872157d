// Contract tests for all drivers, run against the fake of each network over HTTP.
import { describe, expect, test } from "vitest";
import type { Content, Driver } from "../../lib/platforms/platform.ts";
import type { MediaHost } from "./media-host.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady, toStored } from "./publish-to-end.ts";
import { useTestNetwork, withShortTimeout } from "./test-network.ts";

export interface ContentCase {
  name: string;
  content(media: MediaHost): Content;
  /** Name of the publishing call in the fake network. */
  publishCall: string;
  /** Result of `reconcile` when the response was lost after, and before, the call took effect. */
  lostAfter: "published" | "cannot_tell";
  lostBefore: "not_published" | "cannot_tell";
}

/** The cases of a network that lists its posts, so that `reconcile` finds out what became of a lost call. */
export const toReconciledCase =
  (publishCall: string) =>
  (name: string, content: ContentCase["content"]): ContentCase => ({
    ...{ name, content, publishCall },
    ...{ lostAfter: "published", lostBefore: "not_published" },
  });

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

export function driverContract(name: string, fixtures: ContractFixtures): void {
  const { driver } = fixtures;
  const [firstKind] = fixtures.kinds;

  describe(`${name} driver contract`, () => {
    const setup = useTestNetwork(driver, fixtures.media);
    const { published, behave } = setup;
    const contentOf = (kind: ContentCase) => kind.content(setup.media);

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
          behave(kind.publishCall, answer);
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
        behave(kind.publishCall, "500");
        expect((await expectFailure(driver.publish(job, handle))).class).toBe("unanswered");
      });

      test("a 429 in the publishing request is a rate limit, and nothing is published", async () => {
        const job = setup.job(contentOf(kind));
        const handle = await startUntilReady(driver, job);
        behave(kind.publishCall, "429");
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
        behave(fixtures.startCall, answer);
        const failed = await expectFailure(driver.start(setup.job(contentOf(firstKind))));
        expect(failed.class).toBe(expected);
      }
      expect(published()).toHaveLength(0);
      await publishToEnd(driver, setup.job(contentOf(firstKind)));
      expect(published()).toHaveLength(1);
    });

    test("a stalled response is unanswered", async () => {
      behave(fixtures.startCall, "stall");
      const failed = await expectFailure(driver.start(withShortTimeout(setup.job(contentOf(firstKind)))));
      expect(failed).toMatchObject({ class: "unanswered", code: "timeout" });
    });

    test("rejected content and a rejected account are final, each with its class", async () => {
      for (const kind of ["content", "account"] as const) {
        behave(fixtures.startCall, "refuse", fixtures.errorCodes[kind]);
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
      behave(fixtures.refreshCall, "500");
      expect((await expectFailure(driver.refresh(setup.config, dead, io))).class).toBe("transient");
    });
  });
}
