// Trend briefs as a page: from a topic to what its videos have in common, and on to a post.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { hasObservedVideos } from "../../lib/queries/trends.ts";
import { createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { openSeparateDatabase } from "../support/separate-database.ts";
import { buildVideo, storeVideos } from "../trends/factories.ts";
import { type Browser, signInMember, signInOwner } from "./dashboard.ts";

/** Letters alone: a keyword of its own, since tests share the videos. */
const createWord = () =>
  `w${newId().replaceAll(/[^a-z]/g, "")}${newId()
    .slice(-12)
    .replaceAll(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "")}`;

async function setUp(): Promise<{ tenant: Tenant; browser: Browser; viewer: Browser; path: string }> {
  const tenant = await createTestTenant();
  const [browser, viewer] = [await signInOwner(tenant), await signInMember(tenant, "viewer")];
  return { tenant, browser, viewer, path: `/dashboard/${tenant.workspaceId}/trends` };
}

/** In UTC. */
const lastDay = (hour: number) => {
  const at = new Date(Date.now() - 24 * 3_600_000);
  at.setUTCHours(hour, 30, 0, 0);
  return at.toISOString();
};

test("shows what videos have in common, and every idea leads to a post or a slideshow", async () => {
  const { tenant, browser, viewer, path } = await setUp();
  const word = createWord();
  const fields = {
    hashtags: [word, "slow"],
    sound_id: "s1",
    sound_name: "Rain <live>",
    sound_sample_url: "https://sounds.example/1.mp3",
  };
  await storeVideos(openTestDatabase(), [
    buildVideo({
      ...fields,
      caption: `How to ${word} & rest`,
      views: 54_321,
      published_at: lastDay(23),
      author_handle: "calm.corner",
    }),
    buildVideo({ ...fields, caption: `How to ${word} well`, published_at: lastDay(23) }),
  ]);
  const query = `keyword=${word}&range=7d`;
  const page = await browser.visit(`${path}?${query}`);
  expect(page.status).toBe(200);
  for (const text of [
    "From 2 videos",
    "Promise a how-to",
    "2 of the 2 strongest openings",
    "54,321 views",
    `#${word}`,
    "Rain &lt;live&gt;",
    "@calm.corner",
    "from 23:00",
  ])
    expect(page.text).toContain(text);
  expect(page.text).toContain(`compose?caption=How+to+${word}+%26+rest`);
  expect(page.text).toMatch(/slideshows\/new\?prompt=A\+slideshow\+about\+[^"]*Promise\+a\+how-to/);
  expect(page.text).toContain(`value="${word}"`);
  expect((await viewer.visit(`${path}?${query}`)).text).not.toMatch(/compose\?|slideshows\/new/);
  await tenant.api.patch("/workspace", { time_zone: "Asia/Tokyo" });
  expect((await browser.visit(`${path}?${query}`)).text).toContain("from 08:00");
});

test("says that nothing is known of a topic, and what to enter in place of signs", async () => {
  const { browser, path } = await setUp();
  await storeVideos(openTestDatabase(), [buildVideo({})]);
  const unknown = createWord();
  expect((await browser.visit(`${path}?keyword=${unknown}`)).text).toContain(`Nothing is known about “${unknown}”`);
  const empty = await browser.visit(path);
  expect([empty.status, empty.text.includes('role="alert"')]).toEqual([200, false]);
  for (const keyword of ["%23", "", "+"]) {
    const page = await browser.visit(`${path}?keyword=${keyword}`);
    expect([page.status, page.text.includes("Topic: enter a word")]).toEqual([200, true]);
  }
  expect((await browser.visit(`${path}?keyword=${"x".repeat(500)}&range=never`)).status).toBe(200);
});

test("a service without observed videos is known as one", async () => {
  const { db, database } = await openSeparateDatabase("trends");
  expect(await hasObservedVideos(db)).toBe(false);
  await storeVideos(db, [buildVideo({})]);
  expect(await hasObservedVideos(db)).toBe(true);
  await database.close();
});
