// LinkedIn after a lost response: what is found among the posts of the author, and what leaves the outcome unknown.
import { describe, expect, test } from "vitest";
import { linkedin } from "../../lib/platforms/linkedin/driver.ts";
import type { Content, Job } from "../../lib/platforms/platform.ts";
import { text } from "./content.ts";
import { expectFailure, publishToEnd, startUntilReady } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = { "a.jpg": 4_000 };

describe("linkedin after a lost response", () => {
  const setup = useTestNetwork(linkedin, MEDIA);
  const { published } = setup;
  const createTextJob = () => setup.job(text("Posted once"));

  async function publishedUnheard(job: Job) {
    const handle = await startUntilReady(linkedin, job);
    setup.networks.addScript({ network: "linkedin", call: "posts.create", answer: "drop_after" });
    expect((await expectFailure(linkedin.publish(job, handle))).class).toBe("unanswered");
    return handle;
  }
  const scripted = (call: string, answer: "refuse" | "500", code: string) =>
    setup.networks.addScript({ network: "linkedin", call, answer, code });

  test("the post is found in the author's posts, with its id", async () => {
    const job = createTextJob();
    const handle = await publishedUnheard(job);
    const [item] = published();
    expect(await linkedin.reconcile(job, handle)).toEqual({
      state: "published",
      platformPostId: item?.id,
      url: item?.url,
    });
  });

  test("a post with another text, other media or an earlier time does not match", async () => {
    const job = createTextJob();
    await publishToEnd(linkedin, job);
    const handle = await linkedin.start(job);
    const asked = (content: Content, more: object) => linkedin.reconcile(setup.job(content), { ...handle, ...more });
    expect((await asked(job.content, {})).state).toBe("published");
    expect((await asked(text("Said twice"), {})).state).toBe("not_published");
    expect((await asked(job.content, { media: ["urn:li:image:other"] })).state).toBe("not_published");
    expect((await asked(job.content, { startedAt: Date.now() + 120_000 })).state).toBe("not_published");
  });

  test.each(["ACCESS_DENIED", "NOT_FOUND", "NONEXISTENT_VERSION"])(
    "a list rejected with %s is inconclusive",
    async (code) => {
      const job = createTextJob();
      const handle = await publishedUnheard(job);
      scripted("posts.find", "refuse", code);
      expect(await linkedin.reconcile(job, handle)).toEqual({ state: "cannot_tell" });
    },
  );

  test("a failed read leaves the outcome unknown", async () => {
    const job = createTextJob();
    const handle = await publishedUnheard(job);
    scripted("posts.find", "500", "");
    expect((await expectFailure(linkedin.reconcile(job, handle))).class).toBe("transient");
    scripted("posts.find", "refuse", "EXPIRED_ACCESS_TOKEN");
    expect((await expectFailure(linkedin.reconcile(job, handle))).class).toBe("auth");
  });

  test("after a lost response a duplicate error is resolved to our own post", async () => {
    const job = createTextJob();
    const handle = await publishedUnheard(job);
    const again = await linkedin.publish(job, { ...handle, doubted: true });
    expect(again).toMatchObject({ state: "published", platformPostId: published()[0]?.id });
    expect(published()).toHaveLength(1);
  });

  test("a duplicate error settles the outcome of a member, whose posts we may not read", async () => {
    const job = createTextJob();
    const handle = await publishedUnheard(job);
    const { externalId, accessToken } = setup.account;
    setup.networks.register({ platform: "linkedin", externalId, accessToken, facts: { noReading: true } });
    expect(await linkedin.reconcile(job, handle)).toEqual({ state: "cannot_tell" });
    const [item] = published();
    for (const known of [{ doubted: true }, { resent: true }]) {
      const again = await linkedin.publish(job, { ...(await linkedin.start(job)), ...known });
      expect(again).toMatchObject({ state: "published", platformPostId: item?.id });
    }
    expect(published()).toHaveLength(1);
    setup.networks.register({ platform: "linkedin", externalId, accessToken });
  });

  test("without a lost response a duplicate error is a content failure", async () => {
    const job = createTextJob();
    await publishToEnd(linkedin, job);
    const failed = await expectFailure(linkedin.publish(job, await linkedin.start(job)));
    expect(failed).toMatchObject({ class: "content", code: "DUPLICATE_POST" });
    const old = { ...(await linkedin.start(job)), startedAt: Date.now() + 120_000, doubted: true };
    expect(await expectFailure(linkedin.publish(job, old))).toMatchObject({ class: "content", code: "DUPLICATE_POST" });
    expect(published()).toHaveLength(1);
  });

  test("a duplicate that LinkedIn does not show asks the caller to check; no response leaves the outcome unknown", async () => {
    const job = createTextJob();
    const handle = { ...(await publishedUnheard(job)), doubted: true };
    scripted("posts.get", "refuse", "NOT_FOUND");
    const failed = await expectFailure(linkedin.publish(job, handle));
    expect(failed).toMatchObject({ class: "content", code: "DUPLICATE_POST" });
    expect(failed.message).toMatch(/Check the account/);
    scripted("posts.get", "500", "");
    expect((await expectFailure(linkedin.publish(job, handle))).class).toBe("unanswered");
  });
});
