// LinkedIn: the driver contract, and what only LinkedIn has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { authorOf } from "../../lib/platforms/linkedin/content.ts";
import { linkedin } from "../../lib/platforms/linkedin/driver.ts";
import type { Content, Job, Media, MediaFile } from "../../lib/platforms/platform.ts";
import { driverContract, failureFrom, type Kind, openWorld, publishAll, startReady } from "./contract.ts";
import type { MediaHost } from "./media.ts";

const MIB = 1024 * 1024;
const MEDIA = { "short.mp4": 3 * MIB, "long.mp4": 9 * MIB + 77, "a.jpg": 4_000, "b.png": 5_000, "c.gif": 3_000 };

function file(url: string): MediaFile {
  return { url, mimeType: null, bytes: null, durationMs: null, width: null, height: null };
}

function post(caption: string, media: Media | null, settings: Record<string, unknown>): Content {
  return { caption, media, musicUrl: null, settings };
}

function images(media: MediaHost, names: string[]): Media {
  return { type: "slideshow", images: names.map((name) => file(media.url(name))) };
}

function video(media: MediaHost, name: string): Media {
  return { type: "video", video: file(media.url(name)) };
}

const known: Pick<Kind, "publishCall" | "lostAfter" | "lostBefore"> = {
  publishCall: "posts.create",
  lostAfter: "published",
  lostBefore: "not_published",
};

driverContract("linkedin", {
  driver: linkedin,
  kinds: [
    { name: "image", content: (media) => post("One view", images(media, ["a.jpg"]), {}), ...known },
    { name: "images", content: (media) => post("Two views", images(media, ["a.jpg", "b.png"]), {}), ...known },
    { name: "video", content: (media) => post("A day", video(media, "short.mp4"), {}), ...known },
    { name: "text", content: () => post("Only words", null, {}), ...known },
  ],
  media: MEDIA,
  refusals: { content: "INVALID_VALUE_FOR_FIELD", account: "ACCESS_DENIED" },
  startCall: "initializeUpload",
  refreshCall: "oauth/accessToken",
});

describe("linkedin posts", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().linkedin ?? [];
  beforeAll(async () => {
    world = await openWorld(linkedin, MEDIA, undefined);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
  });

  /** A job of another account, known to LinkedIn by this id. */
  function jobAs(externalId: string, content: Content, facts: Record<string, unknown>): Job {
    const accessToken = `token-of-${externalId}`;
    world.networks.register({ platform: "linkedin", externalId, accessToken, facts });
    return { ...world.job(content), connection: { accountId: "account", externalId, accessToken } };
  }

  test.each([
    ["8675309abc", "urn:li:person:8675309abc"],
    ["5515715", "urn:li:organization:5515715"],
    ["urn:li:person:99", "urn:li:person:99"],
    ["urn:li:organization:2414183", "urn:li:organization:2414183"],
  ])("the account %s posts as %s", async (externalId, author) => {
    const job = jobAs(externalId, post(`By ${externalId}`, images(world.media, ["a.jpg"]), {}), {});
    expect(authorOf(job)).toBe(author);
    const answer = await publishAll(linkedin, job);
    const [item] = published();
    expect(item).toMatchObject({ account: externalId, settings: { author, visibility: "PUBLIC" } });
    expect(answer).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
    expect(answer.url).toMatch(/^https:\/\/www\.linkedin\.com\/feed\/update\/urn:li:share:\d+\/$/);
  });

  test("a video of several parts arrives byte for byte, whatever the order in which they are named", async () => {
    await publishAll(linkedin, world.job(post("Long", video(world.media, "long.mp4"), {})));
    expect(published()[0]).toMatchObject({
      kind: "video",
      media: [{ sha256: world.media.sha256("long.mp4"), bytes: world.media.bytes("long.mp4") }],
    });
    const parts = world.networks.log().filter((entry) => entry.call === "upload");
    expect(parts.slice(-3).map(({ path }) => path.at(-1))).toEqual(["0", "1", "2"]);
  });

  test("images go out in their order", async () => {
    await publishAll(linkedin, world.job(post("Three", images(world.media, ["b.png", "c.gif", "a.jpg"]), {})));
    expect(published()[0]).toMatchObject({ kind: "multi_image" });
    const hashes = ["b.png", "c.gif", "a.jpg"].map((name) => world.media.sha256(name));
    expect(published()[0]?.media.map(({ sha256 }) => sha256)).toEqual(hashes);
  });

  test("20 images go out, 21 are refused before anything is uploaded", async () => {
    const many = (count: number) => post(`${count}`, images(world.media, Array(count).fill("a.jpg")), {});
    await publishAll(linkedin, world.job(many(20)));
    expect(published()[0]?.media).toHaveLength(20);
    const before = world.networks.log().length;
    const failed = await failureFrom(linkedin.start(world.job(many(21))));
    expect(failed).toMatchObject({ class: "content", code: "too_many_images" });
    expect(world.networks.log()).toHaveLength(before);
  });

  test("people may post for their connections, pages may not", async () => {
    const content = post("For friends", null, { visibility: "CONNECTIONS" });
    await publishAll(linkedin, jobAs("urn:li:person:friendly", content, {}));
    expect(published()[0]?.settings.visibility).toBe("CONNECTIONS");
    const failed = await failureFrom(linkedin.start(jobAs("77", content, {})));
    expect(failed).toMatchObject({ class: "content", code: "visibility_not_offered" });
  });

  test("people may post ten minutes of video, pages more", async () => {
    const lasting = (durationMs: number) => {
      const source = { ...file(world.media.url("short.mp4")), durationMs };
      return post("Long talk", { type: "video", video: source }, {});
    };
    const failed = await failureFrom(linkedin.start(jobAs("urn:li:person:talker", lasting(600_001), {})));
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
    ["NONEXISTENT_VERSION", "content"],
    ["SOMETHING_NEW", "content"],
  ])("the refusal %s is %s, and nothing is out", async (code, expected) => {
    world.networks.behave({ network: "linkedin", call: "posts.create", answer: "refuse", code });
    const job = world.job(post("Refused", null, {}));
    const failed = await failureFrom(linkedin.publish(job, await startReady(linkedin, job)));
    expect(failed).toMatchObject({ class: expected, code });
    expect(failed.message).toMatch(/\w.*\.$/);
    expect(published()).toHaveLength(0);
  });

  test.each(["a.jpg", "short.mp4"])("%s that can not be processed ends the attempt", async (name) => {
    world.networks.behave({ network: "linkedin", answer: "refuse", code: "PROCESSING_FAILED" });
    const media = name.endsWith(".mp4") ? video(world.media, name) : images(world.media, [name]);
    const failed = await failureFrom(startReady(linkedin, world.job(post("Broken", media, {}))));
    expect(failed).toMatchObject({ class: "content", code: "PROCESSING_FAILED", restart: true });
  });

  test("media that is not ready is waited for, whichever of them it is", async () => {
    const job = world.job(post("Waiting", null, {}));
    const handle = { media: ["urn:li:image:1", "urn:li:image:2"], startedAt: 0 };
    const poll = (status: string) => {
      const answer = (url: string) => Response.json({ status: url.endsWith("2") ? status : "AVAILABLE" });
      return linkedin.poll({ ...job, fetch: async (input) => answer(String(input)) }, handle);
    };
    expect(await poll("WAITING_UPLOAD")).toEqual({ state: "processing", afterMs: 3_000 });
    expect(await poll("PROCESSING")).toEqual({ state: "processing", afterMs: 3_000 });
    expect(await poll("AVAILABLE")).toEqual({ state: "ready" });
  });

  test("the 151st post of a day is put off", async () => {
    const job = jobAs("151", post("Too often", null, {}), { postsPerDay: 0 });
    const failed = await failureFrom(linkedin.publish(job, await linkedin.start(job)));
    // LinkedIn does not say when its day ends.
    expect(failed).toMatchObject({ class: "rate_limited", retryAt: undefined });
  });
});

describe("linkedin after a lost answer", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const published = () => world.networks.published().linkedin ?? [];
  const words = () => world.job(post("Said once", null, {}));
  beforeAll(async () => {
    world = await openWorld(linkedin, MEDIA, undefined);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await fetch(`${world.networks.url}/_published`, { method: "DELETE" });
    await fetch(`${world.networks.url}/_behave`, { method: "DELETE" });
  });

  async function publishedUnheard(job: Job) {
    const handle = await startReady(linkedin, job);
    world.networks.behave({ network: "linkedin", call: "posts.create", answer: "drop_after" });
    expect((await failureFrom(linkedin.publish(job, handle))).class).toBe("unanswered");
    return handle;
  }
  const scripted = (call: string, answer: "refuse" | "500", code: string) =>
    world.networks.behave({ network: "linkedin", call, answer, code });

  test("the post is found among the author's, with its id", async () => {
    const job = words();
    const handle = await publishedUnheard(job);
    const [item] = published();
    expect(await linkedin.reconcile(job, handle)).toEqual({
      state: "published",
      platformPostId: item?.id,
      url: item?.url,
    });
  });

  test("nobody else's post is taken for it: other words, other media, or an older one", async () => {
    const job = words();
    await publishAll(linkedin, job);
    const handle = await linkedin.start(job);
    const asked = (content: Content, more: object) => linkedin.reconcile(world.job(content), { ...handle, ...more });
    expect((await asked(job.content, {})).state).toBe("published");
    expect((await asked(post("Said twice", null, {}), {})).state).toBe("not_published");
    expect((await asked(job.content, { media: ["urn:li:image:other"] })).state).toBe("not_published");
    expect((await asked(job.content, { startedAt: Date.now() + 120_000 })).state).toBe("not_published");
  });

  test.each(["ACCESS_DENIED", "NOT_FOUND", "NONEXISTENT_VERSION"])(
    "a list refused with %s can not tell",
    async (code) => {
      const job = words();
      const handle = await publishedUnheard(job);
      scripted("posts.find", "refuse", code);
      expect(await linkedin.reconcile(job, handle)).toEqual({ state: "cannot_tell" });
    },
  );

  test("a question that fails is no verdict", async () => {
    const job = words();
    const handle = await publishedUnheard(job);
    scripted("posts.find", "500", "");
    expect((await failureFrom(linkedin.reconcile(job, handle))).class).toBe("transient");
    scripted("posts.find", "refuse", "EXPIRED_ACCESS_TOKEN");
    expect((await failureFrom(linkedin.reconcile(job, handle))).class).toBe("auth");
  });

  test("going on from a doubted handle, LinkedIn's duplicate refusal names our own post", async () => {
    const job = words();
    const handle = await publishedUnheard(job);
    const again = await linkedin.publish(job, { ...handle, doubted: true });
    expect(again).toMatchObject({ state: "published", platformPostId: published()[0]?.id });
    expect(published()).toHaveLength(1);
  });

  test("a duplicate without a doubt is the customer's own earlier post", async () => {
    const job = words();
    await publishAll(linkedin, job);
    const failed = await failureFrom(linkedin.publish(job, await linkedin.start(job)));
    expect(failed).toMatchObject({ class: "content", code: "DUPLICATE_POST" });
    const old = { ...(await linkedin.start(job)), startedAt: Date.now() + 120_000, doubted: true };
    expect(await failureFrom(linkedin.publish(job, old))).toMatchObject({ class: "content", code: "DUPLICATE_POST" });
    expect(published()).toHaveLength(1);
  });

  test("a duplicate that LinkedIn does not show is for a person to look at; no answer leaves it open", async () => {
    const job = words();
    const handle = { ...(await publishedUnheard(job)), doubted: true };
    scripted("posts.get", "refuse", "NOT_FOUND");
    const failed = await failureFrom(linkedin.publish(job, handle));
    expect(failed).toMatchObject({ class: "content", code: "DUPLICATE_POST" });
    expect(failed.message).toMatch(/Look at the account/);
    scripted("posts.get", "500", "");
    expect((await failureFrom(linkedin.publish(job, handle))).class).toBe("unanswered");
  });
});

describe("linkedin tokens", () => {
  test("only a dead grant costs the connection, and no refresh token is lost", async () => {
    const world = await openWorld(linkedin, MEDIA, undefined);
    const tokens = { accessToken: "a", refreshToken: world.account.refreshToken ?? null };
    const io = world.job(post("x", null, {}));
    const failed = await failureFrom(linkedin.refresh({ ...world.config, clientSecret: "" }, tokens, io));
    expect(failed).toMatchObject({ class: "transient", code: "invalid_client" });
    const none = linkedin.refresh(world.config, { ...tokens, refreshToken: null }, io);
    expect((await failureFrom(none)).class).toBe("auth");
    expect((await linkedin.refresh(world.config, tokens, io)).refreshToken).toBe(tokens.refreshToken);
    await world.close();
  });
});
