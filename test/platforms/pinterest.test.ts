// Pinterest: the driver contract, and what only Pinterest has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pinterest } from "../../lib/platforms/pinterest/driver.ts";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { BOARD } from "../local/networks/pinterest.ts";
import { driverContract, failureFrom, type Kind, openWorld, publishAll, settle, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

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

function file(url: string, more: Partial<MediaFile>): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null, ...more };
}

function video(media: MediaHost, name: string, settings: Settings): Content {
  const source = file(media.url(name), { mimeType: "video/mp4" });
  return { caption: "A clip", media: { type: "video", video: source }, musicUrl: null, settings };
}

function images(media: MediaHost, names: string[], settings: Settings): Content {
  const files = names.map((name) => file(media.url(name), {}));
  return { caption: "Pictures", media: { type: "slideshow", images: files }, musicUrl: null, settings };
}

function kind(name: string, content: Kind["content"]): Kind {
  return { name, content, publishCall: "pins/create", lostAfter: "published", lostBefore: "not_published" };
}

const board = { board_id: BOARD };

driverContract("pinterest", {
  driver: pinterest,
  kinds: [
    kind("image", (media) => images(media, ["a.jpg"], board)),
    kind("carousel", (media) => images(media, ["a.jpg", "b.jpg"], board)),
    kind("video", (media) => video(media, "short.mp4", board)),
  ],
  media: MEDIA,
  refusals: { content: "40", account: "29" },
  startCall: "boards/get",
  refreshCall: "oauth/token",
});

describe("pinterest", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().pinterest ?? [];
  const refuse = (call: string, code: string) =>
    world.networks.behave({ network: "pinterest", call, answer: "refuse", code });
  const captioned = (caption: string, settings: Settings) =>
    world.job({ ...images(world.media, ["a.jpg"], { ...board, ...settings }), caption });
  beforeAll(async () => {
    world = await openWorld(pinterest, MEDIA, { boards: [BOARD, "5497000"], foreignBoards: ["5497111"] });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
  });

  test("an image pin carries title, link and tags, and answers with its address", async () => {
    const settings = { title: "Sea", link: "https://example.com/sea", tags: ["ocean", "#blue sky", "ocean"] };
    const answer = await publishAll(pinterest, captioned("By the sea", settings));
    const [item] = published();
    expect(item).toMatchObject({ kind: "image_url", title: "Sea", caption: "By the sea\n\n#ocean #bluesky" });
    expect(item?.settings).toEqual({ board_id: BOARD, link: "https://example.com/sea" });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toBe(`https://www.pinterest.com/pin/${item?.id}/`);
  });

  test("a tag that the caption has already is not appended again", async () => {
    await publishAll(pinterest, captioned("Blue #Ocean today", { tags: ["ocean", "oceans"] }));
    expect(published()[0]?.caption).toBe("Blue #Ocean today\n\n#oceans");
  });

  test("a carousel keeps the order of its pictures", async () => {
    await publishAll(pinterest, world.job(images(world.media, ["c.png", "a.jpg", "b.jpg"], board)));
    expect(published()[0]?.kind).toBe("multiple_image_urls");
    const names = ["c.png", "a.jpg", "b.jpg"].map((name) => world.media.url(name));
    expect(published()[0]?.media.map((one) => one.url)).toEqual(names);
  });

  test("a video arrives byte for byte through the storage, and its first frame is the cover", async () => {
    await publishAll(pinterest, world.job(video(world.media, "clip.mp4", board)));
    const [item] = published();
    expect(item?.media).toEqual([
      { sha256: world.media.sha256("clip.mp4"), bytes: world.media.bytes("clip.mp4"), type: "video/mp4" },
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
      await publishAll(pinterest, job);
      expect(published()[0]?.caption).toHaveLength(800);
    } else expect(await failureFrom(pinterest.start(job))).toMatchObject({ class: "content", code });
  });

  test.each([
    ["no board", {}, "board_id_missing"],
    ["a board by its name", { board_id: "summer" }, "board_id_malformed"],
    ["a board that is gone", { board_id: "5497999" }, "pin_board_not_found"],
  ])("%s is refused as content, before anything is made", async (_what, settings, code) => {
    const failed = await failureFrom(pinterest.start(world.job(video(world.media, "short.mp4", settings))));
    expect(failed).toMatchObject({ class: "content", code });
    expect(world.networks.log().filter((entry) => entry.call === "media/create" && entry.status !== 201)).toEqual([]);
  });

  test("a board of someone else is the account's to mend", async () => {
    const failed = await failureFrom(
      pinterest.start(world.job(video(world.media, "short.mp4", { board_id: "5497111" }))),
    );
    expect(failed).toMatchObject({ class: "account", code: "pin_not_permitted" });
  });

  test("six images, no media, and images of two sizes are refused as content", async () => {
    const six = images(
      world.media,
      Array.from({ length: 6 }, () => "a.jpg"),
      board,
    );
    expect((await failureFrom(pinterest.start(world.job(six)))).code).toBe("too_many_images");
    expect((await failureFrom(pinterest.start(world.job({ ...six, media: null })))).code).toBe("media_missing");
    const sized = (width: number) => file(world.media.url("a.jpg"), { width, height: 1500 });
    const uneven: Content = { ...six, media: { type: "slideshow", images: [sized(1000), sized(1001)] } };
    expect(await failureFrom(pinterest.start(world.job(uneven)))).toMatchObject({
      class: "content",
      code: "carousel_shapes",
    });
    const even: Content = { ...six, media: { type: "slideshow", images: [sized(1000), sized(1000)] } };
    await publishAll(pinterest, world.job(even));
    expect(published()).toHaveLength(1);
  });

  test.each([["gone.jpg"], ["page.html"]])("a picture that is none, %s, is refused as content", async (name) => {
    const failed = await failureFrom(publishAll(pinterest, world.job(images(world.media, [name], board))));
    expect(failed).toMatchObject({ class: "content", code: "pin_media_refused" });
    expect(published()).toHaveLength(0);
  });

  test.each([
    ["pins/create", "2", "auth", "pin_authentication_failed"],
    ["pins/create", "3", "account", "pin_authorization_failed"],
    ["pins/create", "29", "account", "pin_not_permitted"],
    ["pins/create", "9001", "account", "pin_account_suspended"],
    ["pins/create", "9002", "account", "pin_forbidden"],
    ["pins/create", "40", "content", "pin_board_not_found"],
    ["pins/create", "2786", "content", "pin_link_blocked"],
    ["pins/create", "235", "content", "pin_media_refused"],
    ["pins/create", "1", "content", "pin_http_400"],
  ])("in %s, code %s is %s", async (call, code, expected, name) => {
    refuse(call, code);
    const failed = await failureFrom(publishAll(pinterest, captioned("Refused", {})));
    expect(failed).toMatchObject({ class: expected, code: name });
    expect(failed.message).toMatch(/\w.*\./);
    expect(published()).toHaveLength(0);
  });

  test("a video that Pinterest fails to process is refused, and its handle is worthless", async () => {
    const job = world.job(video(world.media, "short.mp4", board));
    const handle = await pinterest.start(job);
    refuse("media/get", "video_failed");
    const failed = await failureFrom(settle((current) => pinterest.poll(job, current), handle));
    expect(failed).toMatchObject({ class: "content", code: "pin_video_failed", restart: true });
  });

  test("an upload that Pinterest no longer knows begins anew", async () => {
    const job = world.job(video(world.media, "short.mp4", board));
    const failed = await failureFrom(pinterest.poll(job, { startedAt: 0, mediaId: "1" }));
    expect(failed).toMatchObject({ class: "transient", code: "pin_media_lost", restart: true });
  });

  test("an upload that the storage refuses begins anew", async () => {
    refuse("media/upload", "9002");
    const failed = await failureFrom(pinterest.start(world.job(video(world.media, "short.mp4", board))));
    expect(failed).toMatchObject({ class: "transient", code: "pin_upload_http_403", restart: true });
  });

  test("a video that is not there is the customer's to mend", async () => {
    const gone = {
      ...video(world.media, "short.mp4", board),
      media: { type: "video" as const, video: file(world.media.url("gone.mp4"), {}) },
    };
    expect(await failureFrom(pinterest.start(world.job(gone)))).toMatchObject({
      class: "content",
      code: "media_unreachable",
    });
  });

  test("a video that goes away while it is sent ends as unanswered, not as half a video", async () => {
    const source = file(world.media.url("gone.mp4"), { bytes: 1_000_000, mimeType: "video/mp4" });
    const job = world.job({ ...video(world.media, "short.mp4", board), media: { type: "video", video: source } });
    expect((await failureFrom(pinterest.start(job))).class).toBe("unanswered");
  });

  test("a lost pin is found by its words, its title and its link together", async () => {
    const lost = { title: "One", link: "https://example.com/1", tags: ["x"] };
    await publishAll(pinterest, captioned("Same words", { ...lost, title: "Two" }));
    await publishAll(pinterest, captioned("Same words", { ...lost, link: "https://example.com/2" }));
    const job = captioned("Same words", lost);
    const handle = await startReady(pinterest, job);
    expect(await pinterest.reconcile(job, handle)).toEqual({ state: "not_published" });
    world.networks.behave({ network: "pinterest", call: "pins/create", answer: "drop_after" });
    await failureFrom(pinterest.publish(job, handle));
    const item = published().find((one) => one.title === "One" && one.settings.link === lost.link);
    expect(await pinterest.reconcile(job, handle)).toEqual({
      state: "published",
      platformPostId: item?.id,
      url: item?.url,
    });
  });

  test("an older pin with the same words, or one on another board, is not taken for this one", async () => {
    await publishAll(pinterest, captioned("Again", {}));
    const other = captioned("Again", { board_id: "5497000" });
    const elsewhere = await startReady(pinterest, other);
    expect(await pinterest.reconcile(other, elsewhere)).toEqual({ state: "not_published" });
    const job = captioned("Again", {});
    job.advance(120_000);
    const handle = await startReady(pinterest, job);
    expect(await pinterest.reconcile(job, handle)).toEqual({ state: "not_published" });
  });

  test("a pin on a later page of the board is found", async () => {
    const job = captioned("The first of many", {});
    const handle = await startReady(pinterest, job);
    await pinterest.publish(job, handle);
    for (let turn = 0; turn < 105; turn++) await pinterest.publish(captioned(`Pin ${turn}`, {}), handle);
    expect(await pinterest.reconcile(job, handle)).toMatchObject({
      state: "published",
      platformPostId: published()[0]?.id,
    });
  });

  test("a board that may not be asked leaves it open what became of the pin", async () => {
    const job = captioned("Whose", {});
    const handle = await startReady(pinterest, job);
    refuse("boards/pins", "40");
    expect(await pinterest.reconcile(job, handle)).toEqual({ state: "cannot_tell" });
  });

  test("the rate limit names its end", async () => {
    world.networks.behave({ network: "pinterest", call: "pins/create", answer: "429" });
    const job = captioned("x", {});
    const failed = await failureFrom(pinterest.publish(job, await startReady(pinterest, job)));
    expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now() + 80_000);
  });

  test("a refresh brings the next refresh token, or keeps the one there is", async () => {
    const io = captioned("x", {});
    const tokens = { accessToken: "p-a", refreshToken: "p-r" };
    world.networks.register({ platform: "pinterest", externalId: "78", ...tokens });
    const fresh = await pinterest.refresh(world.config, tokens, io);
    expect(fresh.refreshToken).toMatch(/^pinr\./);
    expect((await failureFrom(pinterest.refresh(world.config, tokens, io))).class).toBe("auth");
    const keyless = { ...world.config, clientSecret: "" };
    const ours = await failureFrom(pinterest.refresh(keyless, { ...tokens, refreshToken: fresh.refreshToken }, io));
    expect(ours).toMatchObject({ class: "transient", code: "pin_client_refused" });
    const keeper = { accessToken: "k-a", refreshToken: "k-r" };
    const facts = { keepsRefreshToken: true };
    world.networks.register({ platform: "pinterest", externalId: "79", ...keeper, facts });
    expect((await pinterest.refresh(world.config, keeper, io)).refreshToken).toBeNull();
    expect((await pinterest.refresh(world.config, keeper, io)).refreshToken).toBeNull();
  });
});
