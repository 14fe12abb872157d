// YouTube videos that come out with less than was asked for: the post is published, and says what is missing.
import { describe, expect, test } from "vitest";
import { youtube } from "../../lib/platforms/youtube/driver.ts";
import { video as clip } from "./content.ts";
import { expectFailure, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = {
  ...{ "short.mp4": 3_000, "thumb.jpg": 4_000, "over2mib.png": 2 * 1024 * 1024 + 1 },
  ...{ "most.png": 50_000_000, "huge.png": 50_000_001, "empty.png": 0 },
};

const setup = useTestNetwork(youtube, MEDIA);
const { published } = setup;
const video = (settings: Record<string, unknown>) => ({
  ...clip(setup.media, "short.mp4", settings),
  caption: "At sea",
});
const withThumbnail = (name: string) => video({ thumbnail: { path: `${setup.media.url("")}${name}` } });

// 50 MB: https://developers.google.com/youtube/v3/docs/thumbnails/set, read 2026-11-28.
describe("thumbnails", () => {
  test.each(["thumb.jpg", "over2mib.png", "most.png"])("%s is set", async (name) => {
    const result = await publishToEnd(youtube, setup.job(withThumbnail(name)));
    expect(result).not.toHaveProperty("warnings");
    expect(published()[0]?.settings.thumbnail).toBe(setup.media.sha256(name));
  });

  test.each([
    ["huge.png", "It has 50000001 bytes, but YouTube allows at most 50000000."],
    ["gone.png", "The media URL returns HTTP 404."],
    ["empty.png", "The media URL"],
  ])("%s does not stop the video, which says why it has none", async (name, why) => {
    const result = await publishToEnd(youtube, setup.job(withThumbnail(name)));
    expect(result.state).toBe("published");
    expect(result.warnings).toMatchObject([{ code: "thumbnail_not_set" }]);
    expect(result.warnings?.[0]?.message).toContain(why);
    expect(result.warnings?.[0]).not.toHaveProperty("operator");
    expect(published()[0]?.settings).not.toHaveProperty("thumbnail");
  });

  test.each(["forbidden", "invalidImage", "mediaBodyRequired", "quotaExceeded"])(
    "a thumbnail that YouTube rejects with %s becomes a warning with the way out",
    async (code) => {
      setup.networks.addScript({ network: "youtube", call: "thumbnails.set", answer: "refuse", code });
      const { warnings } = await publishToEnd(youtube, setup.job(withThumbnail("thumb.jpg")));
      expect(warnings).toMatchObject([{ code: "thumbnail_not_set" }]);
      expect(warnings?.[0]?.message).toMatch(/Set it in YouTube Studio/);
      expect(warnings?.[0]?.message).not.toMatch(/retry the post|quota/i);
    },
  );

  test("an error that passes is tried again", async () => {
    setup.networks.addScript({ network: "youtube", call: "thumbnails.set", answer: "500", times: 2 });
    expect(await publishToEnd(youtube, setup.job(withThumbnail("thumb.jpg")))).not.toHaveProperty("warnings");
    expect(published()[0]?.settings.thumbnail).toBe(setup.media.sha256("thumb.jpg"));
  });

  test("a video whose response was lost says that its thumbnail is missing", async () => {
    const job = setup.job(withThumbnail("thumb.jpg"));
    const handle = await startUntilReady(youtube, job);
    setup.networks.addScript({ network: "youtube", call: "upload", answer: "drop_after" });
    await expectFailure(youtube.publish(job, handle));
    let state = await youtube.reconcile(job, handle);
    for (; state.state === "processing"; ) state = await youtube.reconcile(job, state.handle ?? handle);
    expect(state).toMatchObject({ state: "published", warnings: [{ code: "thumbnail_not_set" }] });
  });
});

// https://developers.google.com/youtube/v3/revision_history (2026-11-02), read 2026-11-28.
describe("visibility", () => {
  test.each([
    ["public", "private", true],
    ["unlisted", "private", true],
    ["private", "private", false],
    ["public", "unlisted", true],
    ["public", "public", false],
    ["unlisted", "public", false],
    ["private", "public", false],
    ["public", undefined, false],
    ["public", "members", false],
  ])("asked %s and got %s: warned %s", async (privacy, privacyStatus, isWarned) => {
    const answer = async () => Response.json({ items: [{ status: { uploadStatus: "processed", privacyStatus } }] });
    const job = { ...setup.job(video({ privacy })), fetch: answer };
    const result = await youtube.poll(job, { sessionUrl: "", size: 1, videoId: "v1" });
    if (!isWarned) return expect(result).not.toHaveProperty("warnings");
    const [warning] = ("warnings" in result && result.warnings) || [];
    expect(warning).toMatchObject({ code: "visibility_reduced" });
    expect(warning).not.toHaveProperty("operator");
    expect(warning?.message).toContain(`was to be ${privacy}, but YouTube has made it ${privacyStatus}`);
  });

  test("a channel whose uploads are private: the video is out, and the customer is told", async () => {
    const account = { ...setup.account, externalId: "u1", accessToken: "hidden", facts: { privateUploads: true } };
    setup.networks.register(account);
    const result = await publishToEnd(youtube, {
      ...setup.job(video({ type: "unlisted" })),
      connection: { ...account, accountId: "y" },
    });
    expect(result.warnings).toMatchObject([{ code: "visibility_reduced" }]);
    expect(result.warnings?.[0]?.message).toMatch(/settings of the channel/);
  });
});

describe("a video that YouTube does not list", () => {
  const handle = { sessionUrl: "", size: 1, videoId: "v1" };
  const list = (items: unknown) => async () => Response.json(items === undefined ? {} : { items });

  test("is awaited for fifteen minutes, then was deleted", async () => {
    const job = { ...setup.job(video({})), fetch: list([]) };
    const first = await youtube.poll(job, handle);
    expect(first).toMatchObject({ state: "processing" });
    const waiting = "handle" in first ? (first.handle ?? handle) : handle;
    const at = (ms: number) => ({ ...job, now: () => new Date(Date.now() + ms) });
    expect(await youtube.poll(at(14 * 60_000), waiting)).toMatchObject({ state: "processing" });
    const failed = await expectFailure(youtube.poll(at(15 * 60_000), waiting));
    expect(failed).toMatchObject({ class: "account", code: "deleted", restart: true });
  });

  test("counts anew once it was listed", async () => {
    const job = setup.job(video({}));
    const old = { ...handle, missingSince: Date.now() - 14 * 60_000 };
    const listed = await youtube.poll({ ...job, fetch: list([{ status: { uploadStatus: "uploaded" } }]) }, old);
    expect(listed).toMatchObject({ state: "processing" });
    expect("handle" in listed && listed.handle).not.toHaveProperty("missingSince");
  });

  test.each([[undefined], [null], ["none"]])("a response with items %j proves nothing", async (items) => {
    const old = { ...handle, missingSince: 0 };
    const polled = await youtube.poll({ ...setup.job(video({})), fetch: list(items) }, old);
    expect(polled).toMatchObject({ state: "processing" });
  });
});
