// Pinterest: the driver contract, and tests specific to Pinterest.
import { describe, expect, test } from "vitest";
import { pinterest } from "../../lib/platforms/pinterest/driver.ts";
import type { Content } from "../../lib/platforms/platform.ts";
import { DEFAULT_BOARD_ID } from "../../lib/simulator/networks/pinterest-boards.ts";
import { file, images, video } from "./content.ts";
import { driverContract, toReconciledCase } from "./contract.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MIB = 1024 * 1024;
const MEDIA = {
  "clip.mp4": 33 * MIB + 5,
  "short.mp4": 300_000,
  "a.jpg": 4_000,
  "b.jpg": 5_000,
  "c.png": 3_000,
  "page.html": 900,
};

type Settings = Record<string, unknown>;

const kind = toReconciledCase("pins/create");

const board = { board_id: DEFAULT_BOARD_ID };

driverContract("pinterest", {
  driver: pinterest,
  kinds: [
    kind("image", (media) => images(media, ["a.jpg"], board)),
    kind("carousel", (media) => images(media, ["a.jpg", "b.jpg"], board)),
    kind("video", (media) => video(media, "short.mp4", board)),
  ],
  media: MEDIA,
  errorCodes: { content: "40", account: "29" },
  startCall: "boards/get",
  refreshCall: "oauth/token",
});

describe("pinterest", () => {
  const setup = useTestNetwork(pinterest, MEDIA, {
    boards: [DEFAULT_BOARD_ID, "5497000"],
    foreignBoards: ["5497111"],
  });
  const { published } = setup;
  const rejectCall = (call: string, code: string) =>
    setup.networks.addScript({ network: "pinterest", call, answer: "refuse", code });
  const captioned = (caption: string, settings: Settings) =>
    setup.job({ ...images(setup.media, ["a.jpg"], { ...board, ...settings }), caption });

  test("an image pin has title, link and tags, and returns its permalink", async () => {
    const settings = { title: "Sea", link: "https://example.com/sea", tags: ["ocean", "#blue sky", "ocean"] };
    const answer = await publishToEnd(pinterest, captioned("By the sea", settings));
    const [item] = published();
    expect(item).toMatchObject({ kind: "image_url", title: "Sea", caption: "By the sea\n\n#ocean #bluesky" });
    expect(item?.settings).toEqual({ board_id: DEFAULT_BOARD_ID, link: "https://example.com/sea" });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toBe(`https://www.pinterest.com/pin/${item?.id}/`);
  });

  test("a tag that is already in the caption is not appended", async () => {
    await publishToEnd(pinterest, captioned("Blue #Ocean today", { tags: ["ocean", "oceans", "＃海"] }));
    expect(published()[0]?.caption).toBe("Blue #Ocean today\n\n#oceans #海");
  });

  test("a carousel keeps the order of its images", async () => {
    await publishToEnd(pinterest, setup.job(images(setup.media, ["c.png", "a.jpg", "b.jpg"], board)));
    expect(published()[0]?.kind).toBe("multiple_image_urls");
    const names = ["c.png", "a.jpg", "b.jpg"].map((name) => setup.media.url(name));
    expect(published()[0]?.media.map((one) => one.url)).toEqual(names);
  });

  test("a video is uploaded unchanged, and its first frame is the cover", async () => {
    await publishToEnd(pinterest, setup.job(video(setup.media, "clip.mp4", board)));
    const [item] = published();
    expect(item?.media).toEqual([
      { sha256: setup.media.sha256("clip.mp4"), bytes: setup.media.bytes("clip.mp4"), type: "video/mp4" },
    ]);
    expect(item?.settings.cover).toBe(0);
  });

  test.each([
    ["800 characters", "a".repeat(800), [], null],
    ["801 characters", "a".repeat(801), [], "caption_too_long"],
    ["800 with a tag", "a".repeat(795), ["bb"], null],
    ["801 with a tag", "a".repeat(796), ["bb"], "description_too_long"],
  ])("a description of %s", async (_what, caption, tags, code) => {
    const job = captioned(caption, { tags });
    if (code === null) {
      await publishToEnd(pinterest, job);
      expect(published()[0]?.caption).toHaveLength(800);
    } else expect(await expectFailure(pinterest.start(job))).toMatchObject({ class: "content", code });
  });

  test.each([
    ["no board", {}, "board_id_missing"],
    ["a board name instead of an id", { board_id: "summer" }, "board_id_malformed"],
    ["a deleted board", { board_id: "5497999" }, "pin_board_not_found"],
  ])("%s is rejected as content before anything is created", async (_what, settings, code) => {
    const failed = await expectFailure(pinterest.start(setup.job(video(setup.media, "short.mp4", settings))));
    expect(failed).toMatchObject({ class: "content", code });
    expect(setup.networks.log().filter((entry) => entry.call === "media/create" && entry.status !== 201)).toEqual([]);
  });

  test("a board of another account is an account failure", async () => {
    const failed = await expectFailure(
      pinterest.start(setup.job(video(setup.media, "short.mp4", { board_id: "5497111" }))),
    );
    expect(failed).toMatchObject({ class: "account", code: "pin_not_permitted" });
  });

  test("six images, no media, and images of two sizes are rejected as content", async () => {
    const six = images(
      setup.media,
      Array.from({ length: 6 }, () => "a.jpg"),
      board,
    );
    expect((await expectFailure(pinterest.start(setup.job(six)))).code).toBe("too_many_images");
    expect((await expectFailure(pinterest.start(setup.job({ ...six, media: null })))).code).toBe("media_missing");
    const sized = (width: number) => file(setup.media.url("a.jpg"), { width, height: 1500 });
    const uneven: Content = { ...six, media: { type: "slideshow", images: [sized(1000), sized(1001)] } };
    expect(await expectFailure(pinterest.start(setup.job(uneven)))).toMatchObject({
      class: "content",
      code: "carousel_shapes",
    });
    const even: Content = { ...six, media: { type: "slideshow", images: [sized(1000), sized(1000)] } };
    await publishToEnd(pinterest, setup.job(even));
    expect(published()).toHaveLength(1);
  });

  test.each([["gone.jpg"], ["page.html"]])(
    "an image that Pinterest cannot fetch, %s, is tried three times at most",
    async (name) => {
      const failed = await expectFailure(publishToEnd(pinterest, setup.job(images(setup.media, [name], board))));
      expect(failed).toMatchObject({ class: "transient", code: "pin_media_unreachable", tries: 3 });
      expect(published()).toHaveLength(0);
    },
  );

  test.each([
    ["pins/create", "2", "auth", "pin_authentication_failed"],
    ["pins/create", "3", "account", "pin_authorization_failed"],
    ["pins/create", "29", "account", "pin_not_permitted"],
    ["pins/create", "trial", "transient", "pin_trial_access"],
    ["pins/create", "9001", "account", "pin_account_suspended"],
    ["pins/create", "9002", "account", "pin_forbidden"],
    ["pins/create", "40", "content", "pin_board_not_found"],
    ["pins/create", "2786", "content", "pin_link_blocked"],
    ["pins/create", "235", "transient", "pin_media_unreachable"],
    ["pins/create", "236", "transient", "pin_media_unreachable"],
    ["pins/create", "1", "content", "pin_http_400"],
  ])("in %s, code %s is %s", async (call, code, expected, name) => {
    rejectCall(call, code);
    const failed = await expectFailure(publishToEnd(pinterest, captioned("Rejected", {})));
    expect(failed).toMatchObject({ class: expected, code: name });
    expect(failed.operator === true).toBe(code === "trial");
    expect(failed.message).toMatch(code === "trial" ? /This is not a problem of the account/ : /\w.*\./);
    expect(published()).toHaveLength(0);
  });

  test("a video that Pinterest fails to process is a content failure, and its handle is invalid", async () => {
    const job = setup.job(video(setup.media, "short.mp4", board));
    const handle = await pinterest.start(job);
    rejectCall("media/get", "video_failed");
    const failed = await expectFailure(pollUntilDone((current) => pinterest.poll(job, current), handle));
    expect(failed).toMatchObject({ class: "content", code: "pin_video_failed", restart: true });
  });

  test("an upload that Pinterest no longer knows is restarted", async () => {
    const job = setup.job(video(setup.media, "short.mp4", board));
    const failed = await expectFailure(pinterest.poll(job, { startedAt: 0, mediaId: "1" }));
    expect(failed).toMatchObject({ class: "transient", code: "pin_media_lost", restart: true });
  });

  test("an upload that the storage rejects is restarted", async () => {
    rejectCall("media/upload", "9002");
    const failed = await expectFailure(pinterest.start(setup.job(video(setup.media, "short.mp4", board))));
    expect(failed).toMatchObject({ class: "transient", code: "pin_upload_http_403", restart: true });
  });

  test("a missing video is a content failure", async () => {
    const gone = {
      ...video(setup.media, "short.mp4", board),
      media: { type: "video" as const, video: file(setup.media.url("gone.mp4"), {}) },
    };
    expect(await expectFailure(pinterest.start(setup.job(gone)))).toMatchObject({
      class: "content",
      code: "media_unreachable",
    });
  });

  test("a video that becomes unavailable during the upload is unanswered, not truncated", async () => {
    const source = file(setup.media.url("gone.mp4"), { bytes: 1_000_000, mimeType: "video/mp4" });
    const job = setup.job({ ...video(setup.media, "short.mp4", board), media: { type: "video", video: source } });
    expect((await expectFailure(pinterest.start(job))).class).toBe("unanswered");
  });

  test("a pin with a lost response is found by description, title and link", async () => {
    const lost = { title: "One", link: "https://example.com/1", tags: ["x"] };
    await publishToEnd(pinterest, captioned("Same text", { ...lost, title: "Two" }));
    await publishToEnd(pinterest, captioned("Same text", { ...lost, link: "https://example.com/2" }));
    const job = captioned("Same text", lost);
    const handle = await startUntilReady(pinterest, job);
    expect(await pinterest.reconcile(job, handle)).toEqual({ state: "not_published" });
    setup.networks.addScript({ network: "pinterest", call: "pins/create", answer: "drop_after" });
    await expectFailure(pinterest.publish(job, handle));
    const item = published().find((one) => one.title === "One" && one.settings.link === lost.link);
    expect(await pinterest.reconcile(job, handle)).toEqual({
      state: "published",
      platformPostId: item?.id,
      url: item?.url,
    });
  });

  test("an older pin with the same text, or one on another board, does not match", async () => {
    await publishToEnd(pinterest, captioned("Again", {}));
    const other = captioned("Again", { board_id: "5497000" });
    const elsewhere = await startUntilReady(pinterest, other);
    expect(await pinterest.reconcile(other, elsewhere)).toEqual({ state: "not_published" });
    const job = captioned("Again", {});
    job.advance(120_000);
    const handle = await startUntilReady(pinterest, job);
    expect(await pinterest.reconcile(job, handle)).toEqual({ state: "not_published" });
  });

  test("a pin on a later page of the board is found", async () => {
    const job = captioned("The first of many", {});
    const handle = await startUntilReady(pinterest, job);
    await pinterest.publish(job, handle);
    for (let turn = 0; turn < 255; turn++) await pinterest.publish(captioned(`Pin ${turn}`, {}), handle);
    expect(await pinterest.reconcile(job, handle)).toMatchObject({
      state: "published",
      platformPostId: published()[0]?.id,
    });
  });

  test("a board with too many pages leaves the outcome unknown", async () => {
    const job = captioned("Among too many", {});
    const handle = await startUntilReady(pinterest, job);
    const old = { id: "1", description: "Other", created_at: "2020-01-01T00:00:00" };
    const endless = async () => Response.json({ items: [old], bookmark: "more" });
    expect(await pinterest.reconcile({ ...job, fetch: endless }, handle)).toEqual({ state: "cannot_tell" });
  });

  test("a board that cannot be read leaves the outcome unknown", async () => {
    const job = captioned("Whose", {});
    const handle = await startUntilReady(pinterest, job);
    rejectCall("boards/pins", "40");
    expect(await pinterest.reconcile(job, handle)).toEqual({ state: "cannot_tell" });
  });

  test("the rate limit has a reset time", async () => {
    setup.networks.addScript({ network: "pinterest", call: "pins/create", answer: "429" });
    const job = captioned("x", {});
    const failed = await expectFailure(pinterest.publish(job, await startUntilReady(pinterest, job)));
    expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now() + 80_000);
  });

  test("a refresh returns the next refresh token, or keeps the current one", async () => {
    const io = captioned("x", {});
    const tokens = { accessToken: "p-a", refreshToken: "p-r" };
    setup.networks.register({ platform: "pinterest", externalId: "78", ...tokens });
    const fresh = await pinterest.refresh(setup.config, tokens, io);
    expect(fresh.refreshToken).toMatch(/^pinr\./);
    expect((await expectFailure(pinterest.refresh(setup.config, tokens, io))).class).toBe("auth");
    const keyless = { ...setup.config, clientSecret: "" };
    const ours = await expectFailure(pinterest.refresh(keyless, { ...tokens, refreshToken: fresh.refreshToken }, io));
    expect(ours).toMatchObject({ class: "transient", code: "pin_client_refused" });
    const keeper = { accessToken: "k-a", refreshToken: "k-r" };
    const facts = { keepsRefreshToken: true };
    setup.networks.register({ platform: "pinterest", externalId: "79", ...keeper, facts });
    expect((await pinterest.refresh(setup.config, keeper, io)).refreshToken).toBeNull();
    expect((await pinterest.refresh(setup.config, keeper, io)).refreshToken).toBeNull();
  });
});
