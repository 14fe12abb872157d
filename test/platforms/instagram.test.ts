// Instagram: the driver contract, and what only Instagram has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { instagram } from "../../lib/platforms/instagram/driver.ts";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { driverContract, failureFrom, type Kind, openWorld, publishAll, settle, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MEDIA = { "clip.mp4": 50_000, "a.jpg": 4_000, "b.jpg": 5_000, "c.jpg": 6_000, "d.png": 3_000, "page.html": 900 };

function file(url: string, more?: Partial<MediaFile>): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null, ...more };
}

function video(media: MediaHost, name: string, settings: Record<string, unknown>): Content {
  return { caption: "A clip", media: { type: "video", video: file(media.url(name)) }, musicUrl: null, settings };
}

function images(media: MediaHost, names: string[], settings: Record<string, unknown>): Content {
  const files = names.map((name) => file(media.url(name)));
  return { caption: "Pictures", media: { type: "slideshow", images: files }, musicUrl: null, settings };
}

function kind(name: string, content: Kind["content"]): Kind {
  return { name, content, publishCall: "media_publish", lostAfter: "published", lostBefore: "not_published" };
}

driverContract("instagram", {
  driver: instagram,
  kinds: [
    kind("reel", (media) => video(media, "clip.mp4", {})),
    kind("image", (media) => images(media, ["a.jpg"], {})),
    kind("carousel", (media) => images(media, ["a.jpg", "b.jpg", "c.jpg"], {})),
    kind("story", (media) => video(media, "clip.mp4", { post_type: "story" })),
  ],
  media: MEDIA,
  refusals: { content: "2207010", account: "2207050" },
  startCall: "media",
  refreshCall: "refresh_access_token",
});

describe("instagram", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().instagram ?? [];
  beforeAll(async () => {
    world = await openWorld(instagram, MEDIA, { quotaTotal: 40 });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
  });

  test("a reel carries cover, collaborators and trial, and answers with its permalink", async () => {
    const settings = {
      is_trial_reel: true,
      graduation_strategy: "SS_PERFORMANCE",
      collaborators: [{ label: "@ann" }, { label: "ben" }],
      cover_url: world.media.url("a.jpg"),
      thumb_offset_ms: 500,
    };
    const answer = await publishAll(instagram, world.job(video(world.media, "clip.mp4", settings)));
    const [item] = published();
    expect(item).toMatchObject({ kind: "REELS", caption: "A clip" });
    expect(item?.settings).toEqual({
      cover_url: world.media.url("a.jpg"),
      collaborators: '["ann","ben"]',
      trial_params: '{"graduation_strategy":"SS_PERFORMANCE"}',
    });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
  });

  test("a carousel keeps the order of its pictures", async () => {
    await publishAll(instagram, world.job(images(world.media, ["c.jpg", "a.jpg", "b.jpg"], {})));
    const names = ["c.jpg", "a.jpg", "b.jpg"].map((name) => world.media.url(name));
    expect(published()[0]?.media.map((one) => one.url)).toEqual(names);
  });

  test("a post whose answer was lost is found again with its id and url", async () => {
    await publishAll(instagram, world.job(images(world.media, ["b.jpg"], {})));
    const job = world.job({ ...images(world.media, ["a.jpg"], {}), caption: "The lost one" });
    const handle = await startReady(instagram, job);
    world.networks.behave({ network: "instagram", call: "media_publish", answer: "drop_after" });
    await failureFrom(instagram.publish(job, handle));
    const item = published().find((one) => one.caption === "The lost one");
    expect(await instagram.reconcile(job, handle)).toEqual({
      state: "published",
      platformPostId: item?.id,
      url: item?.url,
    });
  });

  test("a call that never arrived is told at once, and the container goes on to be published once", async () => {
    const job = world.job(images(world.media, ["a.jpg"], {}));
    const handle = await startReady(instagram, job);
    world.networks.behave({ network: "instagram", call: "media_publish", answer: "drop_before" });
    await failureFrom(instagram.publish(job, handle));
    expect(await instagram.reconcile(job, handle)).toEqual({ state: "not_published", handle });
    await instagram.publish(job, handle);
    expect(published()).toHaveLength(1);
  });

  test("a container is published once, and a second try is held for unknown, not for refused", async () => {
    const job = world.job(images(world.media, ["a.jpg"], {}));
    const handle = await startReady(instagram, job);
    await instagram.publish(job, handle);
    expect((await failureFrom(instagram.publish(job, handle))).class).toBe("unanswered");
    expect((await instagram.reconcile(job, handle)).state).toBe("published");
    expect(published()).toHaveLength(1);
  });

  test("a lost permalink leaves the url open and the post published", async () => {
    world.networks.behave({ network: "instagram", call: "permalink", answer: "drop_before" });
    const answer = await publishAll(instagram, world.job(images(world.media, ["a.jpg"], {})));
    expect(answer.url).toBeNull();
    expect(answer.platformPostId).toBe(published()[0]?.id);
  });

  test("a used-up quota is told before anything is made, with the time to come back", async () => {
    const facts = { quotaTotal: 0 };
    world.networks.register({ platform: "instagram", externalId: "55", accessToken: "full", facts });
    const job = world.job(images(world.media, ["a.jpg"], {}));
    const connection = { accountId: "x", externalId: "55", accessToken: "full" };
    const failed = await failureFrom(instagram.start({ ...job, connection }));
    expect(failed).toMatchObject({ class: "rate_limited", code: "ig_2207042" });
    expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test.each([
    ["a picture that is not there", ["gone.jpg"], "ig_2207052"],
    ["a picture of the wrong type", ["d.png"], "ig_2207005"],
    ["a page instead of a picture", ["page.html"], "ig_2207005"],
    ["eleven pictures", Array.from({ length: 11 }, () => "a.jpg"), "too_many_images"],
  ])("%s is refused as content", async (_what, names, code) => {
    const failed = await failureFrom(instagram.start(world.job(images(world.media, names, {}))));
    expect(failed).toMatchObject({ class: "content", code });
  });

  test("a video that Instagram can not fetch fails in its container, which is worthless then", async () => {
    const job = world.job(video(world.media, "gone.mp4", {}));
    const handle = await instagram.start(job);
    const failed = await failureFrom(settle((current) => instagram.poll(job, current), handle));
    expect(failed).toMatchObject({ class: "content", code: "ig_2207052", restart: true });
  });

  test.each([
    ["190", "auth"],
    ["2207051", "account"],
    ["4", "rate_limited"],
    ["80002", "rate_limited"],
    ["2207003", "transient"],
    ["36003", "content"],
  ])("code %s is %s", async (code, expected) => {
    world.networks.behave({ network: "instagram", call: "media", answer: "refuse", code });
    const failed = await failureFrom(instagram.start(world.job(images(world.media, ["a.jpg"], {}))));
    expect(failed.class).toBe(expected);
  });
});
