// Threads: the driver contract, and what only Threads has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { linksIn } from "../../lib/platforms/threads/content.ts";
import { threads } from "../../lib/platforms/threads/driver.ts";
import { driverContract, failureFrom, type Kind, openWorld, publishAll, settle, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MEDIA = { "clip.mp4": 50_000, "a.jpg": 4_000, "b.jpg": 5_000, "c.png": 6_000, "page.html": 900 };

function file(url: string): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null };
}

function text(caption: string, settings: Record<string, unknown> = {}): Content {
  return { caption, media: null, musicUrl: null, settings };
}

function video(media: MediaHost, name: string): Content {
  return { caption: "A clip", media: { type: "video", video: file(media.url(name)) }, musicUrl: null, settings: {} };
}

function images(media: MediaHost, names: string[]): Content {
  const files = names.map((name) => file(media.url(name)));
  return { caption: "Pictures", media: { type: "slideshow", images: files }, musicUrl: null, settings: {} };
}

function kind(name: string, content: Kind["content"]): Kind {
  return { name, content, publishCall: "threads_publish", lostAfter: "published", lostBefore: "not_published" };
}

driverContract("threads", {
  driver: threads,
  kinds: [
    kind("text", () => text("Only words")),
    kind("image", (media) => images(media, ["a.jpg"])),
    kind("carousel", (media) => images(media, ["a.jpg", "c.png", "b.jpg"])),
    kind("video", (media) => video(media, "clip.mp4")),
  ],
  media: MEDIA,
  refusals: { content: "2207028", account: "4279013" },
  startCall: "threads",
  refreshCall: "refresh_access_token",
});

describe("threads", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().threads ?? [];
  beforeAll(async () => {
    world = await openWorld(threads, MEDIA, undefined);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
  });

  test("a text post carries its settings and answers with its permalink", async () => {
    const settings = { reply_control: "mentioned_only", topic_tag: "slow travel" };
    const answer = await publishAll(threads, world.job(text("Words", settings)));
    const [item] = published();
    expect(item).toMatchObject({ kind: "TEXT", caption: "Words", settings });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toMatch(/^https:\/\/www\.threads\.net\//);
  });

  test("a carousel keeps the order of its pictures", async () => {
    await publishAll(threads, world.job(images(world.media, ["c.png", "a.jpg", "b.jpg"])));
    const names = ["c.png", "a.jpg", "b.jpg"].map((name) => world.media.url(name));
    expect(published()[0]?.media.map((one) => one.url)).toEqual(names);
  });

  test("five hundred go through as letters or as emoji by their bytes, one more does not", async () => {
    const crowd = "👍".repeat(125);
    await publishAll(threads, world.job(text(crowd)));
    await publishAll(threads, world.job(text("ü".repeat(500))));
    expect(published().map((item) => item.caption)).toEqual([crowd, "ü".repeat(500)]);
    for (const over of [`${crowd}!`, "a".repeat(501)]) {
      const failed = await failureFrom(threads.start(world.job(text(over))));
      expect(failed).toMatchObject({ class: "content", code: "caption_too_long" });
    }
  });

  test("five different links go out, a sixth is refused, and a repeated one does not count", async () => {
    const links = (count: number) => Array.from({ length: count }, (_, at) => `https://example.com/${at}`).join(" ");
    await publishAll(threads, world.job(text(`${links(5)} https://example.com/0`)));
    expect(published()).toHaveLength(1);
    const failed = await failureFrom(threads.start(world.job(text(links(6)))));
    expect(failed).toMatchObject({ class: "content", code: "too_many_links" });
  });

  test.each([
    ["see www.example.com, and (https://example.com/a).", ["www.example.com", "https://example.com/a"]],
    ["an e.g. and a 3.14 are no links", []],
    ["HTTPS://EXAMPLE.COM/A", ["HTTPS://EXAMPLE.COM/A"]],
  ])("links of %j", (words, expected) => {
    expect([...linksIn(words)]).toEqual(expected);
  });

  test("a post whose answer was lost is found again with its id and url", async () => {
    await publishAll(threads, world.job(text("Another one")));
    const job = world.job(text("The lost one"));
    const handle = await startReady(threads, job);
    world.networks.behave({ network: "threads", call: "threads_publish", answer: "drop_after" });
    await failureFrom(threads.publish(job, handle));
    await publishAll(threads, world.job(text("A later one")));
    const item = published().find((one) => one.caption === "The lost one");
    expect(await threads.reconcile(job, handle)).toEqual({
      state: "published",
      platformPostId: item?.id,
      url: item?.url,
    });
  });

  test("a call that never arrived is not published, and the same container goes out once", async () => {
    const job = world.job(text("Twice?"));
    const handle = await startReady(threads, job);
    world.networks.behave({ network: "threads", call: "threads_publish", answer: "drop_before" });
    await failureFrom(threads.publish(job, handle));
    expect(await threads.reconcile(job, handle)).toEqual({ state: "not_published", handle });
    await threads.publish(job, handle);
    expect((await failureFrom(threads.publish(job, handle))).class).toBe("unanswered");
    expect(published()).toHaveLength(1);
  });

  test("a container that Threads does not know leaves the outcome open", async () => {
    expect(await threads.reconcile(world.job(text("Where?")), { container: "1", startedAt: 0 })).toEqual({
      state: "cannot_tell",
    });
  });

  test("a lost permalink leaves the url open, and polling names it", async () => {
    const job = world.job(text("Nameless"));
    const handle = await startReady(threads, job);
    world.networks.behave({ network: "threads", call: "permalink", answer: "drop_before" });
    const answer = await threads.publish(job, handle);
    expect(answer).toMatchObject({ state: "published", url: null, platformPostId: published()[0]?.id });
    expect(await threads.poll(job, handle)).toMatchObject({ state: "published", url: published()[0]?.url });
  });

  test.each([
    ["threads_publishing_limit, before anything is made", 0],
    ["the publish call, when others used it up meanwhile", 1],
  ])("a used-up quota is told by %s", async (_where, quotaTotal) => {
    const account = { externalId: `55${quotaTotal}`, accessToken: `full-${quotaTotal}` };
    world.networks.register({ platform: "threads", ...account, facts: { quotaTotal } });
    const connection = { accountId: "x", ...account };
    const job = { ...world.job(text("One too many")), connection };
    const work = async () => {
      const handle = await threads.start(job);
      await publishAll(threads, job);
      await threads.publish(job, handle);
    };
    const failed = await failureFrom(work());
    expect(failed).toMatchObject({ class: "rate_limited", code: "th_2207042" });
    expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    expect(published()).toHaveLength(quotaTotal);
  });

  test.each([
    ["a picture that is not there", ["gone.jpg"], "th_2207052"],
    ["a page instead of a picture", ["page.html"], "th_2207005"],
    ["twenty-one pictures", Array.from({ length: 21 }, () => "a.jpg"), "too_many_images"],
  ])("%s is refused as content", async (_what, names, code) => {
    const failed = await failureFrom(threads.start(world.job(images(world.media, names))));
    expect(failed).toMatchObject({ class: "content", code });
  });

  test("twenty pictures are a carousel", async () => {
    await publishAll(
      threads,
      world.job(
        images(
          world.media,
          Array.from({ length: 20 }, () => "a.jpg"),
        ),
      ),
    );
    expect(published()[0]?.media).toHaveLength(20);
  });

  test("a video that Threads can not fetch fails in its container, which is worthless then", async () => {
    const job = world.job(video(world.media, "gone.mp4"));
    const handle = await threads.start(job);
    const failed = await failureFrom(settle((current) => threads.poll(job, current), handle));
    expect(failed).toMatchObject({ class: "content", code: "th_failed_downloading_video", restart: true });
  });

  test.each([
    ["FAILED_PROCESSING_VIDEO", "content", "th_failed_processing_video"],
    ["INVALID_ASPEC_RATIO", "content", "th_invalid_aspec_ratio"],
    ["INVALID_DURATION", "content", "th_invalid_duration"],
    ["UNKNOWN", "transient", "th_2207053"],
    ["EXPIRED", "transient", "th_2207020"],
  ])("a container that failed with %s is %s", async (word, expected, code) => {
    const job = world.job(text("Doomed"));
    const handle = await threads.start(job);
    const body = word === "EXPIRED" ? { status: word } : { status: "ERROR", error_message: word };
    const told = { ...job, fetch: async () => Response.json(body) };
    const failed = await failureFrom(threads.poll(told, handle));
    expect(failed).toMatchObject({ class: expected, code, restart: true });
    const verdict = threads.reconcile(told, handle);
    if (expected === "content") expect((await failureFrom(verdict)).class).toBe("content");
    else expect(await verdict).toEqual({ state: "not_published" });
  });

  test("a container still at work after publish is asked again", async () => {
    const job = { ...world.job(text("Slow")), fetch: async () => Response.json({ status: "IN_PROGRESS" }) };
    const handle = { container: "17", startedAt: 0 };
    expect(await threads.reconcile(job, handle)).toMatchObject({ state: "processing" });
  });

  test.each([
    ["190", "auth"],
    ["2207051", "account"],
    ["4279013", "account"],
    ["4279009", "transient"],
    ["2207042", "rate_limited"],
    ["4", "rate_limited"],
    ["10", "account"],
    ["2207052", "content"],
    ["100", "content"],
  ])("code %s is %s", async (code, expected) => {
    world.networks.behave({ network: "threads", call: "threads", answer: "refuse", code });
    const failed = await failureFrom(threads.start(world.job(text("Refused"))));
    expect(failed.class).toBe(expected);
    expect(failed.message).toMatch(/\w.*\./);
  });

  test.each([
    ["1", "unanswered"],
    ["4279009", "unanswered"],
    ["4279013", "account"],
  ])("code %s in the publishing call is %s", async (code, expected) => {
    const job = world.job(text("Refused late"));
    const handle = await startReady(threads, job);
    world.networks.behave({ network: "threads", call: "threads_publish", answer: "refuse", code });
    expect((await failureFrom(threads.publish(job, handle))).class).toBe(expected);
  });
});
