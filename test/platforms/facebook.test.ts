// Facebook pages: the driver contract, and tests specific to pages.
import { describe, expect, test } from "vitest";
import { facebook } from "../../lib/platforms/facebook/driver.ts";
import type { Content } from "../../lib/platforms/platform.ts";
import { file, text, video } from "./content.ts";
import { type ContentCase, driverContract } from "./contract.ts";
import type { MediaHost } from "./media-host.ts";
import { expectFailure, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = {
  "short.mp4": 50_000,
  "a.jpg": 4_000,
  "b.jpg": 5_000,
  "c.png": 6_000,
  "page.html": 900,
};

function photos(media: MediaHost, names: string[], settings: Record<string, unknown>): Content {
  const images = names.map((name) => file(media.url(name)));
  return { caption: "Views", media: { type: "slideshow", images }, musicUrl: null, settings };
}

function kind(name: string, publishCall: string, content: ContentCase["content"]): ContentCase {
  return { name, content, publishCall, lostAfter: "published", lostBefore: "not_published" };
}

driverContract("facebook", {
  driver: facebook,
  kinds: [
    kind("photo", "feed", (media) => photos(media, ["a.jpg"], {})),
    kind("text", "feed", () => text("Only text", {})),
    kind("link", "feed", () => text("Read this", { url: "https://example.com/a" })),
    kind("photos", "feed", (media) => photos(media, ["a.jpg", "c.png", "b.jpg"], {})),
    kind("video", "videos_finish", (media) => video(media, "short.mp4", {})),
    kind("reel", "video_reels_finish", (media) => video(media, "short.mp4", { post_type: "reel" })),
    kind("story of a video", "video_stories_finish", (media) => video(media, "short.mp4", { post_type: "story" })),
    kind("story of a photo", "photo_stories", (media) => photos(media, ["a.jpg"], { post_type: "story" })),
  ],
  media: MEDIA,
  errorCodes: { content: "2061006", account: "4854002" },
  startCall: "photos",
  refreshCall: "oauth/access_token",
});

describe("facebook", () => {
  const setup = useTestNetwork(facebook, MEDIA);
  const { published, behave, callsOf } = setup;

  describe("feed posts", () => {
    test("a link is sent as a link, and the result has the permalink", async () => {
      const answer = await publishToEnd(facebook, setup.job(text("Read", { url: "https://example.com/a" })));
      const [item] = published();
      expect(item).toMatchObject({ kind: "link", caption: "Read", settings: { link: "https://example.com/a" } });
      expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    });

    test("next to photos a link is appended to the text once", async () => {
      const settings = { url: "https://example.com/a" };
      await publishToEnd(facebook, setup.job(photos(setup.media, ["a.jpg"], settings)));
      const named = { ...photos(setup.media, ["a.jpg"], settings), caption: "See https://example.com/a now" };
      await publishToEnd(facebook, setup.job(named));
      const captions = ["Views\n\nhttps://example.com/a", "See https://example.com/a now"];
      expect(published().map((item) => item.caption)).toEqual(captions);
      expect(published().every((item) => item.settings.link === undefined)).toBe(true);
    });

    test("photos keep their order in one post, and none is visible before it", async () => {
      const job = setup.job(photos(setup.media, ["c.png", "a.jpg", "b.jpg"], {}));
      const handle = await startUntilReady(facebook, job);
      expect(callsOf("photos")).toBe(3);
      expect(published()).toHaveLength(0);
      await facebook.publish(job, handle);
      const names = ["c.png", "a.jpg", "b.jpg"].map((name) => setup.media.url(name));
      expect(published().map((item) => item.media.map((one) => one.url))).toEqual([names]);
    });

    test("without a permalink the url is built from the id", async () => {
      behave("permalink", "500");
      const answer = await publishToEnd(facebook, setup.job(text("Nameless", {})));
      expect(answer.url).toBe(`https://www.facebook.com/${published()[0]?.id}`);
    });

    test("a post with a lost response is distinguished from an older one with the same text", async () => {
      await publishToEnd(facebook, setup.job(text("Good morning", {})));
      const job = setup.job(text("Good morning", {}));
      const handle = await startUntilReady(facebook, job);
      behave("feed", "drop_before");
      await expectFailure(facebook.publish(job, handle));
      expect(await facebook.reconcile(job, handle)).toEqual({ state: "not_published" });
      behave("feed", "drop_after");
      await expectFailure(facebook.publish(job, handle));
      const ours = published()[1];
      expect(await facebook.reconcile(job, handle)).toMatchObject({
        state: "published",
        platformPostId: ours?.id,
        url: ours?.url,
      });
    });

    test("photos are matched by id when another post has the same text", async () => {
      const job = setup.job(photos(setup.media, ["a.jpg", "b.jpg"], {}));
      const handle = await startUntilReady(facebook, job);
      await publishToEnd(facebook, setup.job(photos(setup.media, ["a.jpg", "b.jpg"], {})));
      expect(await facebook.reconcile(job, handle)).toEqual({ state: "not_published" });
    });

    test("a text is found although Facebook collapsed its white space", async () => {
      const job = setup.job(text("One\n\n two ", {}));
      const handle = await startUntilReady(facebook, job);
      await publishToEnd(facebook, setup.job(text("One two", {})));
      expect((await facebook.reconcile(job, handle)).state).toBe("published");
    });

    test("a page with too many posts to read back to the start is inconclusive", async () => {
      const job = setup.job(text("The needle", {}));
      const handle = await startUntilReady(facebook, job);
      const rows = Array.from({ length: 100 }, (_, at) => ({
        id: `1_${at}`,
        message: "hay",
        created_time: new Date().toISOString(),
      }));
      const busy = { ...job, fetch: async () => Response.json({ data: rows }) };
      expect(await facebook.reconcile(busy, handle)).toEqual({ state: "cannot_tell" });
    });

    test("a page whose feed may not be read publishes, and a lost response leaves the outcome unknown", async () => {
      const job = setup.job(text("Unread", {}));
      behave("published_posts", "refuse", "10");
      const handle = await startUntilReady(facebook, job);
      await facebook.publish(job, handle);
      expect(published()).toHaveLength(1);
      behave("published_posts", "refuse", "10");
      expect(await facebook.reconcile(job, handle)).toEqual({ state: "cannot_tell" });
    });

    test.each([
      ["a missing image", ["gone.jpg"], "fb_2069019"],
      ["an HTML page instead of an image", ["page.html"], "fb_1366046"],
      ["eleven images", Array.from({ length: 11 }, () => "a.jpg"), "too_many_images"],
    ])("%s is rejected as content before anything is published", async (_what, names, code) => {
      const failed = await expectFailure(facebook.start(setup.job(photos(setup.media, names, {}))));
      expect(failed).toMatchObject({ class: "content", code });
    });

    test("63,206 characters are published and 63,207 rejected, including a link next to media", async () => {
      await publishToEnd(facebook, setup.job(text("a".repeat(63_206), {})));
      expect(published()[0]?.caption).toHaveLength(63_206);
      const long = { ...photos(setup.media, ["a.jpg"], { url: "https://example.com" }), caption: "a".repeat(63_200) };
      for (const content of [text("a".repeat(63_207), {}), long]) {
        const failed = await expectFailure(facebook.start(setup.job(content)));
        expect(failed).toMatchObject({ class: "content", code: "caption_too_long" });
      }
    });
  });

  test("a token that does not expire has no expiry", async () => {
    const tokens = { accessToken: "lasting", refreshToken: "kept" };
    const facts = { lastingToken: true };
    setup.networks.register({ platform: "facebook", externalId: "771", ...tokens, facts });
    const fresh = await facebook.refresh(setup.config, tokens, setup.job(text("x", {})));
    expect(fresh).toMatchObject({ refreshToken: null, expiresAt: null });
  });

  test.each([
    ["190", "auth"],
    ["490", "auth"],
    ["4", "rate_limited"],
    ["32", "rate_limited"],
    ["613", "rate_limited"],
    ["368", "account"],
    ["1390008", "account"],
    ["4854002", "account"],
    ["200", "account"],
    ["1366046", "content"],
    ["1366051", "content"],
    ["1404102", "content"],
    ["2061006", "content"],
    ["506", "content"],
    ["1363047", "transient"],
    ["1609010", "transient"],
  ])("code %s is %s", async (code, expected) => {
    behave("photos", "refuse", code);
    const failed = await expectFailure(facebook.start(setup.job(photos(setup.media, ["a.jpg"], {}))));
    expect(failed).toMatchObject({ class: expected, code: `fb_${code}` });
    expect(failed.message).toMatch(/\w.*\./);
  });

  test.each([
    ["1", "unanswered"],
    ["1363047", "unanswered"],
    ["1609010", "unanswered"],
    ["1390008", "account"],
    ["2061006", "content"],
  ])("code %s in the publishing request is %s", async (code, expected) => {
    const job = setup.job(text("Rejected late", {}));
    const handle = await startUntilReady(facebook, job);
    behave("feed", "refuse", code);
    expect((await expectFailure(facebook.publish(job, handle))).class).toBe(expected);
    expect(published()).toHaveLength(0);
  });
});
