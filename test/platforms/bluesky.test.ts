// Bluesky: the driver contract, and what only Bluesky has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { jwt } from "../local/networks/bluesky-wire.ts";
import { driverContract, failureFrom, type Kind, openWorld, publishAll, settle, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MEDIA = {
  "clip.mp4": 2_000_000,
  "other.mp4": 2_000_100,
  "a.jpg": 4_000,
  "b.png": 5_000,
  "huge.jpg": 1_000_001,
  "fits.jpg": 1_000_000,
};

function file(url: string, more: Partial<MediaFile>): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null, ...more };
}

function text(caption: string): Content {
  return { caption, media: null, musicUrl: null, settings: {} };
}

function video(media: MediaHost, name: string): Content {
  const source = file(media.url(name), { mimeType: "video/mp4", width: 1080, height: 1920 });
  return { caption: "A clip", media: { type: "video", video: source }, musicUrl: null, settings: {} };
}

function images(media: MediaHost, names: string[]): Content {
  const files = names.map((name) => file(media.url(name), {}));
  return { caption: "Pictures", media: { type: "slideshow", images: files }, musicUrl: null, settings: {} };
}

function kind(name: string, content: Kind["content"]): Kind {
  return { name, content, publishCall: "createRecord", lostAfter: "published", lostBefore: "not_published" };
}

driverContract("bluesky", {
  driver: bluesky,
  kinds: [
    kind("image", (media) => images(media, ["a.jpg"])),
    kind("images", (media) => images(media, ["a.jpg", "b.png"])),
    kind("video", (media) => video(media, "clip.mp4")),
    kind("text", () => text("Just words")),
  ],
  media: MEDIA,
  refusals: { content: "InvalidMimeType", account: "AccountTakedown" },
  startCall: "uploadBlob",
  refreshCall: "refreshSession",
});

describe("bluesky", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  let serial = 0;
  const job = (content: Content) => {
    serial += 1;
    return { ...world.job(content), deliveryId: `delivery-${serial}` };
  };
  const published = () => world.networks.published().bluesky ?? [];
  const refuse = (call: string, code: string) =>
    world.networks.behave({ network: "bluesky", call, answer: "refuse", code });
  beforeAll(async () => {
    world = await openWorld(bluesky, MEDIA, undefined);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
  });

  test("images arrive byte for byte, in order, each with its own type", async () => {
    const answer = await publishAll(bluesky, job(images(world.media, ["b.png", "a.jpg"])));
    const [item] = published();
    expect(item?.media).toEqual([
      { sha256: world.media.sha256("b.png"), bytes: 5_000, type: "image/png" },
      { sha256: world.media.sha256("a.jpg"), bytes: 4_000, type: "image/jpeg" },
    ]);
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(item?.id).toMatch(/^at:\/\/\w+\/app\.bsky\.feed\.post\/[2-7a-z]{13}$/);
  });

  test("a video arrives byte for byte, with its shape, and is uploaded for the account's own server", async () => {
    await publishAll(bluesky, job(video(world.media, "clip.mp4")));
    const [item] = published();
    expect(item?.media).toEqual([{ sha256: world.media.sha256("clip.mp4"), bytes: 2_000_000, type: "video/mp4" }]);
    expect(item?.settings.embed).toMatchObject({ aspectRatio: { width: 1080, height: 1920 } });
  });

  test("the same video again is taken from where it already is", async () => {
    await publishAll(bluesky, job(video(world.media, "clip.mp4")));
    await publishAll(bluesky, job(video(world.media, "clip.mp4")));
    expect(published()).toHaveLength(2);
  });

  test("links, tags and known handles are marked, unknown handles are not", async () => {
    const accessToken = "friend-token";
    world.networks.register({ platform: "bluesky", externalId: "555", username: "ann.bsky.social", accessToken });
    await publishAll(bluesky, job(text("@ann.bsky.social @no.example.com #sea https://a.de")));
    const facets = (published()[0]?.settings.facets ?? []) as { features: { $type: string }[] }[];
    expect(facets.map(({ features }) => features[0])).toEqual([
      { $type: "app.bsky.richtext.facet#mention", did: "555" },
      { $type: "app.bsky.richtext.facet#tag", tag: "sea" },
      { $type: "app.bsky.richtext.facet#link", uri: "https://a.de" },
    ]);
  });

  test("a handle that can not be asked for holds no post up", async () => {
    world.networks.behave({ network: "bluesky", call: "resolveHandle", answer: "500" });
    await publishAll(bluesky, job(text("hi @ann.bsky.social")));
    expect(published()[0]?.settings).toEqual({});
  });

  test.each([
    ["300 letters", "a".repeat(300), null],
    ["301 letters", "a".repeat(301), "caption_too_long"],
    // A family weighs 25 bytes and counts once.
    ["120 families in 3,000 bytes", "👨‍👩‍👧‍👦".repeat(120), null],
    ["121 families in 3,025 bytes", "👨‍👩‍👧‍👦".repeat(121), "caption_too_long"],
  ])("%s as a caption", async (_what, caption, code) => {
    if (code === null) expect((await publishAll(bluesky, job(text(caption)))).state).toBe("published");
    else expect(await failureFrom(bluesky.start(job(text(caption))))).toMatchObject({ class: "content", code });
  });

  test.each([
    ["five images", ["a.jpg", "a.jpg", "a.jpg", "a.jpg", "a.jpg"], "too_many_images"],
    ["an image one byte too large", ["huge.jpg"], "media_too_large"],
    ["an image that is not there", ["gone.jpg"], "media_unreachable"],
  ])("%s is refused as content", async (_what, names, code) => {
    const failed = await failureFrom(bluesky.start(job(images(world.media, names))));
    expect(failed).toMatchObject({ class: "content", code });
  });

  test("an image of just the largest size goes through", async () => {
    await publishAll(bluesky, job(images(world.media, ["fits.jpg"])));
    expect(published()[0]?.media[0]?.bytes).toBe(1_000_000);
  });

  test("publishing twice makes one post, and the second time is held for unknown, then found", async () => {
    const own = job(text("Only once"));
    const handle = await startReady(bluesky, own);
    const first = await bluesky.publish(own, handle);
    expect((await failureFrom(bluesky.publish(own, handle))).class).toBe("unanswered");
    expect(await bluesky.reconcile(own, handle)).toEqual(first);
    expect(published()).toHaveLength(1);
  });

  test("a key that is taken is unknown too where the server has a word for it", async () => {
    refuse("createRecord", "RecordAlreadyExists");
    const failed = await failureFrom(publishAll(bluesky, job(text("Taken"))));
    expect(failed).toMatchObject({ class: "unanswered", code: "record_exists" });
  });

  test("even a start from nothing publishes under the same key", async () => {
    const own = job(text("Begun twice"));
    await publishAll(bluesky, own);
    expect((await failureFrom(publishAll(bluesky, own))).class).toBe("unanswered");
    expect(published()).toHaveLength(1);
  });

  test("a call that never arrived is told at once, with the handle to go on from", async () => {
    const own = job(text("Lost"));
    const handle = await startReady(bluesky, own);
    expect(await bluesky.reconcile(own, handle)).toEqual({ state: "not_published", handle });
  });

  test("a server that does not know the account leaves it open what became of its post", async () => {
    const own = job(text("Whose"));
    const handle = await startReady(bluesky, own);
    const connection = { ...own.connection, externalId: "nobody" };
    expect(await bluesky.reconcile({ ...own, connection }, handle)).toEqual({ state: "cannot_tell" });
  });

  test.each([
    ["createRecord", "ExpiredToken", "auth", "expired_token"],
    ["createRecord", "InvalidToken", "auth", "invalid_token"],
    ["createRecord", "AuthMissing", "auth", "auth_missing"],
    ["createRecord", "AccountTakedown", "account", "account_takedown"],
    ["createRecord", "AccountDeactivated", "account", "account_deactivated"],
    ["createRecord", "AccountSuspended", "account", "account_suspended"],
    ["createRecord", "InvalidRecord", "content", "invalid_record"],
    ["createRecord", "SomethingNew", "content", "invalid_request"],
    ["createRecord", "BlobNotFound", "transient", "blob_not_found"],
    ["uploadBlob", "BlobTooLarge", "content", "blob_too_large"],
    ["uploadBlob", "InvalidMimeType", "content", "invalid_mime_type"],
    ["uploadBlob", "PayloadTooLarge", "content", "payload_too_large"],
    ["uploadBlob", "UpstreamFailure", "transient", "http_502"],
  ])("in %s, %s is %s", async (call, code, expected, name) => {
    refuse(call, code);
    const failed = await failureFrom(publishAll(bluesky, job(images(world.media, ["a.jpg"]))));
    expect(failed).toMatchObject({ class: expected, code: name });
    expect(failed.message).toMatch(/\w.*\./);
    expect(published()).toHaveLength(0);
  });

  test.each([
    ["unconfirmed_email", "account"],
    ["upload_limit", "rate_limited"],
  ])("a video refused for %s is %s", async (code, expected) => {
    refuse("uploadVideo", code);
    const failed = await failureFrom(bluesky.start(job(video(world.media, "other.mp4"))));
    expect(failed).toMatchObject({ class: expected, code });
    expect(failed.retryAt !== undefined).toBe(expected === "rate_limited");
  });

  test.each([
    ["encoding_failure", "content"],
    ["validation_failure", "content"],
    ["generic_failure", "transient"],
  ])("a video job that ends with %s is %s, and its handle is worthless", async (code, expected) => {
    const own = job(video(world.media, "other.mp4"));
    const handle = await bluesky.start(own);
    refuse("getJobStatus", code);
    const failed = await failureFrom(settle((current) => bluesky.poll(own, current), handle));
    expect(failed).toMatchObject({ class: expected, code, restart: true });
  });

  test("a video job that the service no longer knows begins anew", async () => {
    const own = job(video(world.media, "other.mp4"));
    const handle = await bluesky.start(own);
    const failed = await failureFrom(bluesky.poll(own, { ...handle, videoJob: "gone" }));
    expect(failed).toMatchObject({ class: "transient", code: "job_lost", restart: true });
  });

  test("used-up points say when they are back", async () => {
    const account = {
      platform: "bluesky",
      externalId: "77",
      accessToken: "full",
      facts: { pointsPerHour: 2 },
    } as const;
    world.networks.register(account);
    const connection = { accountId: "x", externalId: "77", accessToken: "full" };
    const failed = await failureFrom(publishAll(bluesky, { ...job(text("Too much")), connection }));
    expect(failed.class).toBe("rate_limited");
    const wait = (failed.retryAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(590_000);
    expect(wait).toBeLessThan(601_000);
  });

  test("a refresh token is good for one use, and the next one comes with it", async () => {
    const tokens = { accessToken: "b-a", refreshToken: "b-r" };
    world.networks.register({ platform: "bluesky", externalId: "78", ...tokens });
    const io = job(text("x"));
    const fresh = await bluesky.refresh(world.config, tokens, io);
    expect(fresh.refreshToken).not.toBe("b-r");
    expect((fresh.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(7_000_000);
    expect((await failureFrom(bluesky.refresh(world.config, tokens, io))).class).toBe("auth");
    const next = await bluesky.refresh(world.config, fresh, io);
    expect(next.accessToken).not.toBe(fresh.accessToken);
  });

  test("an account with an app password signs in anew and keeps it", async () => {
    const password = "abcd-efgh-2345-6789";
    const accessToken = jwt("79", "com.atproto.access", -60);
    const facts = { appPassword: password };
    world.networks.register({ platform: "bluesky", externalId: "79", accessToken, expired: true, facts });
    const own = job(text("Signed in anew"));
    const fresh = await bluesky.refresh(world.config, { accessToken, refreshToken: password }, own);
    expect(fresh.refreshToken).toBeNull();
    const connection = { accountId: "x", externalId: "79", accessToken: fresh.accessToken };
    expect((await publishAll(bluesky, { ...own, connection })).state).toBe("published");
    const wrong = { accessToken, refreshToken: "aaaa-bbbb-cccc-dddd" };
    expect((await failureFrom(bluesky.refresh(world.config, wrong, own))).class).toBe("auth");
    expect((await failureFrom(bluesky.refresh(world.config, { ...wrong, accessToken: "opaque" }, own))).class).toBe(
      "auth",
    );
  });
});
