// Bluesky: the driver contract, and tests specific to Bluesky.
import { describe, expect, test } from "vitest";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import type { Content } from "../../lib/platforms/platform.ts";
import { createJwt } from "../../lib/simulator/networks/bluesky-protocol.ts";
import { images, text, video } from "./content.ts";
import { driverContract, toReconciledCase } from "./contract.ts";
import type { MediaHost } from "./media-host.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { expectResent, expectRestarted, expectResumed } from "./resumed-upload.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = {
  "clip.mp4": 2_000_000,
  "other.mp4": 2_000_100,
  "long.mp4": 20_000_077,
  "a.jpg": 4_000,
  "b.png": 5_000,
  "huge.jpg": 2_000_001,
  "fits.jpg": 2_000_000,
};

/** The embed of a video has the ratio of its sides. */
function portrait(media: MediaHost, name: string): Content {
  return video(media, name, {}, { width: 1080, height: 1920 });
}

const kind = toReconciledCase("createRecord");

driverContract("bluesky", {
  driver: bluesky,
  kinds: [
    kind("image", (media) => images(media, ["a.jpg"])),
    kind("images", (media) => images(media, ["a.jpg", "b.png"])),
    kind("video", (media) => portrait(media, "clip.mp4")),
    kind("text", () => text("Just text")),
  ],
  media: MEDIA,
  errorCodes: { content: "InvalidMimeType", account: "AccountTakedown" },
  startCall: "uploadBlob",
  refreshCall: "refreshSession",
});

describe("bluesky", () => {
  const setup = useTestNetwork(bluesky, MEDIA);
  let serial = 0;
  const job = (content: Content) => {
    serial += 1;
    return { ...setup.job(content), deliveryId: `delivery-${serial}` };
  };
  const { published } = setup;
  const rejectCall = (call: string, code: string) =>
    setup.networks.addScript({ network: "bluesky", call, answer: "refuse", code });

  test("images are uploaded unchanged, in order, each with its own type", async () => {
    const answer = await publishToEnd(bluesky, job(images(setup.media, ["b.png", "a.jpg"])));
    const [item] = published();
    expect(item?.media).toEqual([
      { sha256: setup.media.sha256("b.png"), bytes: 5_000, type: "image/png" },
      { sha256: setup.media.sha256("a.jpg"), bytes: 4_000, type: "image/jpeg" },
    ]);
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(item?.id).toMatch(/^at:\/\/did:plc:\w+\/app\.bsky\.feed\.post\/[2-7a-z]{13}$/);
  });

  test("a video is uploaded unchanged, with its aspect ratio, for the account's own server", async () => {
    await publishToEnd(bluesky, job(portrait(setup.media, "clip.mp4")));
    const [item] = published();
    expect(item?.media).toEqual([{ sha256: setup.media.sha256("clip.mp4"), bytes: 2_000_000, type: "video/mp4" }]);
    expect(item?.settings.embed).toMatchObject({ aspectRatio: { width: 1080, height: 1920 } });
  });

  test("a long video is uploaded in parts, which continue after those that Bluesky has", async () => {
    const content = portrait(setup.media, "long.mp4");
    const upload = { driver: bluesky, setup, content, partCall: "uploadPart", parts: 3 };
    await expectResumed(upload);
    expect(published()[0]?.media).toEqual([
      { sha256: setup.media.sha256("long.mp4"), bytes: setup.media.bytes("long.mp4"), type: "video/mp4" },
    ]);
    await expectResent(upload);
    await expectRestarted(upload, 3_600_000, () => rejectCall("uploadPart", "UploadExpired"));
  });

  test("uploading the same video again reuses the existing blob", async () => {
    await publishToEnd(bluesky, job(portrait(setup.media, "clip.mp4")));
    await publishToEnd(bluesky, job(portrait(setup.media, "clip.mp4")));
    expect(published()).toHaveLength(2);
  });

  test("links, tags and known handles become facets, unknown handles do not", async () => {
    const accessToken = "friend-token";
    setup.networks.register({
      platform: "bluesky",
      externalId: "did:plc:555",
      username: "ann.bsky.social",
      accessToken,
    });
    await publishToEnd(bluesky, job(text("@ann.bsky.social @no.example.com #sea https://a.de")));
    const facets = (published()[0]?.settings.facets ?? []) as { features: { $type: string }[] }[];
    expect(facets.map(({ features }) => features[0])).toEqual([
      { $type: "app.bsky.richtext.facet#mention", did: "did:plc:555" },
      { $type: "app.bsky.richtext.facet#tag", tag: "sea" },
      { $type: "app.bsky.richtext.facet#link", uri: "https://a.de" },
    ]);
  });

  test("a handle that cannot be resolved does not block the post", async () => {
    setup.networks.addScript({ network: "bluesky", call: "resolveHandle", answer: "500" });
    await publishToEnd(bluesky, job(text("hi @ann.bsky.social")));
    expect(published()[0]?.settings).toEqual({});
  });

  test.each([
    ["300 letters", "a".repeat(300), null],
    ["301 letters", "a".repeat(301), "caption_too_long"],
    // A family emoji has 25 bytes and counts as one grapheme.
    ["120 families in 3,000 bytes", "👨‍👩‍👧‍👦".repeat(120), null],
    ["121 families in 3,025 bytes", "👨‍👩‍👧‍👦".repeat(121), "caption_too_long"],
  ])("%s as a caption", async (_what, caption, code) => {
    if (code === null) expect((await publishToEnd(bluesky, job(text(caption)))).state).toBe("published");
    else expect(await expectFailure(bluesky.start(job(text(caption))))).toMatchObject({ class: "content", code });
  });

  test.each([
    ["eleven images", Array.from({ length: 11 }, () => "a.jpg"), "too_many_images"],
    ["an image one byte too large", ["huge.jpg"], "media_too_large"],
    ["a missing image", ["gone.jpg"], "media_unreachable"],
  ])("%s is rejected as content", async (_what, names, code) => {
    const failed = await expectFailure(bluesky.start(job(images(setup.media, names))));
    expect(failed).toMatchObject({ class: "content", code });
  });

  test("an image of the maximum size is accepted", async () => {
    await publishToEnd(bluesky, job(images(setup.media, ["fits.jpg"])));
    expect(published()[0]?.media[0]?.bytes).toBe(2_000_000);
  });

  test("publishing twice creates one post: the second result is unknown, then reconciled", async () => {
    const own = job(text("Only once"));
    const handle = await startUntilReady(bluesky, own);
    const first = await bluesky.publish(own, handle);
    expect((await expectFailure(bluesky.publish(own, handle))).class).toBe("unanswered");
    expect(await bluesky.reconcile(own, handle)).toEqual(first);
    expect(published()).toHaveLength(1);
  });

  test("an existing key is an unknown outcome also when the server has an error code for it", async () => {
    rejectCall("createRecord", "RecordAlreadyExists");
    const failed = await expectFailure(publishToEnd(bluesky, job(text("Taken"))));
    expect(failed).toMatchObject({ class: "unanswered", code: "record_exists" });
  });

  test("a restarted delivery publishes under the same key", async () => {
    const own = job(text("Begun twice"));
    await publishToEnd(bluesky, own);
    expect((await expectFailure(publishToEnd(bluesky, own))).class).toBe("unanswered");
    expect(published()).toHaveLength(1);
  });

  test("a request that was not received is reported as not published, with a handle to continue from", async () => {
    const own = job(text("Lost"));
    const handle = await startUntilReady(bluesky, own);
    expect(await bluesky.reconcile(own, handle)).toEqual({ state: "not_published", handle });
  });

  test("a server that does not know the account leaves the outcome unknown", async () => {
    const own = job(text("Whose"));
    const handle = await startUntilReady(bluesky, own);
    const connection = { ...own.connection, externalId: "did:plc:unknown" };
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
    rejectCall(call, code);
    const failed = await expectFailure(publishToEnd(bluesky, job(images(setup.media, ["a.jpg"]))));
    expect(failed).toMatchObject({ class: expected, code: name });
    expect(failed.message).toMatch(/\w.*\./);
    expect(published()).toHaveLength(0);
  });

  test.each([
    ["unconfirmed_email", "account"],
    ["upload_limit", "rate_limited"],
  ])("a video rejected with %s is %s", async (code, expected) => {
    rejectCall("uploadVideo", code);
    const failed = await expectFailure(bluesky.start(job(portrait(setup.media, "other.mp4"))));
    expect(failed).toMatchObject({ class: expected, code });
    expect(failed.retryAt !== undefined).toBe(expected === "rate_limited");
  });

  test.each([
    ["encoding_failure", "content"],
    ["validation_failure", "content"],
    ["generic_failure", "transient"],
  ])("a video job that ends with %s is %s, and its handle is invalid", async (code, expected) => {
    const own = job(portrait(setup.media, "other.mp4"));
    const handle = await bluesky.start(own);
    rejectCall("getJobStatus", code);
    const failed = await expectFailure(pollUntilDone((current) => bluesky.poll(own, current), handle));
    expect(failed).toMatchObject({ class: expected, code, restart: true });
  });

  test("a video job that the service no longer knows is restarted", async () => {
    const own = job(portrait(setup.media, "other.mp4"));
    const handle = await bluesky.start(own);
    const failed = await expectFailure(bluesky.poll(own, { ...handle, videoJob: "gone" }));
    expect(failed).toMatchObject({ class: "transient", code: "job_lost", restart: true });
  });

  test("an exhausted rate limit reports its reset time", async () => {
    const account = {
      platform: "bluesky",
      externalId: "did:plc:77",
      accessToken: "full",
      facts: { pointsPerHour: 2 },
    } as const;
    setup.networks.register(account);
    const connection = { accountId: "x", externalId: "did:plc:77", accessToken: "full" };
    const failed = await expectFailure(publishToEnd(bluesky, { ...job(text("Too much")), connection }));
    expect(failed.class).toBe("rate_limited");
    const wait = (failed.retryAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(590_000);
    expect(wait).toBeLessThan(601_000);
  });

  test("a refresh token is single-use, and the refresh returns the next one", async () => {
    const tokens = { accessToken: "b-a", refreshToken: "b-r" };
    setup.networks.register({ platform: "bluesky", externalId: "did:plc:78", ...tokens });
    const io = job(text("x"));
    const fresh = await bluesky.refresh(setup.config, tokens, io);
    expect(fresh.refreshToken).not.toBe("b-r");
    expect((fresh.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(7_000_000);
    expect((await expectFailure(bluesky.refresh(setup.config, tokens, io))).class).toBe("auth");
    const next = await bluesky.refresh(setup.config, fresh, io);
    expect(next.accessToken).not.toBe(fresh.accessToken);
  });

  test("an account with an app password creates a new session and keeps the password", async () => {
    const password = "abcd-efgh-2345-6789";
    const accessToken = createJwt(Date.now(), "did:plc:79", "com.atproto.access", -60);
    const facts = { appPassword: password };
    setup.networks.register({ platform: "bluesky", externalId: "did:plc:79", accessToken, expired: true, facts });
    const own = job(text("Signed in again"));
    const fresh = await bluesky.refresh(setup.config, { accessToken, refreshToken: password }, own);
    expect(fresh.refreshToken).toBeNull();
    const connection = { accountId: "x", externalId: "did:plc:79", accessToken: fresh.accessToken };
    expect((await publishToEnd(bluesky, { ...own, connection })).state).toBe("published");
    const wrong = { accessToken, refreshToken: "aaaa-bbbb-cccc-dddd" };
    expect((await expectFailure(bluesky.refresh(setup.config, wrong, own))).class).toBe("auth");
    expect((await expectFailure(bluesky.refresh(setup.config, { ...wrong, accessToken: "opaque" }, own))).class).toBe(
      "auth",
    );
  });
});
