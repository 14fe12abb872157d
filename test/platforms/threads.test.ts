// Threads: the driver contract, and tests specific to Threads.

import { describe, expect, test, vi } from "vitest";
import { findLinks } from "../../lib/platforms/threads/content.ts";
import { threads } from "../../lib/platforms/threads/driver.ts";
import { PostSettings } from "../../lib/schemas/post-settings.ts";
import { stopClock } from "../support/stop-clock.ts";
import { images, text, video } from "./content.ts";
import { driverContract, toReconciledCase } from "./contract.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { openTestNetwork, useTestNetwork } from "./test-network.ts";

const MEDIA = { "clip.mp4": 50_000, "a.jpg": 4_000, "b.jpg": 5_000, "c.png": 6_000, "page.html": 900 };

const kind = toReconciledCase("threads_publish");

driverContract("threads", {
  driver: threads,
  kinds: [
    kind("text", () => text("Only text")),
    kind("image", (media) => images(media, ["a.jpg"])),
    kind("carousel", (media) => images(media, ["a.jpg", "c.png", "b.jpg"])),
    kind("video", (media) => video(media, "clip.mp4")),
  ],
  media: MEDIA,
  errorCodes: { content: "2207028", account: "4279013" },
  startCall: "threads",
  refreshCall: "refresh_access_token",
});

describe("threads", () => {
  const setup = useTestNetwork(threads, MEDIA);
  const { published } = setup;

  // The five values of https://developers.facebook.com/docs/threads/reference/publishing, read 2026-11-28.
  test.each(["everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"])(
    "a text post has its settings and returns its permalink: replies by %s",
    async (reply_control) => {
      const settings = { reply_control, topic_tag: "slow travel" };
      expect(PostSettings.parse({ threads: settings })).toEqual({ threads: settings });
      const answer = await publishToEnd(threads, setup.job(text("Words", settings)));
      const [item] = published();
      expect(item).toMatchObject({ kind: "TEXT", caption: "Words", settings });
      expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
      expect(answer.url).toMatch(/^https:\/\/www\.threads\.net\//);
    },
  );

  test("a carousel keeps the order of its images", async () => {
    await publishToEnd(threads, setup.job(images(setup.media, ["c.png", "a.jpg", "b.jpg"])));
    const names = ["c.png", "a.jpg", "b.jpg"].map((name) => setup.media.url(name));
    expect(published()[0]?.media.map((one) => one.url)).toEqual(names);
  });

  test("500 characters are accepted, emoji counted by their bytes; 501 are rejected", async () => {
    const crowd = "👍".repeat(125);
    await publishToEnd(threads, setup.job(text(crowd)));
    await publishToEnd(threads, setup.job(text("ü".repeat(500))));
    expect(published().map((item) => item.caption)).toEqual([crowd, "ü".repeat(500)]);
    for (const over of [`${crowd}!`, "a".repeat(501)]) {
      const failed = await expectFailure(threads.start(setup.job(text(over))));
      expect(failed).toMatchObject({ class: "content", code: "caption_too_long" });
    }
  });

  test("five different links are published, a sixth is rejected, and a repeated one does not count", async () => {
    const links = (count: number) => Array.from({ length: count }, (_, at) => `https://example.com/${at}`).join(" ");
    await publishToEnd(threads, setup.job(text(`${links(5)} https://example.com/0`)));
    expect(published()).toHaveLength(1);
    const failed = await expectFailure(threads.start(setup.job(text(links(6)))));
    expect(failed).toMatchObject({ class: "content", code: "too_many_links" });
  });

  test.each([
    ["see www.example.com, and (https://example.com/a).", ["www.example.com", "https://example.com/a"]],
    ["an e.g. and a 3.14 are no links", []],
    ["HTTPS://EXAMPLE.COM/A", ["HTTPS://EXAMPLE.COM/A"]],
  ])("links of %j", (text, expected) => {
    expect([...findLinks(text)]).toEqual(expected);
  });

  test("a post with a lost response is found with its id and url", async () => {
    await publishToEnd(threads, setup.job(text("Another one")));
    const job = setup.job(text("The lost one"));
    const handle = await startUntilReady(threads, job);
    setup.networks.addScript({ network: "threads", call: "threads_publish", answer: "drop_after" });
    await expectFailure(threads.publish(job, handle));
    await publishToEnd(threads, setup.job(text("A later one")));
    const item = published().find((one) => one.caption === "The lost one");
    expect(await threads.reconcile(job, handle)).toEqual({
      state: "published",
      platformPostId: item?.id,
      url: item?.url,
    });
  });

  test("a request that was not received is not published, and its container is then published once", async () => {
    const job = setup.job(text("Twice?"));
    const handle = await startUntilReady(threads, job);
    setup.networks.addScript({ network: "threads", call: "threads_publish", answer: "drop_before" });
    await expectFailure(threads.publish(job, handle));
    expect(await threads.reconcile(job, handle)).toEqual({ state: "not_published", handle });
    await threads.publish(job, handle);
    expect((await expectFailure(threads.publish(job, handle))).class).toBe("unanswered");
    expect(published()).toHaveLength(1);
  });

  test("a container that Threads does not know leaves the outcome unknown", async () => {
    expect(await threads.reconcile(setup.job(text("Where?")), { container: "1", startedAt: 0 })).toEqual({
      state: "cannot_tell",
    });
  });

  test("a lost permalink leaves the url null, and polling returns it", async () => {
    const job = setup.job(text("Nameless"));
    const handle = await startUntilReady(threads, job);
    setup.networks.addScript({ network: "threads", call: "permalink", answer: "drop_before" });
    const answer = await threads.publish(job, handle);
    expect(answer).toMatchObject({ state: "published", url: null, platformPostId: published()[0]?.id });
    expect(await threads.poll(job, handle)).toMatchObject({ state: "published", url: published()[0]?.url });
  });

  test.each([
    ["threads_publishing_limit, before anything is created", 0],
    ["the publish call, when it was exhausted in the meantime", 1],
  ])("an exhausted quota is reported by %s", async (_where, quotaTotal) => {
    const account = { externalId: `55${quotaTotal}`, accessToken: `full-${quotaTotal}` };
    setup.networks.register({ platform: "threads", ...account, facts: { quotaTotal } });
    const connection = { accountId: "x", ...account };
    const job = { ...setup.job(text("One too many")), connection };
    const work = async () => {
      const handle = await threads.start(job);
      await publishToEnd(threads, job);
      await threads.publish(job, handle);
    };
    const failed = await expectFailure(work());
    expect(failed).toMatchObject({ class: "rate_limited", code: "th_2207042" });
    expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    expect(published()).toHaveLength(quotaTotal);
  });

  test.each([
    ["an HTML page instead of an image", ["page.html"], "th_2207005"],
    ["21 images", Array.from({ length: 21 }, () => "a.jpg"), "too_many_images"],
  ])("%s is rejected as content", async (_what, names, code) => {
    const failed = await expectFailure(threads.start(setup.job(images(setup.media, names))));
    expect(failed).toMatchObject({ class: "content", code });
  });

  test("an image that Threads cannot fetch is tried three times at most", async () => {
    const failed = await expectFailure(threads.start(setup.job(images(setup.media, ["gone.jpg"]))));
    expect(failed).toMatchObject({ class: "transient", code: "th_2207052", tries: 3 });
  });

  test("20 images are published as a carousel", async () => {
    await publishToEnd(
      threads,
      setup.job(
        images(
          setup.media,
          Array.from({ length: 20 }, () => "a.jpg"),
        ),
      ),
    );
    expect(published()[0]?.media).toHaveLength(20);
  });

  test("a video that Threads cannot fetch fails its container, and the handle is invalid", async () => {
    const job = setup.job(video(setup.media, "gone.mp4"));
    const handle = await threads.start(job);
    const failed = await expectFailure(pollUntilDone((current) => threads.poll(job, current), handle));
    expect(failed).toMatchObject({ class: "content", code: "th_failed_downloading_video", restart: true });
  });

  test.each([
    ["FAILED_PROCESSING_VIDEO", "content", "th_failed_processing_video"],
    ["INVALID_ASPEC_RATIO", "content", "th_invalid_aspec_ratio"],
    ["INVALID_DURATION", "content", "th_invalid_duration"],
    ["UNKNOWN", "transient", "th_2207053"],
    ["EXPIRED", "transient", "th_2207020"],
  ])("a container that failed with %s is %s", async (word, expected, code) => {
    const job = setup.job(text("Doomed"));
    const handle = await threads.start(job);
    const body = word === "EXPIRED" ? { status: word } : { status: "ERROR", error_message: word };
    const failing = { ...job, fetch: async () => Response.json(body) };
    const failed = await expectFailure(threads.poll(failing, handle));
    expect(failed).toMatchObject({ class: expected, code, restart: true });
    const verdict = threads.reconcile(failing, handle);
    if (expected === "content") expect((await expectFailure(verdict)).class).toBe("content");
    else expect(await verdict).toEqual({ state: "not_published" });
  });

  test("a container in progress after publish is polled again", async () => {
    const job = { ...setup.job(text("Slow")), fetch: async () => Response.json({ status: "IN_PROGRESS" }) };
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
    ["2207052", "transient"],
    ["100", "content"],
  ])("code %s is %s", async (code, expected) => {
    setup.networks.addScript({ network: "threads", call: "threads", answer: "refuse", code });
    const failed = await expectFailure(threads.start(setup.job(text("Rejected"))));
    expect(failed.class).toBe(expected);
    expect(failed.message).toMatch(/\w.*\./);
  });

  test.each([
    ["1", "unanswered"],
    ["4279009", "unanswered"],
    ["4279013", "account"],
  ])("code %s in the publishing request is %s", async (code, expected) => {
    const job = setup.job(text("Rejected late"));
    const handle = await startUntilReady(threads, job);
    setup.networks.addScript({ network: "threads", call: "threads_publish", answer: "refuse", code });
    expect((await expectFailure(threads.publish(job, handle))).class).toBe(expected);
  });

  test("a carousel waits for its children, then for its parent, without starting over", async () => {
    stopClock();
    const slow = await openTestNetwork(threads, MEDIA, undefined, { processingMs: 1_500 });
    const job = slow.job(images(slow.media, Array(10).fill("a.jpg") as string[]));
    const handle = await threads.start(job);
    expect(await threads.poll(job, handle)).toMatchObject({ state: "processing", handle: { container: "" } });
    slow.networks.addScript({ network: "threads", call: "threads", answer: "refuse", code: "4279004" });
    const waiting = await threads.poll(job, handle);
    expect(waiting).toMatchObject({ state: "processing", handle: { children: handle.children, container: "" } });
    await pollUntilDone(
      (current) => threads.poll(job, current),
      handle,
      (ms) => void vi.setSystemTime(Date.now() + ms),
    );
    const calls = slow.networks.log().filter(({ call }) => call === "threads");
    expect(calls.map(({ status }) => status)).toEqual([...(Array(10).fill(200) as number[]), 400, 200]);
    await slow.close();
  });
});
