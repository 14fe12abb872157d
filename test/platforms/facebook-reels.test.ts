// Reels and stories of Facebook pages: fetched uploads, titles, what is out after a lost response, and what each type takes.
import { describe, expect, test } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { facebook } from "../../lib/platforms/facebook/driver.ts";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { findPostViolations, findPostWarnings } from "../../lib/platforms/post-violations.ts";
import { file, images, text, video } from "./content.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = { "short.mp4": 50_000, "a.jpg": 4_000 };

describe("facebook reels and stories", () => {
  const setup = useTestNetwork(facebook, MEDIA);
  const { published, behave, callsOf } = setup;
  const reel = (settings = {}) => setup.job(video(setup.media, "short.mp4", { post_type: "reel", ...settings }));
  const videoStory = () => setup.job(video(setup.media, "short.mp4", { post_type: "story" }));
  const photoStory = () => setup.job(images(setup.media, ["a.jpg"], { post_type: "story" }));

  test("a reel has its text and title, and is fetched by its URL", async () => {
    const answer = await publishToEnd(facebook, reel({ title: "Waves", url: "https://example.com/a" }));
    const [item] = published();
    expect(item).toMatchObject({ kind: "reel", title: "Waves", caption: "A clip\n\nhttps://example.com/a" });
    expect(item?.media).toEqual([{ url: setup.media.url("short.mp4"), type: "video/mp4", bytes: 50_000 }]);
    const url = `https://www.facebook.com/reel/${item?.id}/`;
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url });
  });

  test("a video post has a title", async () => {
    await publishToEnd(facebook, setup.job(video(setup.media, "short.mp4", { title: "Waves" })));
    expect(published()).toMatchObject([{ kind: "video", title: "Waves", caption: "A clip" }]);
  });

  test.each([
    ["video", videoStory],
    ["photo", photoStory],
  ] as const)("a story of a %s has no text, and its link is that of the list of stories", async (_kind, make) => {
    const answer = await publishToEnd(facebook, make());
    const [item] = published();
    expect(item).toMatchObject({ kind: "story", caption: "" });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
  });

  test.each(["drop_before", "drop_after", "500"] as const)(
    "an upload with %s is asked for again, and nothing is published",
    async (answer) => {
      const job = reel();
      const handle = await facebook.start(job);
      behave("video_upload", answer);
      expect(["unanswered", "transient"]).toContain((await expectFailure(facebook.poll(job, handle))).class);
      const ready = await pollUntilDone((current) => facebook.poll(job, current), handle);
      expect(ready.state).toBe("ready");
      expect(callsOf("video_reels_start")).toBe(1);
      expect(published()).toHaveLength(0);
    },
  );

  test("a video that Facebook cannot fetch begins again, and the message says what its host must allow", async () => {
    const job = setup.job(video(setup.media, "gone.mp4", { post_type: "reel" }));
    const failed = await expectFailure(facebook.poll(job, await facebook.start(job)));
    expect(failed).toMatchObject({ class: "transient", restart: true, tries: 3, code: "fb_fetch_failed" });
    expect(failed.message).toContain("robots.txt");
  });

  test.each([
    ["1363127", "540 x 960"],
    ["1363128", "3 to 90 seconds"],
    ["1363129", "24 to 60"],
    ["1363040", "9:16"],
  ])("processing that failed with %s says what to change", async (code, words) => {
    const job = reel();
    const sent = await facebook.publish(job, await startUntilReady(facebook, job));
    behave("video", "refuse", code);
    const handle = sent.state === "sent" ? sent.handle : {};
    const failed = await expectFailure(pollUntilDone((current) => facebook.poll(job, current), handle));
    expect(failed).toMatchObject({ class: "content", code: `fb_${code}`, restart: true });
    expect(failed.message).toContain(words);
    expect(published()).toHaveLength(0);
  });

  test("an error of a phase that has not begun is a failure", async () => {
    const error = { message: "Resolution too low. Video must have a minimum resolution of 540p." };
    const status = { video_status: "processing", processing_phase: { status: "not_started", error } };
    const job = { ...reel(), fetch: async () => Response.json({ status }) };
    const handle = { kind: "video_reels", mediaId: "1", uploadUrl: "https://rupload.facebook.com/1", startedAt: 0 };
    expect(await expectFailure(facebook.poll(job, handle))).toMatchObject({ class: "content", restart: true });
  });

  test("publish_status alone does not make a reel published", async () => {
    const phase = { status: "not_started", publish_status: "published" };
    const status = {
      video_status: "upload_complete",
      uploading_phase: { status: "completed" },
      publishing_phase: phase,
    };
    const job = { ...reel(), fetch: async () => Response.json({ status, published: false }) };
    const handle = { kind: "video_reels", mediaId: "1", uploadUrl: "https://rupload.facebook.com/1", startedAt: 0 };
    expect((await facebook.poll(job, handle)).state).toBe("ready");
    expect((await facebook.poll(job, { ...handle, sent: true })).state).toBe("processing");
  });

  test.each([
    ["reel", reel],
    ["story of a video", videoStory],
    ["story of a photo", photoStory],
  ] as const)("a rejected repetition of a %s that is out counts as sent", async (_kind, make) => {
    const job = make();
    const handle = await startUntilReady(facebook, job);
    const first = await facebook.publish(job, handle);
    await pollUntilDone((current) => facebook.poll(job, current), first.state === "sent" ? first.handle : {});
    const again = await facebook.publish(job, handle);
    expect(again.state).toBe("sent");
    expect(published()).toHaveLength(1);
  });

  test("a medium of a story is never published twice, whatever the network says of the first call", async () => {
    const job = photoStory();
    const handle = await startUntilReady(facebook, job);
    behave("photo_stories", "drop_before");
    await expectFailure(facebook.publish(job, handle));
    const verdict = await pollUntilDone((current) => {
      job.advance(20_000);
      return facebook.reconcile(job, current);
    }, handle);
    expect(verdict).toMatchObject({ state: "not_published", handle: { mediaId: handle.mediaId } });
    expect(callsOf("stories")).toBeGreaterThan(2);
    await facebook.publish(job, verdict.handle ?? {});
    expect(published()).toHaveLength(1);
    expect(callsOf("photos")).toBe(1);
  });

  test("a list of stories that may not be read, or has more than a page, leaves the outcome unknown", async () => {
    const job = photoStory();
    const handle = await startUntilReady(facebook, job);
    behave("stories", "refuse", "10");
    expect(await facebook.reconcile(job, handle)).toEqual({ state: "cannot_tell" });
    const data = { data: [{ post_id: "1", media_id: "2" }], paging: { next: "https://example.com" } };
    const busy = { ...job, fetch: async () => Response.json(data) };
    expect(await facebook.reconcile(busy, handle)).toEqual({ state: "cannot_tell" });
  });

  describe("takedown", () => {
    test("a reel is removed and its text changed", async () => {
      const job = reel();
      const { platformPostId } = await publishToEnd(facebook, job);
      const post = { id: platformPostId ?? "", publishedAt: new Date(), handle: {} };
      await facebook.edit?.({ ...job, content: { ...job.content, caption: "New" } }, post, { caption: "New" });
      expect(published()[0]?.caption).toBe("New");
      expect(await facebook.unpublish?.(job, post)).toBe("unpublished");
      expect(published()).toHaveLength(0);
    });

    test("a story is not removed, and is gone when the page no longer shows it", async () => {
      const job = photoStory();
      const handle = await startUntilReady(facebook, job);
      await facebook.publish(job, handle);
      const post = { id: published()[0]?.id ?? "", publishedAt: new Date(), handle };
      const remove = facebook.unpublish as NonNullable<typeof facebook.unpublish>;
      const failed = await expectFailure(remove(job, post));
      expect(failed).toMatchObject({ class: "content", code: "not_supported" });
      expect(published()).toHaveLength(1);
      const archived = { data: [{ post_id: post.id, media_id: handle.mediaId, status: "ARCHIVED" }] };
      expect(await remove({ ...job, fetch: async () => Response.json(archived) }, post)).toBe("already_gone");
      await setup.reset();
      expect(await remove(job, post)).toBe("already_gone");
      const edit = facebook.edit as NonNullable<typeof facebook.edit>;
      expect((await expectFailure(edit(job, post, { caption: "x" }))).code).toBe("not_supported");
    });
  });
});

describe("what each type takes", () => {
  const capabilities = getCapabilities("facebook", "byo");
  const upright = { mimeType: "video/mp4", bytes: 1_000, durationMs: 20_000, width: 1080, height: 1920, fps: 30 };
  const clip = (facts: Partial<MediaFile>, settings: Record<string, unknown>): Content => ({
    ...text("A clip", settings),
    media: { type: "video", video: file("https://files.example/a.mp4", { ...upright, ...facts }) },
  });
  const pictures = (types: string[], settings: Record<string, unknown>): Content => ({
    ...text("Pictures", settings),
    media: {
      type: "slideshow",
      images: types.map((mimeType, at) => file(`https://files.example/${at}`, { mimeType })),
    },
  });
  const find = (content: Content) =>
    findPostViolations(facebook, content, capabilities, "the account").map(({ path, code }) => `${path} ${code}`);
  const warn = (content: Content) =>
    findPostWarnings(facebook, content, capabilities, "the account").map(({ path, code }) => `${path} ${code}`);

  test.each<[string, Content, string[]]>([
    ["an upright reel", clip({}, { post_type: "reel", title: "Waves" }), []],
    ["a reel of 90 s", clip({ durationMs: 90_000 }, { post_type: "reel" }), []],
    ["a reel of 91 s", clip({ durationMs: 91_000 }, { post_type: "reel" }), ["media video_too_long"]],
    ["a reel of 2 s", clip({ durationMs: 2_000 }, { post_type: "reel" }), ["media video_too_short"]],
    ["a wide reel", clip({ width: 1920, height: 1080 }, { post_type: "reel" }), ["media.url video_size_unsupported"]],
    ["a square reel", clip({ width: 1080, height: 1080 }, { post_type: "reel" }), ["media.url video_size_unsupported"]],
    ["a reel of 608 x 1080", clip({ width: 608, height: 1080 }, { post_type: "reel" }), []],
    ["a small reel", clip({ width: 360, height: 640 }, { post_type: "reel" }), ["media.url video_size_unsupported"]],
    ["a reel of 120 fps", clip({ fps: 120 }, { post_type: "reel" }), ["media.url frame_rate_unsupported"]],
    ["a reel of unknown facts", clip({ width: null, height: null, durationMs: null }, { post_type: "reel" }), []],
    ["a reel of text", text("Words", { post_type: "reel" }), ["media content_kind_unsupported"]],
    ["a reel of an image", pictures(["image/jpeg"], { post_type: "reel" }), ["media content_kind_unsupported"]],
    ["a story of an image", pictures(["image/png"], { post_type: "story" }), []],
    ["a story of WebP", pictures(["image/webp"], { post_type: "story" }), ["media.urls.0 media_type_unsupported"]],
    [
      "a story of two images",
      pictures(["image/jpeg", "image/jpeg"], { post_type: "story" }),
      ["media content_kind_unsupported"],
    ],
    ["a story of 60 s", clip({ durationMs: 60_000 }, { post_type: "story" }), []],
    ["a story of 61 s", clip({ durationMs: 61_000 }, { post_type: "story" }), ["media video_too_long"]],
    [
      "a story with title and link",
      clip({}, { post_type: "story", title: "Waves", url: "https://example.com" }),
      ["settings.facebook.title setting_not_allowed", "settings.facebook.url setting_not_allowed"],
    ],
    ["a titled photo", pictures(["image/jpeg"], { title: "x" }), ["settings.facebook.title setting_not_allowed"]],
    ["a titled text", text("Words", { title: "x" }), ["settings.facebook.title setting_not_allowed"]],
    ["a wide video post of 10 min", clip({ width: 1920, height: 1080, durationMs: 600_000 }, { title: "Waves" }), []],
  ])("%s", (_name, content, expected) => {
    expect(find(content)).toEqual(expected);
  });

  test("refusals name the field and what to do", () => {
    const [found] = findPostViolations(facebook, text("Words", { post_type: "reel" }), capabilities, "the account");
    expect(found?.message).toBe(
      "A reel of Facebook is one video. Send that in media, or set settings.facebook.post_type to post.",
    );
  });

  test.each<[string, Content, string[]]>([
    ["a post", clip({}, {}), []],
    ["a reel", clip({}, { post_type: "reel" }), []],
    ["a story", clip({}, { post_type: "story" }), ["caption caption_ignored"]],
    [
      "the cover of a reel",
      { ...clip({}, { post_type: "reel" }), cover: { image: file("https://files.example/c.jpg") } },
      ["media.cover_url cover_ignored"],
    ],
  ])("warnings of %s", (_name, content, expected) => {
    expect(warn(content)).toEqual(expected);
  });
});
