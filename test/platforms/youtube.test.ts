// YouTube: the driver contract, and what only YouTube has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { youtube } from "../../lib/platforms/youtube/driver.ts";
import { nextMidnightPacific } from "../../lib/platforms/youtube/errors.ts";
import { driverContract, failureFrom, openWorld, publishAll, settle, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MIB = 1024 * 1024;
const MEDIA = { "short.mp4": 3 * MIB, "long.mp4": 40 * MIB + 123, "thumb.jpg": 4_000, "huge.png": 2 * MIB + 1 };

function video(media: MediaHost, name: string, settings: Record<string, unknown>): Content {
  const nothing = { bytes: null, durationMs: null, width: null, height: null };
  const source: MediaFile = { url: media.url(name), mimeType: "video/mp4", ...nothing };
  return { caption: "A day at sea\nwith wind", media: { type: "video", video: source }, musicUrl: null, settings };
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
  refusals: { content: "invalidTitle", account: "youtubeSignupRequired" },
  startCall: "videos.insert",
  refreshCall: "token",
});

describe("youtube uploads", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().youtube ?? [];
  const callsSince = (before: number, call: string) =>
    world.networks
      .log()
      .slice(before)
      .filter((entry) => entry.call === call);
  beforeAll(async () => {
    world = await openWorld(youtube, MEDIA, undefined);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
  });

  test("a file of several chunks arrives byte for byte, with its words and settings", async () => {
    const settings = {
      privacy: "unlisted",
      tags: [{ value: "v", label: "sea" }, { label: "two words" }],
      categoryId: "19",
      selfDeclaredMadeForKids: "yes",
      thumbnail: { path: world.media.url("thumb.jpg") },
    };
    const answer = await publishAll(youtube, world.job(video(world.media, "long.mp4", settings)));
    const [item] = published();
    expect(item).toMatchObject({ title: "A day at sea", caption: "A day at sea\nwith wind" });
    expect(item?.media).toEqual([
      { sha256: world.media.sha256("long.mp4"), bytes: world.media.bytes("long.mp4"), type: "video/mp4" },
    ]);
    expect(item?.settings).toEqual({
      privacyStatus: "unlisted",
      tags: ["sea", "two words"],
      categoryId: "19",
      selfDeclaredMadeForKids: true,
      thumbnail: world.media.sha256("thumb.jpg"),
    });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toMatch(/^https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}$/);
  });

  test("an upload that broke half way is not published, and publishing again goes on where it stopped", async () => {
    const job = world.job(video(world.media, "long.mp4", {}));
    const handle = await startReady(youtube, job);
    const before = world.networks.log().length;
    world.networks.behave({ network: "youtube", call: "upload", answer: "drop_after" });
    expect((await failureFrom(youtube.publish(job, handle))).class).toBe("unanswered");
    expect(await youtube.reconcile(job, handle)).toEqual({ state: "not_published", handle });
    await youtube.publish(job, handle);
    // Three chunks in all: the first one landed although its answer was lost, so it is not sent again.
    expect(callsSince(before, "upload")).toHaveLength(3);
    expect(published()).toHaveLength(1);
    expect(published()[0]?.media[0]?.sha256).toBe(world.media.sha256("long.mp4"));
  });

  test("publishing again what is already out sends nothing", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await startReady(youtube, job);
    const first = await youtube.publish(job, handle);
    const before = world.networks.log().length;
    expect(await youtube.publish(job, handle)).toEqual(first);
    expect(callsSince(before, "upload")).toHaveLength(0);
    expect(published()).toHaveLength(1);
  });

  test("a session that YouTube forgot: reconcile can not tell, publish begins anew", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await youtube.start(job);
    const gone = { ...handle, sessionUrl: String(handle.sessionUrl).replace(/upload_id=.*/, "upload_id=gone") };
    expect(await youtube.reconcile(job, gone)).toEqual({ state: "cannot_tell" });
    const failed = await failureFrom(youtube.publish(job, gone));
    expect(failed).toMatchObject({ class: "transient", code: "upload_session_lost", restart: true });
  });

  test("a question that YouTube refuses is no verdict on the video", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await startReady(youtube, job);
    const refuse = (call: string) =>
      world.networks.behave({ network: "youtube", call, answer: "refuse", code: "forbidden" });
    refuse("upload.probe");
    expect(await failureFrom(youtube.reconcile(job, handle))).not.toHaveProperty("restart");
    const sent = await youtube.publish(job, handle);
    if (sent.state !== "sent") throw new Error("expected sent");
    for (const ask of [youtube.poll, youtube.reconcile]) {
      refuse("videos.list");
      expect(await failureFrom(ask(job, sent.handle))).not.toHaveProperty("restart");
    }
  });

  test("a session that has every byte and no video yet is asked again, not filled again", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await youtube.start(job);
    const headers = { range: `bytes=0-${3 * MIB - 1}` };
    const full = { ...job, fetch: async () => new Response(null, { status: 308, headers }) };
    expect(await youtube.reconcile(full, handle)).toEqual({ state: "processing", afterMs: 5_000 });
    expect((await failureFrom(youtube.publish(full, handle))).class).toBe("unanswered");
  });

  test("long processing is asked for less and less, at most every two minutes", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await startReady(youtube, job);
    const sent = await youtube.publish(job, handle);
    if (sent.state !== "sent") throw new Error("expected sent");
    const waited = { ...sent.handle, videoId: "never_ready" };
    const gaps: number[] = [];
    await settle(async (current) => {
      const answer = await youtube.poll(job, current);
      if (answer.state === "processing") gaps.push(answer.afterMs);
      return gaps.length < 7 ? answer : { state: "enough" };
    }, waited);
    expect(gaps).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
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
  ])("a video that ends as %s is %s, and its handle is worthless", async (reason, expected) => {
    world.networks.behave({ network: "youtube", answer: "refuse", code: reason });
    const failed = await failureFrom(publishAll(youtube, world.job(video(world.media, "short.mp4", {}))));
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
  ])("the refusal %s is %s", async (code, expected) => {
    world.networks.behave({ network: "youtube", call: "videos.insert", answer: "refuse", code });
    const failed = await failureFrom(youtube.start(world.job(video(world.media, "short.mp4", {}))));
    expect(failed.class).toBe(expected);
    expect(failed.message).toMatch(/\w.*\.$/);
    // The others name no end.
    if (code === "uploadLimitExceeded") expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test("a used-up quota waits for midnight Pacific", async () => {
    world.networks.behave({ network: "youtube", answer: "refuse", code: "quotaExceeded" });
    const job = world.job(video(world.media, "short.mp4", {}));
    const now = new Date("2026-11-20T17:00:00.250Z");
    const failed = await failureFrom(youtube.start({ ...job, now: () => now }));
    expect(failed).toMatchObject({ class: "rate_limited", code: "quotaExceeded" });
    expect(failed.retryAt).toEqual(new Date("2026-11-21T08:00:00Z"));
  });

  test.each([
    ["2026-07-01T06:59:59Z", "2026-07-01T07:00:00Z"],
    ["2026-07-01T07:00:00Z", "2026-07-02T07:00:00Z"],
    // The day clocks go forward has 23 hours, the day they go back 25.
    ["2026-03-08T08:30:00Z", "2026-03-09T07:00:00Z"],
    ["2026-03-08T18:00:00Z", "2026-03-09T07:00:00Z"],
    ["2026-11-01T07:30:00Z", "2026-11-02T08:00:00Z"],
    ["2026-11-01T20:00:00Z", "2026-11-02T08:00:00Z"],
  ])("after %s the next midnight Pacific is %s", (now, expected) => {
    expect(nextMidnightPacific(new Date(now))).toEqual(new Date(expected));
  });

  test("a thumbnail that can not work is told before anything is uploaded", async () => {
    const before = world.networks.log().length;
    const attempt = (name: string) =>
      failureFrom(
        youtube.start(
          world.job(video(world.media, "short.mp4", { thumbnail: { path: `${world.media.url("")}${name}` } })),
        ),
      );
    expect(await attempt("huge.png")).toMatchObject({ class: "content", code: "thumbnail_too_large" });
    const gone = await attempt("gone.png");
    expect(gone).toMatchObject({ class: "content", code: "media_unreachable" });
    expect(gone.message).toMatch(/^settings\.youtube\.thumbnail: The media URL answers 404\./);
    expect(world.networks.log()).toHaveLength(before);
  });

  test("a video whose thumbnail is refused is out all the same", async () => {
    world.networks.behave({ network: "youtube", call: "thumbnails.set", answer: "refuse", code: "forbidden" });
    const job = world.job(video(world.media, "short.mp4", { thumbnail: { path: world.media.url("thumb.jpg") } }));
    const sent = await youtube.publish(job, await startReady(youtube, job));
    expect(sent).toMatchObject({ state: "sent", handle: { thumbnail: "forbidden" } });
    expect(published()[0]?.settings).not.toHaveProperty("thumbnail");
  });

  test("a refused client is our fault and leaves the connection alone; a dead grant does not", async () => {
    const tokens = { accessToken: "a", refreshToken: world.account.refreshToken ?? null };
    const io = world.job(video(world.media, "short.mp4", {}));
    const refresh = () => failureFrom(youtube.refresh({ ...world.config, clientSecret: "" }, tokens, io));
    expect(await refresh()).toMatchObject({ class: "transient", code: "invalid_client" });
    const none = youtube.refresh(world.config, { ...tokens, refreshToken: null }, io);
    expect((await failureFrom(none)).class).toBe("auth");
  });

  test("a refresh keeps the refresh token, which Google sends no more", async () => {
    const tokens = { accessToken: "a", refreshToken: world.account.refreshToken ?? null };
    const io = world.job(video(world.media, "short.mp4", {}));
    expect((await youtube.refresh(world.config, tokens, io)).refreshToken).toBeNull();
    expect((await youtube.refresh(world.config, tokens, io)).accessToken).toMatch(/^ya29\./);
  });

  test("images are refused", async () => {
    const { video: image } = (video(world.media, "thumb.jpg", {}).media ?? {}) as { video: MediaFile };
    const content = { ...video(world.media, "short.mp4", {}), media: { type: "slideshow" as const, images: [image] } };
    expect(await failureFrom(youtube.start(world.job(content)))).toMatchObject({ class: "content" });
  });
});
