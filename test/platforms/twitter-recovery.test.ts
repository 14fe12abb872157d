// X after a lost response: what is found on the timeline, and what leaves the outcome unknown.
import { describe, expect, test } from "vitest";
import { twitter } from "../../lib/platforms/twitter/driver.ts";
import { file, images, text } from "./content.ts";
import { expectFailure, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = { "a.jpg": 4_000 };

describe("x after a lost response", () => {
  const setup = useTestNetwork(twitter, MEDIA);
  const { published } = setup;

  test.each([
    "Just text",
    "Signs: 1 < 2 & 3 > 2",
    "A link https://example.com/a?b=1&c=2 and example.org",
    "Two\n\nlines and 👨‍👩‍👧‍👦",
  ])("a post with a lost response is found on the timeline by its text: %j", async (caption) => {
    await publishToEnd(twitter, setup.job(text("Another one", {})));
    const job = setup.job(text(caption, {}));
    const handle = await startUntilReady(twitter, job);
    setup.networks.addScript({ network: "twitter", call: "tweets", answer: "drop_after" });
    await expectFailure(twitter.publish(job, handle));
    const item = published().find((one) => one.caption === caption);
    const found = await twitter.reconcile(job, handle);
    expect(found).toEqual({ state: "published", platformPostId: item?.id, url: item?.url });
  });

  test("with media the text does not match posts: the same text with other media is another post", async () => {
    const content = images(setup.media, ["a.jpg"], {}, { mimeType: "image/jpeg" });
    await publishToEnd(twitter, setup.job(content));
    const job = setup.job(content);
    const handle = await startUntilReady(twitter, job);
    expect(await twitter.reconcile(job, handle)).toEqual({ state: "not_published" });
  });

  // A post would be sent twice if X ignored `post.fields`, which no prose page of X names yet.
  test.each([
    ["text", text("Sent once", {}), "published"],
    ["a link", text("See https://example.com/a", {}), "cannot_tell"],
    [
      "an image",
      { ...text("Pictures"), media: { type: "slideshow" as const, images: [file("https://a.example/a.jpg")] } },
      "cannot_tell",
    ],
    ["a text that is not there", text("Not sent", {}), "cannot_tell"],
  ])("posts without the fields that were asked for prove nothing: %s", async (what, content, state) => {
    const account = { ...setup.account, externalId: "501", accessToken: "plain", facts: { plainTimeline: true } };
    setup.networks.register(account);
    const job = { ...setup.job(content), connection: { ...account, accountId: "x" } };
    const handle = { mediaIds: content.media ? ["1"] : [], pending: [], startedAt: Date.now() };
    const sent = what.startsWith("a text") ? text("Other", {}) : { ...content, media: null };
    await twitter.publish({ ...job, content: sent }, { ...handle, mediaIds: [] });
    expect(await twitter.reconcile(job, handle)).toMatchObject({ state });
  });

  test.each([
    [[], "not_published"],
    [[{ id: "1", text: "Other", created_at: "2026-11-28T00:00:00.000Z" }], "not_published"],
    [[{ id: "1", text: "Other" }], "cannot_tell"],
    [[{ id: "1", text: "Other", created_at: null }], "cannot_tell"],
    [
      [
        { id: "1", text: "Other", created_at: "2026-11-28T00:00:00.000Z" },
        { id: "2", text: "One more" },
      ],
      "cannot_tell",
    ],
    [
      [
        { id: "1", text: "Other" },
        { id: "2", text: "Ours" },
      ],
      "published",
    ],
  ])("a timeline of %j says %s", async (data, state) => {
    const job = setup.job(text("Ours", {}));
    const timeline = async () => Response.json({ data, meta: {} });
    const handle = { mediaIds: [], pending: [], startedAt: Date.now() };
    expect(await twitter.reconcile({ ...job, fetch: timeline }, handle)).toMatchObject({ state });
  });

  test("an older post with the same text does not match", async () => {
    await publishToEnd(twitter, setup.job(text("Good morning", {})));
    const job = setup.job(text("Good morning", {}));
    job.advance(60_000);
    const handle = await startUntilReady(twitter, job);
    expect(await twitter.reconcile(job, handle)).toEqual({ state: "not_published" });
  });

  test("a post on the second page of the timeline is found", async () => {
    const job = setup.job(text("The first of many", {}));
    const handle = await startUntilReady(twitter, job);
    await twitter.publish(job, handle);
    const ours = published().find((one) => one.caption === "The first of many");
    for (let turn = 0; turn < 105; turn++) await twitter.publish(setup.job(text(`Post ${turn}`, {})), handle);
    expect(await twitter.reconcile(job, handle)).toMatchObject({ state: "published", platformPostId: ours?.id });
  });

  test("a timeline with too many pages leaves the outcome unknown", async () => {
    const job = setup.job(text("Among too many", {}));
    const handle = await startUntilReady(twitter, job);
    const endless = async () => Response.json({ data: [{ id: "1", text: "Other" }], meta: { next_token: "more" } });
    expect(await twitter.reconcile({ ...job, fetch: endless }, handle)).toEqual({ state: "cannot_tell" });
  });

  test("an account that cannot be read leaves the outcome unknown", async () => {
    const job = setup.job(text("Whose", {}));
    const handle = await startUntilReady(twitter, job);
    const connection = { ...job.connection, externalId: "1" };
    expect(await twitter.reconcile({ ...job, connection }, handle)).toEqual({ state: "cannot_tell" });
    const accessToken = "dead";
    const signedOut = twitter.reconcile({ ...job, connection: { ...job.connection, accessToken } }, handle);
    expect((await expectFailure(signedOut)).class).toBe("auth");
  });
});
