// Videos of Facebook pages: the resumable upload and its processing.
import { describe, expect, test } from "vitest";
import { facebook } from "../../lib/platforms/facebook/driver.ts";
import { readWindow } from "../../lib/platforms/facebook/upload.ts";
import { video } from "./content.ts";
import { expectFailure, pollUntilDone, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = { "short.mp4": 50_000, "long.mp4": 3 * 1024 * 1024 + 123 };

describe("facebook videos", () => {
  const setup = useTestNetwork(facebook, MEDIA);
  const { published, behave, callsOf } = setup;

  test("the bytes of a video go to the host of the API", async () => {
    const hosts: string[] = [];
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const network = { ...job.network, baseUrl: "https://graph.facebook.com" };
    const fetch = async (input: RequestInfo | URL) => {
      hosts.push(new URL(String(input)).host);
      return Response.json({}, { status: 500 });
    };
    await expectFailure(facebook.start({ ...job, network, fetch }));
    expect(hosts).toEqual(["graph.facebook.com"]);
  });

  test("a file of several chunks is uploaded unchanged, and the url is absolute", async () => {
    const settings = { url: "https://example.com/a" };
    const answer = await publishToEnd(facebook, setup.job(video(setup.media, "long.mp4", settings)));
    const [item] = published();
    expect(item?.caption).toBe("A clip\n\nhttps://example.com/a");
    expect(item?.media).toEqual([{ sha256: setup.media.sha256("long.mp4"), bytes: setup.media.bytes("long.mp4") }]);
    expect(callsOf("videos_transfer")).toBe(4);
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
  });

  test.each(["drop_before", "drop_after", "500"] as const)("a chunk with %s is made good at once", async (answer) => {
    behave("videos_transfer", answer);
    await publishToEnd(facebook, setup.job(video(setup.media, "long.mp4", {})));
    expect(published()[0]?.media[0]?.sha256).toBe(setup.media.sha256("long.mp4"));
  });

  test("an upload that keeps failing is a transient failure, and publishing again continues where it stopped", async () => {
    const job = setup.job(video(setup.media, "long.mp4", {}));
    const handle = await startUntilReady(facebook, job);
    behave("videos_transfer", "drop_after");
    setup.networks.addScript({ network: "facebook", call: "videos_transfer", answer: "drop_before", times: 3 });
    expect((await expectFailure(facebook.publish(job, handle))).class).toBe("transient");
    expect(published()).toHaveLength(0);
    expect(await facebook.reconcile(job, handle)).toEqual({ state: "not_published", handle });
    await fetch(`${setup.networks.url}/_log`, { method: "DELETE" });
    expect((await facebook.publish(job, handle)).state).toBe("sent");
    expect(callsOf("videos_transfer")).toBe(3);
    expect(published()[0]?.media[0]?.sha256).toBe(setup.media.sha256("long.mp4"));
  });

  test("publishing an already published post sends nothing", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await startUntilReady(facebook, job);
    await facebook.publish(job, handle);
    await facebook.publish(job, handle);
    expect(published()).toHaveLength(1);
    expect(callsOf("videos_finish")).toBe(1);
  });

  test("a session that Facebook closed is restarted", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await startUntilReady(facebook, job);
    const failed = await expectFailure(facebook.publish(job, { ...handle, videoId: "1", sessionId: "1" }));
    expect(failed).toMatchObject({ class: "transient", code: "upload_session_lost", restart: true });
  });

  test("a second finish request of one session leaves the outcome unknown", async () => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const handle = await startUntilReady(facebook, job);
    behave("videos_finish", "refuse", "1363041");
    expect((await expectFailure(facebook.publish(job, handle))).class).toBe("unanswered");
  });

  test.each([
    ["1363026", "content"],
    ["352", "content"],
    ["1363021", "transient"],
    ["999", "content"],
  ])("processing that failed with %s is %s, and nothing is published", async (code, expected) => {
    const job = setup.job(video(setup.media, "short.mp4", {}));
    const sent = await facebook.publish(job, await startUntilReady(facebook, job));
    const handle = sent.state === "sent" ? sent.handle : {};
    behave("video", "refuse", code);
    const failed = await expectFailure(pollUntilDone((current) => facebook.poll(job, current), handle));
    expect(failed).toMatchObject({ class: expected, code: `fb_${code}`, restart: true });
    expect(published()).toHaveLength(0);
    const verdict = facebook.reconcile(job, handle);
    if (expected === "content") expect((await expectFailure(verdict)).class).toBe("content");
    else expect(await verdict).toEqual({ state: "not_published" });
  });

  test("a video that is ready but not published yet is still processing", async () => {
    const status = { video_status: "ready", publishing_phase: { status: "in_progress" } };
    const job = {
      ...setup.job(video(setup.media, "short.mp4", {})),
      fetch: async () => Response.json({ status, published: false }),
    };
    const handle = { kind: "video", videoId: "1", sessionId: "1", size: 1, first: { start: 0, end: 1 }, sent: true };
    expect((await facebook.poll(job, handle)).state).toBe("processing");
  });

  test("a missing media url is a content failure", async () => {
    const failed = await expectFailure(facebook.start(setup.job(video(setup.media, "gone.mp4", {}))));
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
    expect(readWindow(source, 10)).toEqual(expected);
  });
});
