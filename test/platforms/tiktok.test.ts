// TikTok: the driver contract, and what only TikTok has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { tiktok } from "../../lib/platforms/tiktok/driver.ts";
import { chunkRange, planChunks } from "../../lib/platforms/tiktok/upload.ts";
import { driverContract, failureFrom, type Kind, openWorld, publishAll, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MIB = 1024 * 1024;
const MEDIA = { "short.mp4": 3 * MIB, "long.mp4": 40 * MIB + 123, "a.jpg": 4_000, "b.jpg": 5_000, "c.png": 3_000 };

function file(url: string, more?: Partial<MediaFile>): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null, ...more };
}

function video(media: MediaHost, name: string, settings: Record<string, unknown>): Content {
  const source = file(media.url(name), { mimeType: "video/mp4" });
  return { caption: "A day at sea", media: { type: "video", video: source }, musicUrl: null, settings };
}

function photos(media: MediaHost, names: string[], settings: Record<string, unknown>): Content {
  const images = names.map((name) => file(media.url(name)));
  return { caption: "Two views", media: { type: "slideshow", images }, musicUrl: null, settings };
}

const videoKind: Kind = {
  name: "video",
  content: (media) => video(media, "short.mp4", {}),
  publishCall: "upload",
  lostAfter: "published",
  lostBefore: "not_published",
};
const photoKind: Kind = {
  name: "photos",
  content: (media) => photos(media, ["a.jpg", "b.jpg"], {}),
  publishCall: "content/init",
  // The id that could be asked for is in the very answer that was lost.
  lostAfter: "cannot_tell",
  lostBefore: "cannot_tell",
};

driverContract("tiktok", {
  driver: tiktok,
  kinds: [videoKind, photoKind],
  media: MEDIA,
  refusals: { content: "invalid_params", account: "spam_risk_user_banned_from_posting" },
  startCall: "creator_info/query",
  refreshCall: "oauth/token",
});

describe("tiktok videos", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().tiktok ?? [];
  beforeAll(async () => {
    const privacyLevels = ["FOLLOWER_OF_CREATOR", "SELF_ONLY", "PUBLIC_TO_EVERYONE"];
    world = await openWorld(tiktok, MEDIA, { privacyLevels, maxVideoSeconds: 60, duetDisabled: true });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
  });

  test.each([1, 5 * MIB - 1, 16 * MIB, 16 * MIB + 1, 64 * MIB, 64 * MIB + 1, 4_000_000_000])(
    "chunks of %i bytes stay within the protocol's bounds and cover the file",
    (size) => {
      const plan = planChunks(size);
      const ranges = Array.from({ length: plan.chunkCount }, (_, index) => chunkRange(plan, index));
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

  test("a file of several chunks arrives byte for byte, and its url names the video with all digits", async () => {
    const answer = await publishAll(tiktok, world.job(video(world.media, "long.mp4", { disable_comment: true })));
    const [item] = published();
    expect(item?.caption).toBe("A day at sea");
    expect(item?.media).toEqual([
      { sha256: world.media.sha256("long.mp4"), bytes: world.media.bytes("long.mp4"), type: "video/mp4" },
    ]);
    expect(item?.settings).toMatchObject({ disable_comment: true, disable_duet: true, disable_stitch: false });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toMatch(/^https:\/\/www\.tiktok\.com\/@maker\d+\/video\/\d{19}$/);
  });

  test("an upload that broke half way is not published, and publishing again goes on where it stopped", async () => {
    const job = world.job(video(world.media, "long.mp4", {}));
    const handle = await startReady(tiktok, job);
    const before = world.networks.log().length;
    world.networks.behave({ network: "tiktok", call: "upload", answer: "drop_after" });
    expect((await failureFrom(tiktok.publish(job, handle))).class).toBe("unanswered");
    const verdict = await tiktok.reconcile(job, handle);
    expect(verdict.state).toBe("not_published");
    expect(published()).toHaveLength(0);
    const sent = await tiktok.publish(job, ("handle" in verdict && verdict.handle) || {});
    expect(sent.state).toBe("sent");
    const puts = world.networks
      .log()
      .slice(before)
      .filter((entry) => entry.call === "upload");
    expect(puts).toHaveLength(2);
    expect(published()[0]?.media[0]?.sha256).toBe(world.media.sha256("long.mp4"));
  });

  test("publishing again what is already out sends nothing", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await startReady(tiktok, job);
    await tiktok.publish(job, handle);
    await tiktok.publish(job, handle);
    expect(published()).toHaveLength(1);
  });

  test("an upload that never began is told at once, with the handle to go on from", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await startReady(tiktok, job);
    expect(await tiktok.reconcile(job, handle)).toEqual({ state: "not_published", handle });
  });

  test("a privacy level that the account does not offer is refused before anything is made", async () => {
    const job = world.job(video(world.media, "short.mp4", { privacy_level: "MUTUAL_FOLLOW_FRIENDS" }));
    const failed = await failureFrom(tiktok.start(job));
    expect(failed).toMatchObject({ class: "content", code: "privacy_level_option_mismatch" });
  });

  test("a video longer than the account may post is refused before anything is made", async () => {
    const content = video(world.media, "short.mp4", {});
    const source = file(world.media.url("short.mp4"), { durationMs: 60_001 });
    const failed = await failureFrom(tiktok.start(world.job({ ...content, media: { type: "video", video: source } })));
    expect(failed).toMatchObject({ class: "content", code: "duration_check_failed" });
  });

  test("a private video is published without a url", async () => {
    const job = world.job(video(world.media, "short.mp4", { privacy_level: "SELF_ONLY" }));
    expect(await publishAll(tiktok, job)).toEqual({ state: "published", platformPostId: null, url: null });
  });

  test.each([
    ["picture_size_check_failed", "content"],
    ["auth_removed", "account"],
    ["internal", "transient"],
  ])("fail reason %s is %s, and its handle is worthless", async (reason, expected) => {
    world.networks.behave({ network: "tiktok", answer: "refuse", code: reason });
    const job = world.job(video(world.media, "short.mp4", {}));
    const failed = await failureFrom(publishAll(tiktok, job));
    expect(failed).toMatchObject({ class: expected, code: reason, restart: true });
    expect(published()).toHaveLength(0);
  });

  test("a media url that is gone is the customer's to mend", async () => {
    const failed = await failureFrom(tiktok.start(world.job(video(world.media, "gone.mp4", {}))));
    expect(failed).toMatchObject({ class: "content", code: "media_unreachable" });
  });

  test("a refused client is our fault and leaves the connection alone", async () => {
    const tokens = { accessToken: "a", refreshToken: world.account.refreshToken ?? null };
    const io = world.job(video(world.media, "short.mp4", {}));
    const failed = await failureFrom(tiktok.refresh({ ...world.config, clientSecret: "" }, tokens, io));
    expect(failed).toMatchObject({ class: "transient", code: "invalid_client" });
  });

  test("a refresh answer without a refresh token keeps the old one", async () => {
    const tokens = { accessToken: "a-keeper", refreshToken: "r-keeper" };
    const facts = { keepsRefreshToken: true };
    world.networks.register({ platform: "tiktok", externalId: "771", ...tokens, facts });
    const fresh = await tiktok.refresh(world.config, tokens, world.job(video(world.media, "short.mp4", {})));
    expect(fresh.refreshToken).toBeNull();
    await tiktok.refresh(world.config, tokens, world.job(video(world.media, "short.mp4", {})));
  });
});

describe("tiktok photos", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().tiktok ?? [];
  beforeAll(async () => {
    world = await openWorld(tiktok, MEDIA, { commentDisabled: true });
  });
  afterAll(() => world.close());

  test("a slideshow carries its words and options, and draws its url from the public id", async () => {
    const settings = { title: "Sea", auto_add_music: true, is_your_brand: true };
    const answer = await publishAll(tiktok, world.job(photos(world.media, ["a.jpg", "b.jpg"], settings)));
    const item = published().at(-1);
    expect(item).toMatchObject({ kind: "photo", title: "Sea", caption: "Two views" });
    expect(item?.settings).toMatchObject({
      auto_add_music: true,
      brand_organic_toggle: true,
      brand_content_toggle: false,
      disable_comment: true,
    });
    expect(item?.media.map((one) => one.url)).toEqual([world.media.url("a.jpg"), world.media.url("b.jpg")]);
    expect(answer.url).toContain("/photo/");
  });

  test("a draft ends in the inbox and carries nothing but its words", async () => {
    const settings = { post_mode: "MEDIA_UPLOAD", disable_comment: true };
    const answer = await publishAll(tiktok, world.job(photos(world.media, ["a.jpg"], settings)));
    expect(answer).toEqual({ state: "published", platformPostId: null, url: null });
    expect(published().at(-1)).toMatchObject({ kind: "photo_draft", settings: {} });
  });

  test.each([
    ["c.png", "file_format_check_failed"],
    ["gone.jpg", "photo_pull_failed"],
  ])("%s ends as %s", async (name, code) => {
    const failed = await failureFrom(publishAll(tiktok, world.job(photos(world.media, ["a.jpg", name], {}))));
    expect(failed).toMatchObject({ class: "content", code });
  });
});
