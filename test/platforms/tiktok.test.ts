// TikTok: the driver contract, and tests specific to TikTok.
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Content } from "../../lib/platforms/platform.ts";
import { tiktok } from "../../lib/platforms/tiktok/driver.ts";
import { getChunkRange, planChunks } from "../../lib/platforms/tiktok/upload.ts";
import { file, video } from "./content.ts";
import { type ContentCase, driverContract } from "./contract.ts";
import type { MediaHost } from "./media-host.ts";
import { expectFailure, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { openTestNetwork, useTestNetwork } from "./test-network.ts";

const MIB = 1024 * 1024;
const MEDIA = { "short.mp4": 3 * MIB, "long.mp4": 64_000_123, "a.jpg": 4_000, "b.jpg": 5_000, "c.png": 3_000 };

function photos(media: MediaHost, names: string[], settings: Record<string, unknown>): Content {
  const images = names.map((name) => file(media.url(name)));
  return { caption: "Two views", media: { type: "slideshow", images }, musicUrl: null, settings };
}

const videoKind: ContentCase = {
  name: "video",
  content: (media) => video(media, "short.mp4", {}),
  publishCall: "upload",
  lostAfter: "published",
  lostBefore: "not_published",
};
const photoKind: ContentCase = {
  name: "photos",
  content: (media) => photos(media, ["a.jpg", "b.jpg"], {}),
  publishCall: "content/init",
  // The publish id to query is in the lost response.
  lostAfter: "cannot_tell",
  lostBefore: "cannot_tell",
};

driverContract("tiktok", {
  driver: tiktok,
  kinds: [videoKind, photoKind],
  media: MEDIA,
  errorCodes: { content: "invalid_params", account: "spam_risk_user_banned_from_posting" },
  startCall: "creator_info/query",
  refreshCall: "oauth/token",
});

describe("tiktok videos", () => {
  const privacyLevels = ["FOLLOWER_OF_CREATOR", "SELF_ONLY", "PUBLIC_TO_EVERYONE"];
  const setup = useTestNetwork(tiktok, MEDIA, { privacyLevels, maxVideoSeconds: 60, duetDisabled: true });
  const { published } = setup;

  test.each([1, 5 * MIB - 1, 16 * MIB, 16 * MIB + 1, 64 * MIB, 64 * MIB + 1, 4_000_000_000])(
    "chunks of %i bytes stay within the protocol's bounds and cover the file",
    (size) => {
      const plan = planChunks(size);
      const ranges = Array.from({ length: plan.chunkCount }, (_, index) => getChunkRange(plan, index));
      expect(ranges.at(-1)?.last).toBe(size - 1);
      expect(ranges.length).toBeLessThanOrEqual(1_000);
      expect(plan.chunkCount).toBe(Math.floor(size / plan.chunkSize));
      ranges.forEach((range, index) => {
        const length = range.last - range.first + 1;
        expect(range.first).toBe(index === 0 ? 0 : (ranges[index - 1]?.last ?? 0) + 1);
        expect(length <= 64 * MIB || (index === ranges.length - 1 && length <= 128 * MIB)).toBe(true);
        expect(length >= 5_000_000 || plan.chunkCount === 1).toBe(true);
      });
    },
  );

  test.each([
    [64_000_000, 1],
    [64_000_001, 2],
  ])("%i bytes are sent in %i chunks", (size, chunks) => expect(planChunks(size).chunkCount).toBe(chunks));

  test.each([
    ["reached_active_user_cap", { class: "rate_limited", operator: true }, /The account is not at fault/],
    ["unaudited_client_can_only_post_to_private_accounts", { class: "account", operator: true }, /not at fault/],
    ["spam_risk_text", { class: "content", operator: undefined }, /text of this post .* Change the caption/],
    ["spam_risk_too_many_posts", { class: "rate_limited", operator: undefined }, /daily posting limit/],
    ["spam_risk_user_banned_from_posting", { class: "account", operator: undefined }, /banned this account/],
    ["spam_risk", { class: "account", operator: undefined }, /flagged this account/],
  ])("the error %s tells the app's faults, the text's and the account's apart", async (code, expected, message) => {
    setup.networks.addScript({ network: "tiktok", call: "video/init", answer: "refuse", code });
    const failed = await expectFailure(tiktok.start(setup.job(video(setup.media, "short.mp4", {}))));
    expect({ class: failed.class, operator: failed.operator }).toEqual(expected);
    expect(failed.message).toMatch(message);
    if (expected.class === "rate_limited") expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test("a video made by AI is labelled", async () => {
    await publishToEnd(tiktok, setup.job(video(setup.media, "short.mp4", { is_aigc: true })));
    expect(published()[0]?.settings).toMatchObject({ is_aigc: true });
  });

  test("a file of several chunks is uploaded unchanged, and the url has the full video id", async () => {
    const answer = await publishToEnd(tiktok, setup.job(video(setup.media, "long.mp4", { disable_comment: true })));
    const [item] = published();
    expect(item?.caption).toBe("A clip");
    expect(item?.media).toEqual([
      { sha256: setup.media.sha256("long.mp4"), bytes: setup.media.bytes("long.mp4"), type: "video/mp4" },
    ]);
    expect(item?.settings).toMatchObject({ disable_comment: true, disable_duet: true, disable_stitch: false });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toMatch(/^https:\/\/www\.tiktok\.com\/@maker\d+\/video\/\d{19}$/);
  });

  test("an interrupted upload is not published, and publishing again continues where it stopped", async () => {
    const job = setup.job(video(setup.media, "long.mp4", {}));
    const handle = await startUntilReady(tiktok, job);
    const before = setup.networks.log().length;
    setup.networks.addScript({ network: "tiktok", call: "upload", answer: "drop_after" });
    expect((await expectFailure(tiktok.publish(job, handle))).class).toBe("unanswered");
    const verdict = await tiktok.reconcile(job, handle);
    expect(verdict.state).toBe("not_published");
    expect(published()).toHaveLength(0);
    const sent = await tiktok.publish(job, ("handle" in verdict && verdict.handle) || {});
    expect(sent.state).toBe("sent");
    const puts = setup.networks
      .log()
      .slice(before)
      .filter((entry) => entry.call === "upload");
    expect(puts).toHaveLength(2);
    expect(published()[0]?.media[0]?.sha256).toBe(setup.media.sha256("long.mp4"));
  });

  test("publishing an already published post sends nothing", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await startUntilReady(tiktok, job);
    await tiktok.publish(job, handle);
    await tiktok.publish(job, handle);
    expect(published()).toHaveLength(1);
  });

  test("an upload that did not start is not published, with a handle to continue from", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await startUntilReady(tiktok, job);
    expect(await tiktok.reconcile(job, handle)).toEqual({ state: "not_published", handle });
  });

  test("a privacy level that the account does not allow is rejected before anything is created", async () => {
    const job = setup.job(video(setup.media, "short.mp4", { privacy_level: "MUTUAL_FOLLOW_FRIENDS" }));
    const failed = await expectFailure(tiktok.start(job));
    expect(failed).toMatchObject({ class: "content", code: "privacy_level_option_mismatch" });
  });

  test("a video longer than the account allows is rejected before anything is created", async () => {
    const content = video(setup.media, "short.mp4", {});
    const source = file(setup.media.url("short.mp4"), { durationMs: 60_001 });
    const failed = await expectFailure(
      tiktok.start(setup.job({ ...content, media: { type: "video", video: source } })),
    );
    expect(failed).toMatchObject({ class: "content", code: "duration_check_failed" });
  });

  test("a private video is published without a url", async () => {
    const job = setup.job(video(setup.media, "short.mp4", { privacy_level: "SELF_ONLY" }));
    expect(await publishToEnd(tiktok, job)).toEqual({ state: "published", platformPostId: null, url: null });
  });

  test.each([
    ["picture_size_check_failed", "content"],
    ["auth_removed", "account"],
    ["internal", "transient"],
  ])("fail reason %s is %s, and its handle is invalid", async (reason, expected) => {
    setup.networks.addScript({ network: "tiktok", answer: "refuse", code: reason });
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const failed = await expectFailure(publishToEnd(tiktok, job));
    expect(failed).toMatchObject({ class: expected, code: reason, restart: true });
    expect(published()).toHaveLength(0);
  });

  test("a missing media url is a content failure", async () => {
    const failed = await expectFailure(tiktok.start(setup.job(video(setup.media, "gone.mp4", {}))));
    expect(failed).toMatchObject({ class: "content", code: "media_unreachable" });
  });

  test("rejected app credentials are transient and do not disconnect the account", async () => {
    const tokens = { accessToken: "a", refreshToken: setup.account.refreshToken ?? null };
    const io = setup.job(video(setup.media, "short.mp4", {}));
    const failed = await expectFailure(tiktok.refresh({ ...setup.config, clientSecret: "" }, tokens, io));
    expect(failed).toMatchObject({ class: "transient", code: "invalid_client" });
  });

  test("a refresh without a new refresh token keeps the current one", async () => {
    const tokens = { accessToken: "a-keeper", refreshToken: "r-keeper" };
    const facts = { keepsRefreshToken: true };
    setup.networks.register({ platform: "tiktok", externalId: "771", ...tokens, facts });
    const fresh = await tiktok.refresh(setup.config, tokens, setup.job(video(setup.media, "short.mp4", {})));
    expect(fresh.refreshToken).toBeNull();
    await tiktok.refresh(setup.config, tokens, setup.job(video(setup.media, "short.mp4", {})));
  });
});

describe("tiktok photos", () => {
  const setup = useTestNetwork(tiktok, MEDIA, { commentDisabled: true });
  const { published } = setup;

  test("a slideshow has its text and options, and its url contains the public id", async () => {
    const settings = { title: "Sea", auto_add_music: true, is_your_brand: true };
    const answer = await publishToEnd(tiktok, setup.job(photos(setup.media, ["a.jpg", "b.jpg"], settings)));
    const item = published().at(-1);
    expect(item).toMatchObject({ kind: "photo", title: "Sea", caption: "Two views" });
    expect(item?.settings).toMatchObject({
      auto_add_music: true,
      brand_organic_toggle: true,
      brand_content_toggle: false,
      disable_comment: true,
    });
    expect(item?.media.map((one) => one.url)).toEqual([setup.media.url("a.jpg"), setup.media.url("b.jpg")]);
    expect(answer.url).toContain("/photo/");
  });

  test("photos of a host that is not verified are rejected, and nothing is published", async () => {
    const { externalId } = setup.account;
    const facts = { verifiedHosts: ["cdn.example.com"] };
    setup.networks.register({ platform: "tiktok", externalId, accessToken: "unverified", facts });
    const job = setup.job(photos(setup.media, ["a.jpg"], {}));
    const connection = { ...job.connection, accessToken: "unverified" };
    const before = published().length;
    const failed = await expectFailure(publishToEnd(tiktok, { ...job, connection }));
    expect(failed).toMatchObject({ class: "content", code: "url_ownership_unverified" });
    expect(published()).toHaveLength(before);
  });

  test("a draft is sent to the inbox with its text only", async () => {
    const settings = { post_mode: "MEDIA_UPLOAD", disable_comment: true };
    const answer = await publishToEnd(tiktok, setup.job(photos(setup.media, ["a.jpg"], settings)));
    expect(answer).toEqual({ state: "published", platformPostId: null, url: null });
    expect(published().at(-1)).toMatchObject({ kind: "photo_draft", settings: {} });
  });

  test.each([
    ["c.png", "file_format_check_failed", "content"],
    ["gone.jpg", "photo_pull_failed", "transient"],
  ])("%s ends as %s, which is %s", async (name, code, expected) => {
    const failed = await expectFailure(publishToEnd(tiktok, setup.job(photos(setup.media, ["a.jpg", name], {}))));
    expect(failed).toMatchObject({ class: expected, code });
  });
});

describe("a slow TikTok", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("a video in moderation for three hours is published without a url, which polls find afterwards", async () => {
    const setup = await openTestNetwork(tiktok, MEDIA, undefined, { publicIdDelayMs: 3 * 3_600_000 });
    vi.useFakeTimers({ toFake: ["Date"], shouldAdvanceTime: true });
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const sent = await tiktok.publish(job, await startUntilReady(tiktok, job));
    const handle = sent.state === "sent" ? sent.handle : {};
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
    expect(await tiktok.poll(job, handle)).toEqual({ state: "published", platformPostId: null, url: null });
    vi.setSystemTime(Date.now() + 3_660_000);
    const url = expect.stringMatching(/^https:\/\/www\.tiktok\.com\//);
    expect(await tiktok.poll(job, handle)).toMatchObject({ state: "published", url });
    await setup.close();
  });

  test("a token that was refreshed 20 ms ago is not accepted yet, and is accepted later", async () => {
    const setup = await openTestNetwork(tiktok, MEDIA, { propagationMs: 60_000 });
    vi.useFakeTimers({ toFake: ["Date"], shouldAdvanceTime: true });
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const { accessToken, refreshToken = null } = setup.account;
    const fresh = await tiktok.refresh(setup.config, { accessToken, refreshToken }, job);
    const later = { ...job, connection: { ...job.connection, accessToken: fresh.accessToken } };
    vi.setSystemTime(Date.now() + 20);
    expect((await expectFailure(tiktok.start(later))).class).toBe("auth");
    vi.setSystemTime(Date.now() + 60_000);
    await publishToEnd(tiktok, later);
    await setup.close();
  });
});
