// Instagram: the driver contract, and tests specific to Instagram.
import { describe, expect, test, vi } from "vitest";
import { instagram } from "../../lib/platforms/instagram/driver.ts";
import { stopClock } from "../support/stop-clock.ts";
import { images, video } from "./content.ts";
import { driverContract, toReconciledCase } from "./contract.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { openTestNetwork, useTestNetwork } from "./test-network.ts";

const MEDIA = { "clip.mp4": 50_000, "a.jpg": 4_000, "b.jpg": 5_000, "c.jpg": 6_000, "d.png": 3_000, "page.html": 900 };

const kind = toReconciledCase("media_publish");

driverContract("instagram", {
  driver: instagram,
  kinds: [
    kind("reel", (media) => video(media, "clip.mp4", {})),
    kind("image", (media) => images(media, ["a.jpg"], {})),
    kind("carousel", (media) => images(media, ["a.jpg", "b.jpg", "c.jpg"], {})),
    kind("story", (media) => video(media, "clip.mp4", { post_type: "story" })),
  ],
  media: MEDIA,
  errorCodes: { content: "2207010", account: "2207050" },
  startCall: "media",
  refreshCall: "refresh_access_token",
});

describe("instagram", () => {
  const setup = useTestNetwork(instagram, MEDIA, { quotaTotal: 40 });
  const { published } = setup;

  test("a reel has cover, collaborators and trial settings, and returns its permalink", async () => {
    const settings = {
      is_trial_reel: true,
      graduation_strategy: "SS_PERFORMANCE",
      collaborators: [{ label: "@ann" }, { label: "ben" }],
      cover_url: setup.media.url("a.jpg"),
      thumb_offset_ms: 500,
    };
    const answer = await publishToEnd(instagram, setup.job(video(setup.media, "clip.mp4", settings)));
    const [item] = published();
    expect(item).toMatchObject({ kind: "REELS", caption: "A clip" });
    expect(item?.settings).toEqual({
      cover_url: setup.media.url("a.jpg"),
      collaborators: '["ann","ben"]',
      trial_params: '{"graduation_strategy":"SS_PERFORMANCE"}',
    });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
  });

  test("a carousel keeps the order of its images", async () => {
    await publishToEnd(instagram, setup.job(images(setup.media, ["c.jpg", "a.jpg", "b.jpg"], {})));
    const names = ["c.jpg", "a.jpg", "b.jpg"].map((name) => setup.media.url(name));
    expect(published()[0]?.media.map((one) => one.url)).toEqual(names);
  });

  test("a post with a lost response is found with its id and url", async () => {
    await publishToEnd(instagram, setup.job(images(setup.media, ["b.jpg"], {})));
    const job = setup.job({ ...images(setup.media, ["a.jpg"], {}), caption: "The lost one" });
    const handle = await startUntilReady(instagram, job);
    setup.networks.addScript({ network: "instagram", call: "media_publish", answer: "drop_after" });
    await expectFailure(instagram.publish(job, handle));
    const item = published().find((one) => one.caption === "The lost one");
    expect(await instagram.reconcile(job, handle)).toEqual({
      state: "published",
      platformPostId: item?.id,
      url: item?.url,
    });
  });

  test("a request that was not received is not published, and its container is then published once", async () => {
    const job = setup.job(images(setup.media, ["a.jpg"], {}));
    const handle = await startUntilReady(instagram, job);
    setup.networks.addScript({ network: "instagram", call: "media_publish", answer: "drop_before" });
    await expectFailure(instagram.publish(job, handle));
    expect(await instagram.reconcile(job, handle)).toEqual({ state: "not_published", handle });
    await instagram.publish(job, handle);
    expect(published()).toHaveLength(1);
  });

  test("a container is published once, and a second publish is unknown, not rejected", async () => {
    const job = setup.job(images(setup.media, ["a.jpg"], {}));
    const handle = await startUntilReady(instagram, job);
    await instagram.publish(job, handle);
    expect((await expectFailure(instagram.publish(job, handle))).class).toBe("unanswered");
    expect((await instagram.reconcile(job, handle)).state).toBe("published");
    expect(published()).toHaveLength(1);
  });

  test("a lost permalink leaves the url null and the post published", async () => {
    setup.networks.addScript({ network: "instagram", call: "permalink", answer: "drop_before" });
    const answer = await publishToEnd(instagram, setup.job(images(setup.media, ["a.jpg"], {})));
    expect(answer.url).toBeNull();
    expect(answer.platformPostId).toBe(published()[0]?.id);
  });

  test("an exhausted quota fails before anything is created, with the retry time", async () => {
    const facts = { quotaTotal: 0 };
    setup.networks.register({ platform: "instagram", externalId: "55", accessToken: "full", facts });
    const job = setup.job(images(setup.media, ["a.jpg"], {}));
    const connection = { accountId: "x", externalId: "55", accessToken: "full" };
    const failed = await expectFailure(instagram.start({ ...job, connection }));
    expect(failed).toMatchObject({ class: "rate_limited", code: "ig_2207042" });
    expect(failed.retryAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test.each([
    ["an image of the wrong type", ["d.png"], "ig_2207005"],
    ["an HTML page instead of an image", ["page.html"], "ig_2207005"],
    ["eleven images", Array.from({ length: 11 }, () => "a.jpg"), "too_many_images"],
  ])("%s is rejected as content", async (_what, names, code) => {
    const failed = await expectFailure(instagram.start(setup.job(images(setup.media, names, {}))));
    expect(failed).toMatchObject({ class: "content", code });
  });

  test("an image that Instagram cannot fetch is tried three times at most", async () => {
    const failed = await expectFailure(instagram.start(setup.job(images(setup.media, ["gone.jpg"], {}))));
    expect(failed).toMatchObject({ class: "transient", code: "ig_2207052", tries: 3 });
  });

  test("a video that Instagram cannot fetch fails its container, and the handle is invalid", async () => {
    const job = setup.job(video(setup.media, "gone.mp4", {}));
    const handle = await instagram.start(job);
    const failed = await expectFailure(pollUntilDone((current) => instagram.poll(job, current), handle));
    expect(failed).toMatchObject({ class: "transient", code: "ig_2207052", restart: true, tries: 3 });
  });

  test.each([
    ["190", "auth"],
    ["2207051", "account"],
    ["4", "rate_limited"],
    ["80002", "rate_limited"],
    ["2207003", "transient"],
    ["36003", "content"],
  ])("code %s is %s", async (code, expected) => {
    setup.networks.addScript({ network: "instagram", call: "media", answer: "refuse", code });
    const failed = await expectFailure(instagram.start(setup.job(images(setup.media, ["a.jpg"], {}))));
    expect(failed.class).toBe(expected);
  });

  test("the children of a carousel are made side by side, and their parent once all of them are finished", async () => {
    stopClock();
    const slow = await openTestNetwork(instagram, MEDIA, undefined, { processingMs: 1_500 });
    const job = slow.job(images(slow.media, Array(10).fill("a.jpg") as string[], {}));
    const first = await instagram.start(job);
    expect(first).toMatchObject({ container: "", pending: { length: 10 } });
    expect(await instagram.poll(job, first)).toMatchObject({ state: "processing", handle: { container: "" } });
    const advance = (ms: number) => void vi.setSystemTime(Date.now() + ms);
    await publishToEnd(instagram, { ...job, advance });
    const parents = slow.networks.log().filter(({ call }) => call === "media").length - 20;
    expect({ parents, published: slow.networks.published().instagram?.length }).toEqual({ parents: 1, published: 1 });
    await slow.close();
  });

  test("a parent that Instagram rejects because of its children waits for them, without starting over", async () => {
    const job = setup.job(images(setup.media, ["a.jpg", "b.jpg"], {}));
    stopClock();
    const handle = await instagram.start(job);
    vi.setSystemTime(Date.now() + 20);
    setup.networks.addScript({ network: "instagram", call: "media", answer: "refuse", code: "2207027" });
    const waiting = await instagram.poll(job, handle);
    expect(waiting).toMatchObject({ state: "processing", handle: { children: handle.children, container: "" } });
  });

  test("a rejected publish is unknown when the container says that it is published", async () => {
    const job = setup.job(images(setup.media, ["a.jpg"], {}));
    const handle = await startUntilReady(instagram, job);
    const rejected: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (!String(input).endsWith("/media_publish")) return answer;
      return Response.json({ error: { code: 4, error_subcode: 2207051, message: "Blocked" } }, { status: 400 });
    };
    expect((await expectFailure(instagram.publish({ ...job, fetch: rejected }, handle))).class).toBe("unanswered");
    expect((await instagram.reconcile(job, handle)).state).toBe("published");
  });
});
