// X: the driver contract, and tests specific to X.
import { describe, expect, test } from "vitest";
import { twitter } from "../../lib/platforms/twitter/driver.ts";
import { file, images, text, video } from "./content.ts";
import { driverContract, toReconciledCase } from "./contract.ts";
import { expectFailure, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { expectResent, expectRestarted, expectResumed } from "./resumed-upload.ts";
import { useTestNetwork } from "./test-network.ts";

const MIB = 1024 * 1024;
const MEDIA = {
  "clip.mp4": 9 * MIB + 77,
  "short.mp4": 3 * MIB + 77,
  "a.jpg": 4_000,
  "b.jpg": 5_000,
  "c.png": 3_000,
  "huge.jpg": 5 * MIB + 1,
  "fits.jpg": 5 * MIB,
};

const kind = toReconciledCase("tweets");

driverContract("x", {
  driver: twitter,
  kinds: [
    kind("image", (media) => images(media, ["a.jpg"], {}, { mimeType: "image/jpeg" })),
    kind("images", (media) => images(media, ["a.jpg", "b.jpg"])),
    kind("video", (media) => video(media, "short.mp4")),
    kind("text", () => text("Just text & a link: https://example.com/a?b=1&c=2", {})),
  ],
  media: MEDIA,
  errorCodes: { content: "duplicate-content", account: "user-suspended" },
  startCall: "upload/initialize",
  refreshCall: "oauth2/token",
});

const countSegments = (log: { call: string | null; status: unknown }[], status: number) =>
  log.filter((entry) => entry.call === "upload/append" && entry.status === status).length;

describe("x", () => {
  const setup = useTestNetwork(twitter, MEDIA);
  const { published } = setup;
  const rejectCall = (call: string, code: string) =>
    setup.networks.addScript({ network: "twitter", call, answer: "refuse", code });

  test("a video of several segments is uploaded unchanged", async () => {
    const answer = await publishToEnd(twitter, setup.job(video(setup.media, "clip.mp4")));
    const [item] = published();
    expect(item?.media).toEqual([
      { sha256: setup.media.sha256("clip.mp4"), bytes: setup.media.bytes("clip.mp4"), type: "video/mp4" },
    ]);
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.platformPostId).toMatch(/^\d{19}$/);
  });

  test("an interrupted upload continues after the segments that X has, and begins again when X has forgotten it", async () => {
    const content = video(setup.media, "short.mp4");
    const upload = { driver: twitter, setup, content, partCall: "upload/append", parts: 4 };
    await expectResumed(upload);
    expect(published()[0]?.media[0]?.sha256).toBe(setup.media.sha256("short.mp4"));
    await expectResent(upload);
    await expectRestarted(upload, 86_400_000, () => rejectCall("upload/append", "invalid-request"));
  });

  // X's edge: https://github.com/trypostit/trypost/pull/31, read 2026-11-28.
  test.each([
    ["clip.mp4", "video", 1, 0, 10],
    ["clip.mp4", "video", 1 / 2, 1, 19],
    ["clip.mp4", "video", 1 / 4, 2, 37],
    ["clip.mp4", "video", 1 / 8, 3, 73],
    ["fits.jpg", "image", 1, 0, 5],
    ["fits.jpg", "image", 1 / 2, 1, 10],
    ["fits.jpg", "image", 1 / 4, 2, 20],
    ["a.jpg", "image", 1 / 8, 0, 1],
  ])(
    "%s (%s) where X takes segments of %d MiB: %d are refused, %d arrive",
    async (name, type, mib, refused, arrived) => {
      const account = { ...setup.account, externalId: `${mib}`, accessToken: `${name} ${mib}` };
      setup.networks.register({ ...account, facts: { segmentBytes: mib * MIB } });
      const content =
        type === "video" ? video(setup.media, name) : images(setup.media, [name], {}, { mimeType: "image/jpeg" });
      const before = setup.networks.log().length;
      const connection = { ...account, accountId: "x" };
      expect((await publishToEnd(twitter, { ...setup.job(content), connection })).state).toBe("published");
      expect(published().at(-1)?.media[0]?.sha256).toBe(setup.media.sha256(name));
      const log = setup.networks.log().slice(before);
      expect([countSegments(log, 413), countSegments(log, 200)]).toEqual([refused, arrived]);
    },
  );

  test("a network that takes no segment at all ends the post as its content, not in a circle", async () => {
    const account = { ...setup.account, externalId: "413", accessToken: "no segments", facts: { segmentBytes: 10 } };
    setup.networks.register(account);
    for (const content of [video(setup.media, "clip.mp4"), images(setup.media, ["fits.jpg"])]) {
      const job = { ...setup.job(content), connection: { ...account, accountId: "x" } };
      const failed = await expectFailure(startUntilReady(twitter, job));
      expect(failed).toMatchObject({ class: "content", code: "x_media_too_large" });
      expect(failed.message).toContain("131072 bytes");
    }
  });

  test.each([
    [1, 1, MIB],
    [1_000 * MIB, 1_000, MIB],
    [1_000 * MIB + 1, 1_000, MIB + 1],
    [2_000 * MIB, 1_000, 2 * MIB],
    [16 * 1024 * MIB, 1_000, 17_179_870],
  ])("a file of %d bytes has %d segments of %d", async (bytes, segments, segmentBytes) => {
    const job = setup.job({
      ...text("Long", {}),
      media: { type: "video", video: { ...file("https://a.example/v.mp4"), bytes } },
    });
    const { upload } = (await twitter.start(job)) as { upload: { size: number; segmentBytes: number } };
    expect([Math.ceil(upload.size / upload.segmentBytes), upload.segmentBytes]).toEqual([segments, segmentBytes]);
  });

  test.each(["https://x.com/i/communities/1493446837214187523", "https://twitter.com/i/communities/1/"])(
    "a post in the community %s is refused before anything is sent: X closed communities",
    async (community) => {
      const content = text("In the club", { community });
      expect(twitter.validate?.(content)).toMatchObject([{ path: "settings.x.community", code: "community_closed" }]);
      const failed = await expectFailure(twitter.start(setup.job(content)));
      expect(failed).toMatchObject({ class: "content", code: "community_closed" });
    },
  );

  test("a rejected finish, perhaps of a finished upload, begins the upload again", async () => {
    const job = setup.job(video(setup.media, "clip.mp4"));
    rejectCall("upload/finalize", "invalid-request");
    const failed = await expectFailure(startUntilReady(twitter, job));
    expect(failed).toMatchObject({ class: "transient", restart: true, tries: 2 });
  });

  test("images keep their order", async () => {
    await publishToEnd(twitter, setup.job(images(setup.media, ["b.jpg", "a.jpg"], {}, { mimeType: "image/jpeg" })));
    const hashes = ["b.jpg", "a.jpg"].map((name) => setup.media.sha256(name));
    expect(published()[0]?.media.map((one) => one.sha256)).toEqual(hashes);
  });

  test("all settings are sent under X's field names", async () => {
    const settings = {
      who_can_reply_post: "mentionedUsers",
      made_with_ai: true,
      paid_partnership: true,
    };
    await publishToEnd(twitter, setup.job(text("Labelled", settings)));
    expect(published()[0]?.settings).toEqual({
      reply_settings: "mentionedUsers",
      made_with_ai: true,
      paid_partnership: true,
    });
  });

  test("replies for everyone and flags that are off are omitted", async () => {
    const settings = { who_can_reply_post: "everyone", made_with_ai: false, paid_partnership: false };
    await publishToEnd(twitter, setup.job(text("Plain", settings)));
    expect(published()[0]?.settings).toEqual({});
  });

  test.each([
    ["280 letters", "a".repeat(280), null],
    ["281 letters", "a".repeat(281), "caption_too_long"],
    ["140 families", "👨‍👩‍👧‍👦".repeat(140), null],
    ["141 families", "👨‍👩‍👧‍👦".repeat(141), "caption_too_long"],
    ["a link of 400 characters", `https://example.com/${"a".repeat(380)}`, null],
  ])("%s as a caption", async (_what, caption, code) => {
    const job = setup.job(text(caption, {}));
    if (code === null) expect((await publishToEnd(twitter, job)).state).toBe("published");
    else expect(await expectFailure(twitter.start(job))).toMatchObject({ class: "content", code });
  });

  test.each([
    ["five images", ["a.jpg", "a.jpg", "a.jpg", "a.jpg", "a.jpg"], "image/jpeg", "too_many_images"],
    ["a GIF among others", ["a.jpg", "b.jpg"], "image/gif", "gif_not_alone"],
    ["an image one byte too large", ["huge.jpg"], "image/jpeg", "media_too_large"],
    ["a missing image", ["gone.jpg"], "image/jpeg", "media_unreachable"],
  ])("%s is rejected as content before anything is sent", async (_what, names, type, code) => {
    const before = setup.networks.log().length;
    const failed = await expectFailure(twitter.start(setup.job(images(setup.media, names, {}, { mimeType: type }))));
    expect(failed).toMatchObject({ class: "content", code });
    expect(setup.networks.log()).toHaveLength(before);
  });

  test("an image of the maximum size is accepted", async () => {
    await publishToEnd(twitter, setup.job(images(setup.media, ["fits.jpg"], {}, { mimeType: "image/jpeg" })));
    expect(published()[0]?.media[0]?.bytes).toBe(5 * MIB);
  });

  test("a single GIF has its own category", async () => {
    await publishToEnd(twitter, setup.job(images(setup.media, ["a.jpg"], {}, { mimeType: "image/gif" })));
    expect(published()[0]?.kind).toBe("tweet_gif");
  });

  test.each([
    ["tweets", "duplicate-content", "content", "x_duplicate_content"],
    ["tweets", "text-too-long", "content", "x_text_too_long"],
    ["tweets", "invalid-url", "content", "x_invalid_url"],
    ["tweets", "other", "content", "x_http_400"],
    ["tweets", "video-too-long", "content", "x_video_too_long"],
    ["tweets", "unknown-authentication", "transient", "x_token_unrecognised"],
    ["tweets", "user-suspended", "account", "x_user_suspended"],
    ["tweets", "account-locked", "account", "x_account_locked"],
    ["tweets", "client-forbidden", "transient", "x_client_forbidden"],
    ["tweets", "scope", "transient", "x_app_not_configured"],
    ["tweets", "not-permitted", "account", "x_forbidden"],
    ["tweets", "token-expired", "auth", "x_unauthorized"],
    ["tweets", "usage-capped", "rate_limited", "x_usage_capped"],
    ["tweets", "credits", "rate_limited", "x_credits"],
    ["upload/append", "token-expired", "auth", "x_unauthorized"],
  ])("in %s, %s is %s", async (call, code, expected, name) => {
    rejectCall(call, code);
    const failed = await expectFailure(
      publishToEnd(twitter, setup.job(images(setup.media, ["a.jpg"], {}, { mimeType: "image/jpeg" }))),
    );
    expect(failed).toMatchObject({ class: expected, code: name });
    expect(failed.message).toMatch(/\w.*\./);
    expect(failed.retryAt !== undefined).toBe(expected === "rate_limited");
    // What only the operator can repair does not tell the account's owner to act.
    const isOperators = /^(client-forbidden|scope|usage-capped|credits)$/.test(code);
    expect(failed.operator === true).toBe(isOperators);
    if (isOperators) expect(failed.message).toMatch(/this service/i);
    expect(published()).toHaveLength(0);
  });

  test.each([
    ["InvalidMedia", "content", "x_invalid_media"],
    ["InternalError", "transient", "x_internal_error"],
  ])("media that X fails to process with %s is %s, and its handle is invalid", async (code, expected, name) => {
    rejectCall("upload/status", code);
    const failed = await expectFailure(publishToEnd(twitter, setup.job(video(setup.media, "clip.mp4"))));
    expect(failed).toMatchObject({ class: expected, code: name, restart: true });
  });

  test("media that expired before publishing restarts the delivery", async () => {
    rejectCall("tweets", "media-expired");
    const job = setup.job(images(setup.media, ["a.jpg"], {}, { mimeType: "image/jpeg" }));
    const failed = await expectFailure(publishToEnd(twitter, job));
    expect(failed).toMatchObject({ class: "transient", code: "x_media_expired", restart: true });
  });

  test("an exhausted limit has a reset time", async () => {
    const facts = { postsPerDay: 0 };
    setup.networks.register({ platform: "twitter", externalId: "77", accessToken: "full", facts });
    const job = setup.job(text("One too many", {}));
    const connection = { accountId: "x", externalId: "77", accessToken: "full" };
    const failed = await expectFailure(publishToEnd(twitter, { ...job, connection }));
    expect(failed.class).toBe("rate_limited");
    const wait = (failed.retryAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(890_000);
    expect(wait).toBeLessThan(901_000);
  });

  test.each([
    ["Thanks to @ann", null, ["mention_may_be_rejected"]],
    ["See https://x.com/ann/status/123", null, ["quote_may_be_rejected"]],
    [".@ann, 田中さんと", null, ["mention_may_be_rejected"]],
    ["田中さんと@ann", null, ["mention_may_be_rejected"]],
    ["＠ann", null, ["mention_may_be_rejected"]],
    ["Mail ann@example.com, read @ann@example.social or a&@b", null, []],
    // https://docs.x.com/x-api/posts/manage-tweets/introduction, read 2026-11-30: "limited to a maximum of 1 cashtag per post".
    ["$AAPL and $TSLA", null, ["many_cashtags"]],
    ["$AAPL up\n$BRK.B, $msft!", null, ["many_cashtags"]],
    ["$AAPL costs $100, US$5 or $5m; see $toolongticker and a$b", null, []],
    ["Long", 20 * 60_000 + 1, ["video_needs_premium"]],
    ["Short", 20 * 60_000, []],
  ])("%j with a video of %s ms has the warnings %j", (caption, durationMs, codes) => {
    const media =
      durationMs === null
        ? null
        : { type: "video" as const, video: { ...file("https://a.example/v.mp4"), durationMs } };
    expect(twitter.warn?.({ ...text(caption, {}), media }).map(({ code }) => code)).toEqual(codes);
  });

  test("a refresh rotates both tokens and invalidates the old ones", async () => {
    const tokens = { accessToken: "x-a", refreshToken: "x-r" };
    setup.networks.register({ platform: "twitter", externalId: "78", ...tokens });
    const io = setup.job(text("x", {}));
    const fresh = await twitter.refresh(setup.config, tokens, io);
    expect(fresh.refreshToken).toMatch(/^xrt/);
    expect((await expectFailure(twitter.refresh(setup.config, tokens, io))).class).toBe("auth");
    const next = { accessToken: fresh.accessToken, refreshToken: fresh.refreshToken };
    expect((await twitter.refresh(setup.config, next, io)).refreshToken).not.toBe(fresh.refreshToken);
  });

  test("a refresh rejected for our app credentials does not disconnect the account", async () => {
    const config = { ...setup.config, clientSecret: "" };
    const failed = await expectFailure(
      twitter.refresh(config, { accessToken: "a", refreshToken: "r" }, setup.job(text("x", {}))),
    );
    expect(failed).toMatchObject({ class: "transient", code: "x_unauthorized_client" });
  });
});
