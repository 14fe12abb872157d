// X: the driver contract, and what only X has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { twitter } from "../../lib/platforms/twitter/driver.ts";
import { driverContract, failureFrom, type Kind, openWorld, publishAll, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MIB = 1024 * 1024;
const MEDIA = {
  "clip.mp4": 9 * MIB + 77,
  "a.jpg": 4_000,
  "b.jpg": 5_000,
  "c.png": 3_000,
  "huge.jpg": 5 * MIB + 1,
  "fits.jpg": 5 * MIB,
};

function file(url: string, mimeType: string | null): MediaFile {
  return { url, mimeType, bytes: null, durationMs: null, width: null, height: null };
}

function text(caption: string, settings: Record<string, unknown>): Content {
  return { caption, media: null, musicUrl: null, settings };
}

function video(media: MediaHost, name: string): Content {
  const source = file(media.url(name), "video/mp4");
  return { caption: "A clip", media: { type: "video", video: source }, musicUrl: null, settings: {} };
}

function images(media: MediaHost, names: string[], type: string | null): Content {
  const files = names.map((name) => file(media.url(name), type));
  return { caption: "Pictures", media: { type: "slideshow", images: files }, musicUrl: null, settings: {} };
}

function kind(name: string, content: Kind["content"]): Kind {
  return { name, content, publishCall: "tweets", lostAfter: "published", lostBefore: "not_published" };
}

driverContract("x", {
  driver: twitter,
  kinds: [
    kind("image", (media) => images(media, ["a.jpg"], "image/jpeg")),
    kind("images", (media) => images(media, ["a.jpg", "b.jpg"], null)),
    kind("video", (media) => video(media, "clip.mp4")),
    kind("text", () => text("Just words & a link: https://example.com/a?b=1&c=2", {})),
  ],
  media: MEDIA,
  refusals: { content: "duplicate-content", account: "user-suspended" },
  startCall: "upload/initialize",
  refreshCall: "oauth2/token",
});

describe("x", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().twitter ?? [];
  const refuse = (call: string, code: string) =>
    world.networks.behave({ network: "twitter", call, answer: "refuse", code });
  beforeAll(async () => {
    world = await openWorld(twitter, MEDIA, undefined);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
  });

  test("a video of several segments arrives byte for byte", async () => {
    const answer = await publishAll(twitter, world.job(video(world.media, "clip.mp4")));
    const [item] = published();
    expect(item?.media).toEqual([
      { sha256: world.media.sha256("clip.mp4"), bytes: world.media.bytes("clip.mp4"), type: "video/mp4" },
    ]);
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.platformPostId).toMatch(/^\d{19}$/);
  });

  test("images keep their order", async () => {
    await publishAll(twitter, world.job(images(world.media, ["b.jpg", "a.jpg"], "image/jpeg")));
    const hashes = ["b.jpg", "a.jpg"].map((name) => world.media.sha256(name));
    expect(published()[0]?.media.map((one) => one.sha256)).toEqual(hashes);
  });

  test("all settings arrive under X's names", async () => {
    const settings = {
      who_can_reply_post: "mentionedUsers",
      community: "https://x.com/i/communities/1493446837214187523/",
      made_with_ai: true,
      paid_partnership: true,
    };
    await publishAll(twitter, world.job(text("Labelled", settings)));
    expect(published()[0]?.settings).toEqual({
      reply_settings: "mentionedUsers",
      community_id: "1493446837214187523",
      made_with_ai: true,
      paid_partnership: true,
    });
  });

  test("replies open to everyone and flags that are off are left out", async () => {
    const settings = { who_can_reply_post: "everyone", made_with_ai: false, paid_partnership: false };
    await publishAll(twitter, world.job(text("Plain", settings)));
    expect(published()[0]?.settings).toEqual({});
  });

  test.each([
    ["280 letters", "a".repeat(280), null],
    ["281 letters", "a".repeat(281), "caption_too_long"],
    ["140 families", "👨‍👩‍👧‍👦".repeat(140), null],
    ["141 families", "👨‍👩‍👧‍👦".repeat(141), "caption_too_long"],
    ["a link of 400 signs", `https://example.com/${"a".repeat(380)}`, null],
  ])("%s as a caption", async (_what, caption, code) => {
    const job = world.job(text(caption, {}));
    if (code === null) expect((await publishAll(twitter, job)).state).toBe("published");
    else expect(await failureFrom(twitter.start(job))).toMatchObject({ class: "content", code });
  });

  test.each([
    ["five images", ["a.jpg", "a.jpg", "a.jpg", "a.jpg", "a.jpg"], "image/jpeg", "too_many_images"],
    ["a GIF among others", ["a.jpg", "b.jpg"], "image/gif", "gif_not_alone"],
    ["an image one byte too large", ["huge.jpg"], "image/jpeg", "media_too_large"],
    ["an image that is not there", ["gone.jpg"], "image/jpeg", "media_unreachable"],
  ])("%s is refused as content before anything is sent", async (_what, names, type, code) => {
    const before = world.networks.log().length;
    const failed = await failureFrom(twitter.start(world.job(images(world.media, names, type))));
    expect(failed).toMatchObject({ class: "content", code });
    expect(world.networks.log()).toHaveLength(before);
  });

  test("an image of just the largest size goes through", async () => {
    await publishAll(twitter, world.job(images(world.media, ["fits.jpg"], "image/jpeg")));
    expect(published()[0]?.media[0]?.bytes).toBe(5 * MIB);
  });

  test("a GIF goes alone in its own category", async () => {
    await publishAll(twitter, world.job(images(world.media, ["a.jpg"], "image/gif")));
    expect(published()[0]?.kind).toBe("tweet_gif");
  });

  test.each([
    ["tweets", "duplicate-content", "content", "x_duplicate_content"],
    ["tweets", "text-too-long", "content", "x_text_too_long"],
    ["tweets", "invalid-url", "content", "x_invalid_url"],
    ["tweets", "community", "content", "x_community_refused"],
    ["tweets", "other", "content", "x_http_400"],
    ["tweets", "user-suspended", "account", "x_user_suspended"],
    ["tweets", "account-locked", "account", "x_account_locked"],
    ["tweets", "client-forbidden", "account", "x_client_forbidden"],
    ["tweets", "scope", "account", "x_not_permitted"],
    ["tweets", "not-permitted", "account", "x_forbidden"],
    ["tweets", "token-expired", "auth", "x_unauthorized"],
    ["tweets", "usage-capped", "rate_limited", "x_usage_capped"],
    ["tweets", "credits", "rate_limited", "x_credits"],
    ["upload/append", "token-expired", "auth", "x_unauthorized"],
  ])("in %s, %s is %s", async (call, code, expected, name) => {
    refuse(call, code);
    const failed = await failureFrom(publishAll(twitter, world.job(images(world.media, ["a.jpg"], "image/jpeg"))));
    expect(failed).toMatchObject({ class: expected, code: name });
    expect(failed.message).toMatch(/\w.*\./);
    expect(failed.retryAt !== undefined).toBe(expected === "rate_limited");
    expect(published()).toHaveLength(0);
  });

  test.each([
    ["InvalidMedia", "content", "x_invalid_media"],
    ["InternalError", "transient", "x_internal_error"],
  ])("media that X fails to process with %s is %s, and its handle is worthless", async (code, expected, name) => {
    refuse("upload/status", code);
    const failed = await failureFrom(publishAll(twitter, world.job(video(world.media, "clip.mp4"))));
    expect(failed).toMatchObject({ class: expected, code: name, restart: true });
  });

  test("media that expired before the post begins anew", async () => {
    refuse("tweets", "media-expired");
    const job = world.job(images(world.media, ["a.jpg"], "image/jpeg"));
    const failed = await failureFrom(publishAll(twitter, job));
    expect(failed).toMatchObject({ class: "transient", code: "x_media_expired", restart: true });
  });

  test("a used-up limit says when it resets", async () => {
    const facts = { postsPerDay: 0 };
    world.networks.register({ platform: "twitter", externalId: "77", accessToken: "full", facts });
    const job = world.job(text("One too many", {}));
    const connection = { accountId: "x", externalId: "77", accessToken: "full" };
    const failed = await failureFrom(publishAll(twitter, { ...job, connection }));
    expect(failed.class).toBe("rate_limited");
    const wait = (failed.retryAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(890_000);
    expect(wait).toBeLessThan(901_000);
  });

  test.each([
    "Just words",
    "Signs: 1 < 2 & 3 > 2",
    "A link https://example.com/a?b=1&c=2 and example.org",
    "Two\n\nlines and 👨‍👩‍👧‍👦",
  ])("a lost post is found on the timeline by its words: %j", async (caption) => {
    await publishAll(twitter, world.job(text("Another one", {})));
    const job = world.job(text(caption, {}));
    const handle = await startReady(twitter, job);
    world.networks.behave({ network: "twitter", call: "tweets", answer: "drop_after" });
    await failureFrom(twitter.publish(job, handle));
    const item = published().find((one) => one.caption === caption);
    const found = await twitter.reconcile(job, handle);
    expect(found).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
  });

  test("with media the words do not decide: the same words with other media are another post", async () => {
    const content = images(world.media, ["a.jpg"], "image/jpeg");
    await publishAll(twitter, world.job(content));
    const job = world.job(content);
    const handle = await startReady(twitter, job);
    expect(await twitter.reconcile(job, handle)).toEqual({ state: "not_published" });
  });

  test("an older post with the same words is not taken for this one", async () => {
    await publishAll(twitter, world.job(text("Good morning", {})));
    const job = world.job(text("Good morning", {}));
    job.advance(60_000);
    const handle = await startReady(twitter, job);
    expect(await twitter.reconcile(job, handle)).toEqual({ state: "not_published" });
  });

  test("a post that 100 newer ones have pushed off the first page is found", async () => {
    const job = world.job(text("The first of many", {}));
    const handle = await startReady(twitter, job);
    await twitter.publish(job, handle);
    const ours = published().find((one) => one.caption === "The first of many");
    for (let turn = 0; turn < 105; turn++) await twitter.publish(world.job(text(`Post ${turn}`, {})), handle);
    expect(await twitter.reconcile(job, handle)).toMatchObject({ state: "published", platformPostId: ours?.id });
  });

  test("a timeline that does not end leaves it open what became of the post", async () => {
    const job = world.job(text("Among too many", {}));
    const handle = await startReady(twitter, job);
    const endless = async () => Response.json({ data: [{ id: "1", text: "Other" }], meta: { next_token: "more" } });
    expect(await twitter.reconcile({ ...job, fetch: endless }, handle)).toEqual({ state: "cannot_tell" });
  });

  test("an account that may not be asked about leaves it open what became of its post", async () => {
    const job = world.job(text("Whose", {}));
    const handle = await startReady(twitter, job);
    const connection = { ...job.connection, externalId: "1" };
    expect(await twitter.reconcile({ ...job, connection }, handle)).toEqual({ state: "cannot_tell" });
    const accessToken = "dead";
    const signedOut = twitter.reconcile({ ...job, connection: { ...job.connection, accessToken } }, handle);
    expect((await failureFrom(signedOut)).class).toBe("auth");
  });

  test("a refresh rotates both tokens, and the old ones are dead", async () => {
    const tokens = { accessToken: "x-a", refreshToken: "x-r" };
    world.networks.register({ platform: "twitter", externalId: "78", ...tokens });
    const io = world.job(text("x", {}));
    const fresh = await twitter.refresh(world.config, tokens, io);
    expect(fresh.refreshToken).toMatch(/^xrt/);
    expect((await failureFrom(twitter.refresh(world.config, tokens, io))).class).toBe("auth");
    const next = { accessToken: fresh.accessToken, refreshToken: fresh.refreshToken };
    expect((await twitter.refresh(world.config, next, io)).refreshToken).not.toBe(fresh.refreshToken);
  });

  test("a refresh refused because of our own sign-in does not disconnect the account", async () => {
    const config = { ...world.config, clientSecret: "" };
    const failed = await failureFrom(
      twitter.refresh(config, { accessToken: "a", refreshToken: "r" }, world.job(text("x", {}))),
    );
    expect(failed).toMatchObject({ class: "transient", code: "x_unauthorized_client" });
  });
});
