// YouTube: the driver contract, and tests specific to YouTube.
import { describe, expect, test } from "vitest";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { youtube } from "../../lib/platforms/youtube/driver.ts";
import { nextMidnightPacific } from "../../lib/platforms/youtube/errors.ts";
import { video as clip } from "./content.ts";
import { driverContract } from "./contract.ts";
import type { MediaHost } from "./media-host.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MIB = 1024 * 1024;
const MEDIA = { "short.mp4": 3 * MIB, "long.mp4": 40 * MIB + 123, "thumb.jpg": 4_000 };

function video(media: MediaHost, name: string, settings: Record<string, unknown>): Content {
  return { ...clip(media, name, settings), caption: "A day at sea\nwith wind" };
}

driverContract("youtube", {
  driver: youtube,
  kinds: [
    {
      name: "video",
      content: (media) => video(media, "short.mp4", {}),
      publishCall: "upload",
      lostAfter: "published",
      lostBefore: "not_published",
    },
  ],
  media: MEDIA,
  errorCodes: { content: "invalidTitle", account: "youtubeSignupRequired" },
  startCall: "videos.insert",
  refreshCall: "token",
});

describe("youtube uploads", () => {
  const setup = useTestNetwork(youtube, MEDIA);
  const { published } = setup;
  const callsSince = (before: number, call: string) =>
    setup.networks
      .log()
      .slice(before)
      .filter((entry) => entry.call === call);

  test("a file of several chunks is uploaded unchanged, with its metadata and settings", async () => {
    const settings = {
      privacy: "unlisted",
      tags: [{ value: "v", label: "sea" }, { label: "two words" }],
      categoryId: "19",
      selfDeclaredMadeForKids: "yes",
      thumbnail: { path: setup.media.url("thumb.jpg") },
    };
    const answer = await publishToEnd(youtube, setup.job(video(setup.media, "long.mp4", settings)));
    const [item] = published();
    expect(item).toMatchObject({ title: "A day at sea", caption: "A day at sea\nwith wind" });
    expect(item?.media).toEqual([
      { sha256: setup.media.sha256("long.mp4"), bytes: setup.media.bytes("long.mp4"), type: "video/mp4" },
    ]);
    expect(item?.settings).toEqual({
      privacyStatus: "unlisted",
      tags: ["sea", "two words"],
      categoryId: "19",
      selfDeclaredMadeForKids: true,
      thumbnail: setup.media.sha256("thumb.jpg"),
    });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toMatch(/^https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}$/);
  });

  test("an interrupted upload is not published, and publishing again continues where it stopped", async () => {
    const job = setup.job(video(setup.media, "long.mp4", {}));
    const handle = await startUntilReady(youtube, job);
    const before = setup.networks.log().length;
    setup.networks.addScript({ network: "youtube", call: "upload", answer: "drop_after" });
    expect((await expectFailure(youtube.publish(job, handle))).class).toBe("unanswered");
    expect(await youtube.reconcile(job, handle)).toEqual({ state: "not_published", handle });
    await youtube.publish(job, handle);
    // Three chunks in total: the first one was received although its response was lost, so it is not sent again.
    expect(callsSince(before, "upload")).toHaveLength(3);
    expect(published()).toHaveLength(1);
    expect(published()[0]?.media[0]?.sha256).toBe(setup.media.sha256("long.mp4"));
  });

  test("publishing an already published post sends nothing", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await startUntilReady(youtube, job);
    const first = await youtube.publish(job, handle);
    const before = setup.networks.log().length;
    expect(await youtube.publish(job, handle)).toEqual(first);
    expect(callsSince(before, "upload")).toHaveLength(0);
    expect(published()).toHaveLength(1);
  });

  test("for a session that YouTube no longer knows reconcile is inconclusive and publish restarts", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await youtube.start(job);
    const gone = { ...handle, sessionUrl: String(handle.sessionUrl).replace(/upload_id=.*/, "upload_id=gone") };
    expect(await youtube.reconcile(job, gone)).toEqual({ state: "cannot_tell" });
    const failed = await expectFailure(youtube.publish(job, gone));
    expect(failed).toMatchObject({ class: "transient", code: "upload_session_lost", restart: true });
  });

  test("a rejected read leaves the outcome of the video unknown", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await startUntilReady(youtube, job);
    const rejectCall = (call: string) =>
      setup.networks.addScript({ network: "youtube", call, answer: "refuse", code: "forbidden" });
    rejectCall("upload.probe");
    expect(await expectFailure(youtube.reconcile(job, handle))).not.toHaveProperty("restart");
    const sent = await youtube.publish(job, handle);
    if (sent.state !== "sent") throw new Error("expected sent");
    for (const check of [youtube.poll, youtube.reconcile]) {
      rejectCall("videos.list");
      expect(await expectFailure(check(job, sent.handle))).not.toHaveProperty("restart");
    }
  });

  test("a complete session without a video yet is polled again, not uploaded again", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await youtube.start(job);
    const headers = { range: `bytes=0-${3 * MIB - 1}` };
    const full = { ...job, fetch: async () => new Response(null, { status: 308, headers }) };
    expect(await youtube.reconcile(full, handle)).toMatchObject({ state: "processing", afterMs: 2_000 });
    expect((await expectFailure(youtube.publish(full, handle))).class).toBe("unanswered");
  });

  test("polling of long processing backs off to two minutes", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await startUntilReady(youtube, job);
    const sent = await youtube.publish(job, handle);
    if (sent.state !== "sent") throw new Error("expected sent");
    const waited = { ...sent.handle, videoId: "never_ready" };
    const gaps: number[] = [];
    await pollUntilDone(async (current) => {
      const answer = await youtube.poll(job, current);
      if (answer.state === "processing") gaps.push(answer.afterMs);
      return gaps.length < 7 ? answer : { state: "enough" };
    }, waited);
    expect(gaps).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000]);
  });

  test.each([
    ["codec", "content"],
    ["conversion", "content"],
    ["emptyFile", "content"],
    ["invalidFile", "content"],
    ["tooSmall", "content"],
    ["uploadAborted", "transient"],
    ["claim", "content"],
    ["copyright", "content"],
    ["trademark", "content"],
    ["legal", "content"],
    ["inappropriate", "content"],
    ["termsOfUse", "content"],
    ["duplicate", "content"],
    ["length", "content"],
    ["uploaderAccountClosed", "account"],
    ["uploaderAccountSuspended", "account"],
  ])("a video that ends as %s is %s, and its handle is invalid", async (reason, expected) => {
    setup.networks.addScript({ network: "youtube", answer: "refuse", code: reason });
    const failed = await expectFailure(publishToEnd(youtube, setup.job(video(setup.media, "short.mp4", {}))));
    expect(failed).toMatchObject({ class: expected, code: reason, restart: true });
    expect(published()).toHaveLength(0);
  });

  test.each([
    ["uploadLimitExceeded", "rate_limited"],
    ["rateLimitExceeded", "rate_limited"],
    ["userRateLimitExceeded", "rate_limited"],
    ["authError", "auth"],
    ["authorizationRequired", "auth"],
    ["youtubeSignupRequired", "account"],
    ["channelSuspended", "account"],
    ["channelClosed", "account"],
    ["authenticatedUserAccountSuspended", "account"],
    ["authenticatedUserAccountClosed", "account"],
    ["forbidden", "account"],
    ["accessNotConfigured", "transient"],
    ["insufficientPermissions", "account"],
    ["somethingNewForbidden", "content"],
    ["forbiddenPrivacySetting", "content"],
    ["invalidTitle", "content"],
    ["invalidDescription", "content"],
    ["invalidTags", "content"],
    ["invalidCategoryId", "content"],
    ["invalidVideoMetadata", "content"],
    ["invalidFilename", "content"],
    ["mediaBodyRequired", "content"],
    ["backendError", "transient"],
    ["internalError", "transient"],
  ])("the error %s is %s", async (code, expected) => {
    setup.networks.addScript({ network: "youtube", call: "videos.insert", answer: "refuse", code });
    const failed = await expectFailure(youtube.start(setup.job(video(setup.media, "short.mp4", {}))));
    expect(failed.class).toBe(expected);
    expect(failed.message).toMatch(/\w.*\.$/);
    // The others have no reset time.
    if (code === "uploadLimitExceeded") expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test("an exhausted quota waits for midnight Pacific", async () => {
    setup.networks.addScript({ network: "youtube", answer: "refuse", code: "quotaExceeded" });
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const now = new Date("2026-11-20T17:00:00.250Z");
    const failed = await expectFailure(youtube.start({ ...job, now: () => now }));
    expect(failed).toMatchObject({ class: "rate_limited", code: "quotaExceeded", operator: true });
    expect(failed.retryAt).toEqual(new Date("2026-11-21T08:00:00Z"));
  });

  test.each([
    ["2026-07-01T06:59:59Z", "2026-07-01T07:00:00Z"],
    ["2026-07-01T07:00:00Z", "2026-07-02T07:00:00Z"],
    // Days with a clock change have 23 or 25 hours.
    ["2026-03-08T08:30:00Z", "2026-03-09T07:00:00Z"],
    ["2026-03-08T18:00:00Z", "2026-03-09T07:00:00Z"],
    ["2026-11-01T07:30:00Z", "2026-11-02T08:00:00Z"],
    ["2026-11-01T20:00:00Z", "2026-11-02T08:00:00Z"],
  ])("after %s the next midnight Pacific is %s", (now, expected) => {
    expect(nextMidnightPacific(new Date(now))).toEqual(new Date(expected));
  });

  test("rejected app credentials do not disconnect the account; a revoked grant does", async () => {
    const tokens = { accessToken: "a", refreshToken: setup.account.refreshToken ?? null };
    const io = setup.job(video(setup.media, "short.mp4", {}));
    const refresh = () => expectFailure(youtube.refresh({ ...setup.config, clientSecret: "" }, tokens, io));
    expect(await refresh()).toMatchObject({ class: "transient", code: "invalid_client", operator: true });
    const none = youtube.refresh(setup.config, { ...tokens, refreshToken: null }, io);
    expect((await expectFailure(none)).class).toBe("auth");
  });

  test("a refresh keeps the refresh token, which Google sends only once", async () => {
    const tokens = { accessToken: "a", refreshToken: setup.account.refreshToken ?? null };
    const io = setup.job(video(setup.media, "short.mp4", {}));
    expect((await youtube.refresh(setup.config, tokens, io)).refreshToken).toBeNull();
    expect((await youtube.refresh(setup.config, tokens, io)).accessToken).toMatch(/^ya29\./);
  });

  test("images are rejected", async () => {
    const { video: image } = (video(setup.media, "thumb.jpg", {}).media ?? {}) as { video: MediaFile };
    const content = { ...video(setup.media, "short.mp4", {}), media: { type: "slideshow" as const, images: [image] } };
    expect(await expectFailure(youtube.start(setup.job(content)))).toMatchObject({ class: "content" });
  });
});
