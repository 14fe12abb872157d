// The check of a scheduled post at its network, an hour before it is due, as callers read it in `at_risk`.
import { expect, test } from "vitest";
import { checkScheduledPosts } from "../../functions/cron/checks.ts";
import { claimRiskChecks } from "../../lib/queries/risk-checks.ts";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { uploadDemoVideo } from "../files/upload-file.ts";
import {
  callControl,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  openTestDatabase,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";

let days = 200;

interface Scheduled {
  tenant: Tenant;
  account: TestAccount;
  id: string;
  dueAt: Date;
  readRisk(): Promise<{ code: string; reason: string } | null>;
  /** Runs the check so many minutes before the post is due; returns the requests that its account received. */
  check(minutesBefore: number, network?: typeof fetch): Promise<number>;
  /** Changes what the network knows about the account. */
  setAtNetwork(change: { facts?: Record<string, unknown>; expired?: boolean }): Promise<unknown>;
}

/** Each post is due on another day far ahead, so that no other test's post is due within the same hour. */
async function schedule(platform: Platform, more: Record<string, unknown>): Promise<Scheduled> {
  days += 1;
  const dueAt = new Date(Date.now() + days * 24 * 60 * MINUTE_MS);
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, platform);
  const accounts = [{ id: account.id }];
  const media = platform === "threads" ? null : { type: "video", url: await uploadDemoVideo(tenant.api) };
  const body = { caption: "Later", media, accounts, scheduled_at: dueAt.toISOString(), ...more };
  const response = await tenant.api.post("/posts", body);
  expect(response.status).toBe(201);
  const { id } = response.body.data;
  return {
    ...{ tenant, account, id, dueAt },
    readRisk: async () => (await tenant.api.get(`/posts/${id}`)).body.data.accounts.states[0].at_risk,
    async check(minutesBefore, network = fetch) {
      let requests = 0;
      const send: typeof fetch = (input, init) => {
        requests += 1;
        return network(input, init);
      };
      const { services } = createTestPublisher(new Date(dueAt.getTime() - minutesBefore * MINUTE_MS), { fetch: send });
      await checkScheduledPosts({ ...services, log: () => undefined });
      return requests;
    },
    setAtNetwork: (change) => callControl("PUT", "/_accounts", { ...account, ...change }),
  };
}

const PUBLIC = { tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" } };

test("200 at_risk names what TikTok no longer allows the account, and is null once a later check finds it allowed", async () => {
  const post = await schedule("tiktok", PUBLIC);
  await post.setAtNetwork({ facts: { privacyLevels: ["SELF_ONLY"] } });
  expect(await post.check(120)).toBe(0);
  expect(await post.readRisk()).toBeNull();
  expect(await post.check(64)).toBe(1);
  const risk = { code: "check_failed", reason: expect.stringMatching(/does not allow .* Use one of SELF_ONLY/) };
  expect(await post.readRisk()).toEqual(risk);
  const listed = (await post.tenant.api.get("/posts?status=scheduled")).body.data.posts[0];
  expect(listed.accounts.states[0]).toMatchObject({ status: "scheduled", error_code: null, at_risk: risk });
  await post.setAtNetwork({ facts: {} });
  expect(await post.check(60)).toBe(0);
  expect(await post.check(53)).toBe(1);
  expect(await post.readRisk()).toBeNull();
  expect(await post.check(40)).toBe(0);
});

test("200 an edit clears at_risk, and the edited post is checked again", async () => {
  const post = await schedule("tiktok", PUBLIC);
  await post.setAtNetwork({ facts: { privacyLevels: ["SELF_ONLY"] } });
  await post.check(60);
  expect(await post.readRisk()).toMatchObject({ code: "check_failed" });
  const edited = await post.tenant.api.patch(`/posts/${post.id}`, { tiktok: { privacy_level: "SELF_ONLY" } });
  expect(edited.body.data.accounts.states[0].at_risk).toBeNull();
  expect(await post.check(59)).toBe(1);
  expect(await post.readRisk()).toBeNull();
});

test("200 an edit during the check keeps what the check found from the edited post", async () => {
  const post = await schedule("tiktok", PUBLIC);
  await post.setAtNetwork({ facts: { privacyLevels: ["SELF_ONLY"] } });
  await post.check(60, async (input, init) => {
    await post.tenant.api.patch(`/posts/${post.id}`, { caption: "Changed meanwhile" });
    return fetch(input, init);
  });
  expect(await post.readRisk()).toBeNull();
});

test.each([
  ["instagram", { quotaTotal: 0 }, {}, /allows this account 0 posts in 24 hours/],
  ["threads", { quotaTotal: 0 }, {}, /allows this account 0 posts in 24 hours/],
  ["pinterest", { boards: [] }, { pinterest: { board_id: "549755885175" } }, /board/],
] as const)("200 at_risk names what %s reports", async (platform, facts, more, reason) => {
  const post = await schedule(platform, more);
  await post.setAtNetwork({ facts });
  expect(await post.check(60)).toBe(1);
  expect(await post.readRisk()).toEqual({ code: "check_failed", reason: expect.stringMatching(reason) });
});

test.each(["bluesky", "facebook", "linkedin", "youtube"] as const)(
  "200 %s is asked whether the token works, which is refreshed if it does not",
  async (platform) => {
    const post = await schedule(platform, {});
    expect(await post.check(64)).toBe(1);
    expect(await post.readRisk()).toBeNull();
    const other = await schedule(platform, {});
    await other.setAtNetwork({ expired: true });
    const rejected = async (input: string | URL | Request, init?: RequestInit) =>
      /token|createSession|refreshSession/i.test(new URL(String(input)).pathname)
        ? Response.json({ error: "invalid_grant" }, { status: 400 })
        : fetch(input, init);
    expect(await other.check(64, rejected as typeof fetch)).toBeGreaterThanOrEqual(1);
    expect(await other.readRisk()).toMatchObject({ code: "account_disconnected" });
  },
);

test("200 at_risk names a suspended Bluesky account; a LinkedIn app without profiles says nothing", async () => {
  const suspended = await schedule("bluesky", {});
  await suspended.setAtNetwork({ facts: { status: "suspended" } });
  expect(await suspended.check(60)).toBe(1);
  expect(await suspended.readRisk()).toEqual({ code: "check_failed", reason: expect.stringMatching(/suspended/) });
  const unreadable = await schedule("linkedin", {});
  await unreadable.setAtNetwork({ facts: { noProfile: true } });
  expect(await unreadable.check(60)).toBe(1);
  expect(await unreadable.readRisk()).toBeNull();
  const unscoped = await schedule("youtube", {});
  await unscoped.setAtNetwork({ facts: { noReading: true } });
  expect(await unscoped.check(60)).toBe(1);
  expect(await unscoped.readRisk()).toBeNull();
});

test("X, which charges for reads, is not asked", async () => {
  const post = await schedule("twitter", {});
  expect(await post.check(60)).toBe(0);
  expect(await post.readRisk()).toBeNull();
});

test("200 a token that the network rejects, and that cannot be refreshed, disconnects the account in time", async () => {
  const post = await schedule("tiktok", PUBLIC);
  const { account, tenant } = post;
  await post.setAtNetwork({ expired: true });
  await post.check(60, async (input, init) =>
    String(input).includes("/oauth/token/")
      ? Response.json({ error: "invalid_grant" }, { status: 400 })
      : fetch(input, init),
  );
  expect(await post.readRisk()).toMatchObject({ code: "account_disconnected" });
  const accounts = (await tenant.api.get("/accounts?status=all")).body.data.accounts;
  expect(accounts[0]).toMatchObject({ id: account.id, status: "disconnected" });
});

test("200 a network that does not answer marks nothing, and is asked once", async () => {
  const post = await schedule("instagram", {});
  const fail: typeof fetch = async () => Response.json({}, { status: 500 });
  expect(await post.check(60, fail)).toBe(1);
  expect(await post.readRisk()).toBeNull();
  expect(await post.check(59, fail)).toBe(0);
});

test("a run takes no more than its limit, the earliest first, and the next run the rest", async () => {
  const first = await schedule("threads", {});
  const accounts = [{ id: first.account.id }];
  const later = new Date(first.dueAt.getTime() + MINUTE_MS).toISOString();
  await first.tenant.api.post("/posts", { caption: "Even later", accounts, scheduled_at: later });
  const now = new Date(first.dueAt.getTime() - 60 * MINUTE_MS);
  const dueBy = new Date(now.getTime() + 65 * MINUTE_MS);
  const take = () => claimRiskChecks(openTestDatabase(), { now, dueBy, recheckBefore: now, limit: 1 });
  const runs = [await take(), await take(), await take()];
  expect(runs.map((taken) => taken.map(({ post }) => post.caption))).toEqual([["Later"], ["Even later"], []]);
});
