// LinkedIn: the driver contract, and tests specific to LinkedIn.
import { describe, expect, test } from "vitest";
import { getAuthor } from "../../lib/platforms/linkedin/content.ts";
import { linkedin } from "../../lib/platforms/linkedin/driver.ts";
import type { Content, Job } from "../../lib/platforms/platform.ts";
import { file, images, text, video } from "./content.ts";
import { type ContentCase, driverContract } from "./contract.ts";
import { expectFailure, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { expectResent, expectRestarted, expectResumed } from "./resumed-upload.ts";
import { openTestNetwork, useTestNetwork } from "./test-network.ts";

const MIB = 1024 * 1024;
const MEDIA = { "short.mp4": 3 * MIB, "long.mp4": 9 * MIB + 77, "a.jpg": 4_000, "b.png": 5_000, "c.gif": 3_000 };

const known: Pick<ContentCase, "publishCall" | "lostAfter" | "lostBefore"> = {
  publishCall: "posts.create",
  lostAfter: "published",
  lostBefore: "not_published",
};

driverContract("linkedin", {
  driver: linkedin,
  kinds: [
    { name: "image", content: (media) => images(media, ["a.jpg"]), ...known },
    { name: "images", content: (media) => images(media, ["a.jpg", "b.png"]), ...known },
    { name: "video", content: (media) => video(media, "short.mp4"), ...known },
    { name: "text", content: () => text("Only text"), ...known },
  ],
  media: MEDIA,
  errorCodes: { content: "INVALID_VALUE_FOR_FIELD", account: "ACCESS_DENIED" },
  startCall: "initializeUpload",
  refreshCall: "oauth/accessToken",
});

describe("linkedin posts", () => {
  const setup = useTestNetwork(linkedin, MEDIA);
  const { published } = setup;

  /** A job of another account with this id at LinkedIn. */
  function jobAs(externalId: string, content: Content, facts: Record<string, unknown>) {
    const accessToken = `token-of-${externalId}`;
    setup.networks.register({ platform: "linkedin", externalId, accessToken, facts });
    return { ...setup.job(content), connection: { accountId: "account", externalId, accessToken } };
  }

  test.each([
    ["8675309abc", "urn:li:person:8675309abc"],
    ["5515715", "urn:li:organization:5515715"],
    ["urn:li:person:99", "urn:li:person:99"],
    ["urn:li:organization:2414183", "urn:li:organization:2414183"],
  ])("the account %s posts as %s", async (externalId, author) => {
    const job = jobAs(externalId, images(setup.media, ["a.jpg"]), {});
    expect(getAuthor(job)).toBe(author);
    const answer = await publishToEnd(linkedin, job);
    const [item] = published();
    expect(item).toMatchObject({ account: externalId, settings: { author, visibility: "PUBLIC" } });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toMatch(/^https:\/\/www\.linkedin\.com\/feed\/update\/urn:li:share:\d+\/$/);
  });

  const asMember = (content: Content) => jobAs("urn:li:person:reader", content, {});

  test.each([
    ["image", (): Content => images(setup.media, ["a.jpg"])],
    ["images", (): Content => images(setup.media, ["a.jpg", "b.png"])],
  ])("%s of a member, whose status LinkedIn does not tell, is ready 10 s after its upload", async (_what, content) => {
    const job = asMember(content());
    const handle = await linkedin.start(job);
    const uploadedAt = Number(handle.uploadedAt);
    const pollAt = (ms: number) => linkedin.poll({ ...job, now: () => new Date(uploadedAt + ms) }, handle);
    expect(await pollAt(0)).toEqual({ state: "processing", afterMs: 10_000 });
    expect(await pollAt(9_999)).toEqual({ state: "processing", afterMs: 1 });
    expect(await pollAt(10_000)).toEqual({ state: "ready" });
    expect(setup.networks.log().at(-1)).toMatchObject({ call: "assets.get", status: 403 });
    await publishToEnd(linkedin, job);
    expect(published()).toHaveLength(1);
  });

  test("an image of a member that LinkedIn has not processed after 10 s is published by a later try", async () => {
    const job = asMember(images(setup.media, ["a.jpg"]));
    const handle = await startUntilReady(linkedin, job);
    const answer = { network: "linkedin" as const, call: "posts.create", answer: "refuse" as const };
    setup.networks.addScript({ ...answer, code: "MEDIA_ASSET_WAITING_UPLOAD" });
    const failed = await expectFailure(linkedin.publish(job, handle));
    expect(failed).toMatchObject({ class: "transient", code: "MEDIA_ASSET_WAITING_UPLOAD" });
    expect(failed.restart).toBeUndefined();
    expect(await linkedin.publish(job, handle)).toMatchObject({ state: "published" });
  });

  test.each([
    ["a video of a member", 403, (): Job => asMember(video(setup.media, "short.mp4"))],
    ["an image of a page", 403, (): Job => jobAs("4711", images(setup.media, ["a.jpg"]), {})],
    ["an image of a member", 401, (): Job => asMember(images(setup.media, ["a.jpg"]))],
  ])("%s whose status is answered with %i ends the attempt", async (what, status, toJob) => {
    const urn = what.includes("video") ? "urn:li:video:1" : "urn:li:image:1";
    const job = { ...toJob(), fetch: async () => Response.json({ status }, { status }) };
    const failed = await expectFailure(linkedin.poll(job, { media: [urn], startedAt: 0 }));
    expect(failed.class).toBe(status === 403 ? "account" : "auth");
  });

  test("a video of several parts is uploaded unchanged, regardless of the order of the instructions", async () => {
    await publishToEnd(linkedin, setup.job(video(setup.media, "long.mp4")));
    expect(published()[0]).toMatchObject({
      kind: "video",
      media: [{ sha256: setup.media.sha256("long.mp4"), bytes: setup.media.bytes("long.mp4") }],
    });
    const parts = setup.networks.log().filter((entry) => entry.call === "upload");
    expect(parts.slice(-3).map(({ path }) => path.at(-1))).toEqual(["0", "1", "2"]);
  });

  test("an interrupted video continues after the parts that LinkedIn has, and begins again when their URLs expire", async () => {
    const content = video(setup.media, "long.mp4");
    const upload = { driver: linkedin, setup, content, partCall: "upload", parts: 3 };
    await expectResumed(upload);
    expect(published()[0]?.media[0]?.sha256).toBe(setup.media.sha256("long.mp4"));
    await expectResent(upload);
    const forget = () => setup.networks.addScript({ network: "linkedin", call: "upload", answer: "refuse" });
    await expectRestarted(upload, 3_600_000, forget);
  });

  test("images keep their order", async () => {
    await publishToEnd(linkedin, setup.job(images(setup.media, ["b.png", "c.gif", "a.jpg"])));
    expect(published()[0]).toMatchObject({ kind: "multi_image" });
    const hashes = ["b.png", "c.gif", "a.jpg"].map((name) => setup.media.sha256(name));
    expect(published()[0]?.media.map(({ sha256 }) => sha256)).toEqual(hashes);
  });

  test("20 images are published, 21 are rejected before anything is uploaded", async () => {
    const many = (count: number) => images(setup.media, Array(count).fill("a.jpg"));
    await publishToEnd(linkedin, setup.job(many(20)));
    expect(published()[0]?.media).toHaveLength(20);
    const before = setup.networks.log().length;
    const failed = await expectFailure(linkedin.start(setup.job(many(21))));
    expect(failed).toMatchObject({ class: "content", code: "too_many_images" });
    expect(setup.networks.log()).toHaveLength(before);
  });

  test("members can post to their connections, pages cannot", async () => {
    const content = text("For friends", { visibility: "CONNECTIONS" });
    await publishToEnd(linkedin, jobAs("urn:li:person:friendly", content, {}));
    expect(published()[0]?.settings.visibility).toBe("CONNECTIONS");
    const failed = await expectFailure(linkedin.start(jobAs("77", content, {})));
    expect(failed).toMatchObject({ class: "content", code: "visibility_not_offered" });
  });

  test("a cover that LinkedIn does not take is left out: the upload begins again without one", async () => {
    const job = setup.job({
      ...video(setup.media, "short.mp4"),
      cover: { image: file(setup.media.url("a.jpg")) },
    });
    const put = (input: RequestInfo | URL, init?: RequestInit) =>
      String(input).includes("/thumbnail") ? Promise.resolve(new Response("", { status: 400 })) : fetch(input, init);
    const { warnings } = await publishToEnd(linkedin, { ...job, fetch: put });
    expect(warnings).toMatchObject([{ code: "cover_not_set" }]);
    expect(published()).toMatchObject([{ kind: "video", settings: {} }]);
    expect(published()[0]?.settings.cover).toBeUndefined();
  });

  test("members can post ten minutes of video, pages more", async () => {
    const lasting = (durationMs: number) => {
      const source = { ...file(setup.media.url("short.mp4")), durationMs };
      return { ...text("Long talk"), media: { type: "video" as const, video: source } };
    };
    const failed = await expectFailure(linkedin.start(jobAs("urn:li:person:talker", lasting(600_001), {})));
    expect(failed).toMatchObject({ class: "content", code: "video_too_long" });
    await linkedin.start(jobAs("urn:li:person:talker", lasting(600_000), {}));
    await linkedin.start(jobAs("78", lasting(600_001), {}));
  });

  test.each([
    ["EMPTY_ACCESS_TOKEN", "auth"],
    ["INVALID_ACCESS_TOKEN", "auth"],
    ["EXPIRED_ACCESS_TOKEN", "auth"],
    ["REVOKED_ACCESS_TOKEN", "auth"],
    ["ACCESS_DENIED", "account"],
    ["MEMBER_RESTRICTED", "account"],
    ["DUPLICATE_POST", "content"],
    ["FIELD_LENGTH_TOO_LONG", "content"],
    ["INVALID_VALUE_FOR_FIELD", "content"],
    ["MISSING_REQUIRED_FIELD", "content"],
    ["MEDIA_ASSET_WAITING_UPLOAD", "transient"],
    ["MEDIA_ASSET_PROCESSING_FAILED", "content"],
    ["NONEXISTENT_VERSION", "transient"],
    ["VERSION_MISSING", "transient"],
    ["SOMETHING_NEW", "content"],
  ])("the error %s is %s, and nothing is published", async (code, expected) => {
    setup.networks.addScript({ network: "linkedin", call: "posts.create", answer: "refuse", code });
    const job = setup.job(text("Rejected"));
    const failed = await expectFailure(linkedin.publish(job, await startUntilReady(linkedin, job)));
    expect(failed).toMatchObject({ class: expected, code });
    expect(failed.message).toMatch(/\w.*\.$/);
    expect(published()).toHaveLength(0);
  });

  test.each(["a.jpg", "short.mp4"])("%s that cannot be processed ends the attempt", async (name) => {
    setup.networks.addScript({ network: "linkedin", answer: "refuse", code: "PROCESSING_FAILED" });
    const media = name.endsWith(".mp4") ? video(setup.media, name) : images(setup.media, [name]);
    const failed = await expectFailure(startUntilReady(linkedin, setup.job(media)));
    expect(failed).toMatchObject({ class: "content", code: "PROCESSING_FAILED", restart: true });
  });

  test("polling continues until every media asset is ready", async () => {
    const job = setup.job(text("Waiting"));
    const handle = { media: ["urn:li:image:1", "urn:li:image:2"], startedAt: 0 };
    const poll = (status: string) => {
      const answer = (url: string) => Response.json({ status: url.endsWith("2") ? status : "AVAILABLE" });
      return linkedin.poll({ ...job, fetch: async (input) => answer(String(input)) }, handle);
    };
    expect(await poll("WAITING_UPLOAD")).toMatchObject({ state: "processing", afterMs: 2_000, handle: { polls: 1 } });
    expect(await poll("PROCESSING")).toMatchObject({ state: "processing", afterMs: 2_000 });
    expect(await poll("AVAILABLE")).toEqual({ state: "ready" });
  });

  test.each(["202609", "202410"])(
    "the version %s that LinkedIn does not support is the operator's fault",
    async (apiVersion) => {
      const job = setup.job(text("Too old"));
      const network = { ...job.network, apiVersion };
      const failed = await expectFailure(linkedin.publish({ ...job, network }, await linkedin.start(job)));
      expect(failed).toMatchObject({ class: "transient", code: "NONEXISTENT_VERSION", operator: true });
      expect(published()).toHaveLength(0);
    },
  );

  test("an activity that LinkedIn cannot obtain is tried three times", async () => {
    const job = setup.job(text("Later"));
    const answer = Response.json({ status: 400, message: "Unable to obtain activity" }, { status: 400 });
    const failed = await expectFailure(
      linkedin.publish({ ...job, fetch: async () => answer }, await linkedin.start(job)),
    );
    expect(failed).toMatchObject({ class: "transient", tries: 3 });
  });

  test("the 151st post of a day is rate limited", async () => {
    const job = jobAs("151", text("Too often"), { postsPerDay: 0 });
    const failed = await expectFailure(linkedin.publish(job, await linkedin.start(job)));
    // LinkedIn does not report the reset time.
    expect(failed).toMatchObject({ class: "rate_limited", retryAt: undefined });
  });
});

describe("linkedin tokens", () => {
  test("only a revoked grant disconnects the account, and no refresh token is lost", async () => {
    const setup = await openTestNetwork(linkedin, MEDIA);
    const tokens = { accessToken: "a", refreshToken: setup.account.refreshToken ?? null };
    const io = setup.job(text("x"));
    const failed = await expectFailure(linkedin.refresh({ ...setup.config, clientSecret: "" }, tokens, io));
    expect(failed).toMatchObject({ class: "transient", code: "invalid_client" });
    const none = linkedin.refresh(setup.config, { ...tokens, refreshToken: null }, io);
    expect((await expectFailure(none)).class).toBe("auth");
    expect((await linkedin.refresh(setup.config, tokens, io)).refreshToken).toBe(tokens.refreshToken);
    await setup.close();
  });
});
