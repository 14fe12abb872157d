// Videos of Facebook pages: the resumable upload, and what processing makes of it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { facebook } from "../../lib/platforms/facebook/driver.ts";
import { videoBase } from "../../lib/platforms/facebook/graph.ts";
import { windowOf } from "../../lib/platforms/facebook/upload.ts";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { failureFrom, openWorld, publishAll, settle, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MEDIA = { "short.mp4": 50_000, "long.mp4": 3 * 1024 * 1024 + 123 };

function video(media: MediaHost, name: string, settings: Record<string, unknown>): Content {
  const unknown = { bytes: null, durationMs: null, width: null, height: null };
  const source: MediaFile = { url: media.url(name), mimeType: "video/mp4", ...unknown };
  return { caption: "A day at sea", media: { type: "video", video: source }, musicUrl: null, settings };
}

describe("facebook videos", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().facebook ?? [];
  const behave = (call: string, answer: "refuse" | "500" | "drop_before" | "drop_after", code?: string) =>
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

  test("a file of several chunks arrives byte for byte, with a full address", async () => {
    const settings = { url: "https://example.com/a" };
    const answer = await publishAll(facebook, world.job(video(world.media, "long.mp4", settings)));
    const [item] = published();
    expect(item?.caption).toBe("A day at sea\n\nhttps://example.com/a");
    expect(item?.media).toEqual([{ sha256: world.media.sha256("long.mp4"), bytes: world.media.bytes("long.mp4") }]);
    expect(callsOf("videos_transfer")).toBe(4);
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
  });

  test.each(["drop_before", "drop_after", "500"] as const)("a chunk with %s is made good at once", async (answer) => {
    behave("videos_transfer", answer);
    await publishAll(facebook, world.job(video(world.media, "long.mp4", {})));
    expect(published()[0]?.media[0]?.sha256).toBe(world.media.sha256("long.mp4"));
  });

  test("an upload that stays broken is a clear failure, and publishing again goes on where it stopped", async () => {
    const job = world.job(video(world.media, "long.mp4", {}));
    const handle = await startReady(facebook, job);
    behave("videos_transfer", "drop_after");
    world.networks.behave({ network: "facebook", call: "videos_transfer", answer: "drop_before", times: 3 });
    expect((await failureFrom(facebook.publish(job, handle))).class).toBe("transient");
    expect(published()).toHaveLength(0);
    expect(await facebook.reconcile(job, handle)).toEqual({ state: "not_published", handle });
    await fetch(`${world.networks.url}/_log`, { method: "DELETE" });
    expect((await facebook.publish(job, handle)).state).toBe("sent");
    expect(callsOf("videos_transfer")).toBe(3);
    expect(published()[0]?.media[0]?.sha256).toBe(world.media.sha256("long.mp4"));
  });

  test("publishing again what is already out sends nothing", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await startReady(facebook, job);
    await facebook.publish(job, handle);
    await facebook.publish(job, handle);
    expect(published()).toHaveLength(1);
    expect(callsOf("videos_finish")).toBe(1);
  });

  test("a session that Facebook closed begins anew", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await startReady(facebook, job);
    const failed = await failureFrom(facebook.publish(job, { ...handle, videoId: "1", sessionId: "1" }));
    expect(failed).toMatchObject({ class: "transient", code: "upload_session_lost", restart: true });
  });

  test("a second closing call of one session leaves the outcome open", async () => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const handle = await startReady(facebook, job);
    behave("videos_finish", "refuse", "1363041");
    expect((await failureFrom(facebook.publish(job, handle))).class).toBe("unanswered");
  });

  test.each([
    ["1363026", "content"],
    ["352", "content"],
    ["1363021", "transient"],
    ["999", "content"],
  ])("processing that failed with %s is %s, and nothing is out", async (code, expected) => {
    const job = world.job(video(world.media, "short.mp4", {}));
    const sent = await facebook.publish(job, await startReady(facebook, job));
    const handle = sent.state === "sent" ? sent.handle : {};
    behave("video", "refuse", code);
    const failed = await failureFrom(settle((current) => facebook.poll(job, current), handle));
    expect(failed).toMatchObject({ class: expected, code: `fb_${code}`, restart: true });
    expect(published()).toHaveLength(0);
    const verdict = facebook.reconcile(job, handle);
    if (expected === "content") expect((await failureFrom(verdict)).class).toBe("content");
    else expect(await verdict).toEqual({ state: "not_published" });
  });

  test("a video that is ready but not published yet is still awaited", async () => {
    const status = { video_status: "ready", publishing_phase: { status: "in_progress" } };
    const job = {
      ...world.job(video(world.media, "short.mp4", {})),
      fetch: async () => Response.json({ status, published: false }),
    };
    const handle = { kind: "video", videoId: "1", sessionId: "1", size: 1, first: { start: 0, end: 1 }, sent: true };
    expect((await facebook.poll(job, handle)).state).toBe("processing");
  });

  test("a media url that is gone is the customer's to mend", async () => {
    const failed = await failureFrom(facebook.start(world.job(video(world.media, "gone.mp4", {}))));
    expect(failed).toMatchObject({ class: "content", code: "media_unreachable" });
  });

  test.each([
    [
      { start_offset: "0", end_offset: "10" },
      { start: 0, end: 10 },
    ],
    [
      { start_offset: 5, end_offset: 10 },
      { start: 5, end: 10 },
    ],
    ['{"start_offset":"10","end_offset":"10"}', { start: 10, end: 10 }],
    [{ start_offset: "5", end_offset: "5" }, null],
    [{ start_offset: "0", end_offset: "11" }, null],
    [{ start_offset: "6", end_offset: "5" }, null],
    [{ start_offset: "x", end_offset: "5" }, null],
    ["nonsense", null],
    [undefined, null],
  ])("offsets %j of ten bytes", (source, expected) => {
    expect(windowOf(source, 10)).toEqual(expected);
  });

  test("only the documented host has one of its own for bytes", () => {
    expect(videoBase("https://graph.facebook.com")).toBe("https://graph-video.facebook.com");
    expect(videoBase("http://127.0.0.1:1/facebook")).toBe("http://127.0.0.1:1/facebook");
  });
});
