// First comments where they are no posts of their own: what arrives, what a token without the permission gets, and what is
// found after a lost answer.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { facebook } from "../../lib/platforms/facebook/driver.ts";
import { drivers } from "../../lib/platforms/index.ts";
import { instagram } from "../../lib/platforms/instagram/driver.ts";
import { linkedin } from "../../lib/platforms/linkedin/driver.ts";
import type { Content, Driver, Job, Published } from "../../lib/platforms/platform.ts";
import { findPostViolations } from "../../lib/platforms/post-violations.ts";
import { youtube } from "../../lib/platforms/youtube/driver.ts";
import { PLATFORM_DETAILS } from "../../lib/shared/platforms.ts";
import { listDefaultScopes, listLeastScopes, listOptionalScopes } from "../local/networks/permissions/table.ts";
import { images, text, video } from "./content.ts";
import type { MediaHost } from "./media-host.ts";
import { expectFailure, publishToEnd } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const MEDIA = { "a.jpg": 4_000, "clip.mp4": 50_000 };
const COMMENT = "Links & tags: #harbour <3";

const NETWORKS: [Driver, (media: MediaHost) => Content][] = [
  [instagram, (media) => images(media, ["a.jpg"])],
  [facebook, () => text("Hello")],
  [linkedin, () => text("Hello")],
  [youtube, (media) => video(media, "clip.mp4", {}, { durationMs: 20_000 })],
];

describe.each(NETWORKS.map((row) => [row[0].platform, ...row] as const))("%s", (platform, driver, make) => {
  const as = platform === "linkedin" ? "page" : "member";
  const least = listLeastScopes(platform, as);
  // Somebody else has written the same below every post.
  const setup = useTestNetwork(driver, MEDIA, { strangers: [COMMENT] });

  const grant = (scopes: string[]) => setup.networks.register({ ...setup.account, scopes });
  const findComments = () => setup.published().filter(({ kind }) => kind === "comment");

  /** Publishes the post, and returns the job of the comment below it. */
  async function publishPost(caption = COMMENT): Promise<Job> {
    const job = setup.job(make(setup.media));
    const { platformPostId, url } = (await publishToEnd(driver, job)) as Published;
    const root = { id: platformPostId, url };
    const part = { kind: "comment" as const, number: 1, root, parent: root, earlier: [root] };
    return { ...job, content: { ...job.content, caption, media: null }, part };
  }

  test("a comment is out below its post, and is found again among those of others", async () => {
    grant([...least, ...listOptionalScopes(platform, as)]);
    const job = await publishPost();
    const handle = await driver.start(job);
    expect(await driver.reconcile(job, handle)).toEqual({ state: "not_published" });
    expect(await driver.poll(job, handle)).toEqual({ state: "ready" });
    const published = await driver.publish(job, handle);
    const [comment, ...more] = findComments();
    expect(more).toEqual([]);
    expect(comment).toMatchObject({ caption: COMMENT, parent: job.part?.root.id });
    expect(published).toEqual({ state: "published", platformPostId: comment?.id, url: comment?.url ?? null });
    expect(await driver.reconcile(job, handle)).toEqual(published);
  });

  test("a token without the permission gets the network's own refusal, and the account is told which", async () => {
    grant(least);
    const job = await publishPost();
    const failed = await expectFailure(driver.publish(job, await driver.start(job)));
    const permission = driver.capabilities.firstComment?.permission ?? [];
    expect(failed).toMatchObject({ class: "account", code: "permission_missing" });
    expect(failed.message).toContain(`has not granted ${permission.join(" or ")}. Reconnect the account`);
    expect(findComments()).toEqual([]);
  });

  test("a token that may not list comments leaves a lost answer open", async () => {
    grant(least);
    const job = await publishPost();
    expect(await driver.reconcile(job, await driver.start(job))).toEqual({ state: "cannot_tell" });
  });

  test("a comment below a post that is gone, or that is too long, is refused for good", async () => {
    grant(listDefaultScopes(platform, as));
    const job = await publishPost();
    await setup.reset();
    expect(await expectFailure(driver.publish(job, {}))).toMatchObject({ class: "content", code: "parent_missing" });
    const { limit = 0 } = driver.capabilities.firstComment ?? {};
    const long = { ...job, content: { ...job.content, caption: "a".repeat(limit + 1) } };
    expect(await expectFailure(driver.start(long))).toMatchObject({ code: "first_comment_too_long" });
    const longest = await publishPost("a".repeat(limit));
    expect(await driver.publish(longest, await driver.start(longest))).toMatchObject({ state: "published" });
  });

  test("the limit is null without the permission, and a first comment is refused at its field", () => {
    const content: Content = { ...make(setup.media), firstComment: COMMENT };
    const { firstComment } = driver.capabilities;
    const check = (granted: string[] | null) => {
      const capabilities = getCapabilities(platform, "byo", granted);
      const found = findPostViolations(driver, content, capabilities, "the account ann");
      return [capabilities.firstComment?.limit ?? null, found.filter(({ path }) => path === "first_comment")] as const;
    };
    for (const granted of [null, [], least]) {
      expect(check(granted)).toEqual([null, [expect.objectContaining({ code: "permission_missing" })]]);
      expect(check(granted)[1][0]?.message).toContain(firstComment?.permission?.join(" or "));
    }
    for (const permission of firstComment?.permission ?? []) {
      expect(check([...least, permission])).toEqual([firstComment?.limit, []]);
    }
  });
});

test.each([
  [youtube, { selfDeclaredMadeForKids: "yes" }],
  [youtube, { privacy: "private" }],
  [instagram, { post_type: "story" }],
  [facebook, { post_type: "story" }],
])("$platform: nothing is commented below a post with %j", ({ platform, validate, capabilities }, settings) => {
  const media = { url: (name: string) => `https://files.example/${name}` } as MediaHost;
  const content = platform === "youtube" ? video(media, "clip.mp4", settings) : images(media, ["a.jpg"], settings);
  const find = (firstComment: string | null) =>
    (validate?.({ ...content, firstComment }) ?? []).filter(({ path }) => path === "first_comment");
  expect(find("Hello")).toMatchObject([{ code: "first_comment_unsupported" }]);
  expect([find(null), capabilities.firstComment !== undefined]).toEqual([[], true]);
});

test("the table of the guide names the permission and the length of each network", () => {
  const guide = readFileSync(
    join(import.meta.dirname, "../../functions/meta/reference/guides/14-connecting-accounts.md"),
    "utf8",
  );
  for (const [driver] of NETWORKS) {
    const { limit = 0, permission = [] } = driver.capabilities.firstComment ?? {};
    const row =
      guide.split("\n").find((line) => line.startsWith(`| ${PLATFORM_DETAILS[driver.platform].name} |`)) ?? "";
    expect(row).toContain(`| ${limit.toLocaleString("en-US")} |`);
    for (const scope of permission) expect(row).toContain(`\`${scope}\``);
  }
  const others = Object.values(drivers).filter(({ capabilities }) => !capabilities.firstComment);
  expect(others.map(({ platform }) => platform).toSorted()).toEqual(["pinterest", "tiktok"]);
});
