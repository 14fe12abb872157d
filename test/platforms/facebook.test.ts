// Facebook pages: the driver contract, and what only pages have.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { facebook } from "../../lib/platforms/facebook/driver.ts";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { driverContract, failureFrom, type Kind, openWorld, publishAll, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MEDIA = {
  "short.mp4": 50_000,
  "a.jpg": 4_000,
  "b.jpg": 5_000,
  "c.png": 6_000,
  "page.html": 900,
};

function file(url: string, more?: Partial<MediaFile>): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null, ...more };
}

function text(caption: string, settings: Record<string, unknown>): Content {
  return { caption, media: null, musicUrl: null, settings };
}

function video(media: MediaHost, name: string, settings: Record<string, unknown>): Content {
  const source = file(media.url(name), { mimeType: "video/mp4" });
  return { caption: "A day at sea", media: { type: "video", video: source }, musicUrl: null, settings };
}

function photos(media: MediaHost, names: string[], settings: Record<string, unknown>): Content {
  const images = names.map((name) => file(media.url(name)));
  return { caption: "Views", media: { type: "slideshow", images }, musicUrl: null, settings };
}

function kind(name: string, publishCall: string, content: Kind["content"]): Kind {
  return { name, content, publishCall, lostAfter: "published", lostBefore: "not_published" };
}

driverContract("facebook", {
  driver: facebook,
  kinds: [
    kind("text", "feed", () => text("Only words", {})),
    kind("link", "feed", () => text("Read this", { url: "https://example.com/a" })),
    kind("photo", "feed", (media) => photos(media, ["a.jpg"], {})),
    kind("photos", "feed", (media) => photos(media, ["a.jpg", "c.png", "b.jpg"], {})),
    kind("video", "videos_finish", (media) => video(media, "short.mp4", {})),
  ],
  media: MEDIA,
  refusals: { content: "2061006", account: "4854002" },
  startCall: "feed_list",
  refreshCall: "oauth/access_token",
});

describe("facebook", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().facebook ?? [];
  const behave = (call: string, answer: "refuse" | "429" | "500" | "drop_before" | "drop_after", code?: string) =>
    world.networks.behave({ network: "facebook", call, answer, ...(code === undefined ? {} : { code }) });
  const callsOf = (name: string) => world.networks.log().filter((entry) => entry.call === name).length;
  beforeAll(async () => {
    world = await openWorld(facebook, MEDIA, undefined);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_log`, { method: "DELETE" });
  });

  describe("feed posts", () => {
    test("a link goes along as a link, and the answer is the permalink", async () => {
      const answer = await publishAll(facebook, world.job(text("Read", { url: "https://example.com/a" })));
      const [item] = published();
      expect(item).toMatchObject({ kind: "link", caption: "Read", settings: { link: "https://example.com/a" } });
      expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    });

    test("beside photos a link ends the text, once", async () => {
      const settings = { url: "https://example.com/a" };
      await publishAll(facebook, world.job(photos(world.media, ["a.jpg"], settings)));
      const named = { ...photos(world.media, ["a.jpg"], settings), caption: "See https://example.com/a now" };
      await publishAll(facebook, world.job(named));
      const words = ["Views\n\nhttps://example.com/a", "See https://example.com/a now"];
      expect(published().map((item) => item.caption)).toEqual(words);
      expect(published().every((item) => item.settings.link === undefined)).toBe(true);
    });

    test("photos keep their order in one post, and none of them is out before it", async () => {
      const job = world.job(photos(world.media, ["c.png", "a.jpg", "b.jpg"], {}));
      const handle = await startReady(facebook, job);
      expect(callsOf("photos")).toBe(3);
      expect(published()).toHaveLength(0);
      await facebook.publish(job, handle);
      const names = ["c.png", "a.jpg", "b.jpg"].map((name) => world.media.url(name));
      expect(published().map((item) => item.media.map((one) => one.url))).toEqual([names]);
    });

    test("a lost permalink leaves an address made from the id", async () => {
      behave("permalink", "500");
      const answer = await publishAll(facebook, world.job(text("Nameless", {})));
      expect(answer.url).toBe(`https://www.facebook.com/${published()[0]?.id}`);
    });

    test("a post whose answer was lost is told from an older one with the same words", async () => {
      await publishAll(facebook, world.job(text("Good morning", {})));
      const job = world.job(text("Good morning", {}));
      const handle = await startReady(facebook, job);
      behave("feed", "drop_before");
      await failureFrom(facebook.publish(job, handle));
      expect(await facebook.reconcile(job, handle)).toEqual({ state: "not_published" });
      behave("feed", "drop_after");
      await failureFrom(facebook.publish(job, handle));
      const ours = published()[1];
      expect(await facebook.reconcile(job, handle)).toMatchObject({
        state: "published",
        platformPostId: ours?.id,
        url: ours?.url,
      });
    });

    test("photos are told by themselves when somebody else posts the same words meanwhile", async () => {
      const job = world.job(photos(world.media, ["a.jpg", "b.jpg"], {}));
      const handle = await startReady(facebook, job);
      await publishAll(facebook, world.job(photos(world.media, ["a.jpg", "b.jpg"], {})));
      expect(await facebook.reconcile(job, handle)).toEqual({ state: "not_published" });
    });

    test("words are found again although Facebook folded their white space", async () => {
      const job = world.job(text("One\n\n two ", {}));
      const handle = await startReady(facebook, job);
      await publishAll(facebook, world.job(text("One two", {})));
      expect((await facebook.reconcile(job, handle)).state).toBe("published");
    });

    test("a page too busy to read back to the start can not be told", async () => {
      const job = world.job(text("The needle", {}));
      const handle = await startReady(facebook, job);
      const rows = Array.from({ length: 100 }, (_, at) => ({
        id: `1_${at}`,
        message: "hay",
        created_time: new Date().toISOString(),
      }));
      const busy = { ...job, fetch: async () => Response.json({ data: rows }) };
      expect(await facebook.reconcile(busy, handle)).toEqual({ state: "cannot_tell" });
    });

    test("what a visitor wrote is not ours", async () => {
      const job = world.job(text("Hello", {}));
      const handle = await startReady(facebook, job);
      const row = { id: "1_1", message: "Hello", created_time: new Date().toISOString(), from: { id: "7" } };
      const visited = { ...job, fetch: async () => Response.json({ data: [row] }) };
      expect(await facebook.reconcile(visited, handle)).toEqual({ state: "not_published" });
    });

    test.each([
      ["a picture that is not there", ["gone.jpg"], "fb_2069019"],
      ["a page instead of a picture", ["page.html"], "fb_1366046"],
      ["eleven pictures", Array.from({ length: 11 }, () => "a.jpg"), "too_many_images"],
    ])("%s is refused as content before anything is out", async (_what, names, code) => {
      const failed = await failureFrom(facebook.start(world.job(photos(world.media, names, {}))));
      expect(failed).toMatchObject({ class: "content", code });
    });

    test("63,206 characters go out, one more does not, a link beside media counted", async () => {
      await publishAll(facebook, world.job(text("a".repeat(63_206), {})));
      expect(published()[0]?.caption).toHaveLength(63_206);
      const long = { ...photos(world.media, ["a.jpg"], { url: "https://example.com" }), caption: "a".repeat(63_200) };
      for (const content of [text("a".repeat(63_207), {}), long]) {
        const failed = await failureFrom(facebook.start(world.job(content)));
        expect(failed).toMatchObject({ class: "content", code: "caption_too_long" });
      }
    });
  });

  test("a token without an end has none", async () => {
    const tokens = { accessToken: "lasting", refreshToken: "kept" };
    const facts = { lastingToken: true };
    world.networks.register({ platform: "facebook", externalId: "771", ...tokens, facts });
    const fresh = await facebook.refresh(world.config, tokens, world.job(text("x", {})));
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
    behave("feed_list", "refuse", code);
    const failed = await failureFrom(facebook.start(world.job(text("Refused", {}))));
    expect(failed).toMatchObject({ class: expected, code: `fb_${code}` });
    expect(failed.message).toMatch(/\w.*\./);
  });

  test.each([
    ["1", "unanswered"],
    ["1363047", "unanswered"],
    ["1609010", "unanswered"],
    ["1390008", "account"],
    ["2061006", "content"],
  ])("code %s in the publishing call is %s", async (code, expected) => {
    const job = world.job(text("Refused late", {}));
    const handle = await startReady(facebook, job);
    behave("feed", "refuse", code);
    expect((await failureFrom(facebook.publish(job, handle))).class).toBe(expected);
    expect(published()).toHaveLength(0);
  });
});
