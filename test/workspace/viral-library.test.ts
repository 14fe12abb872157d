// The viral library as pages: the newest, filters for people, one post with what it holds, and what a workspace may read.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { stopClock } from "../support/stop-clock.ts";
import { storePosts } from "../viral-library/corpus.ts";
import { type Browser, signInMember, signInOwner } from "./dashboard.ts";

type Line = Parameters<typeof storePosts>[1][number];

async function setUp(): Promise<{ tenant: Tenant; browser: Browser; base: string }> {
  const tenant = await createTestTenant();
  return { tenant, browser: await signInOwner(tenant), base: `/dashboard/${tenant.workspaceId}/viral-library` };
}

/** Posts of an account of their own, since tests share the library. */
async function storeLibrary(posts: Partial<Line>[]): Promise<{ account: string; ids: string[] }> {
  const account = `maker.${newId()}`;
  const lines = posts.map(
    (post): Line => ({
      ...{ platform: "tiktok", id: newId(), content_type: "slideshow", link: "https://www.tiktok.com/@x/photo/1" },
      ...{ category: "food", business_type: "creator", account, caption: "Soup in three steps", hashtags: ["soup"] },
      ...{ date_published: "2026-05-01", metrics: { views: 20_000 }, hook_text: "Soup before work", ...post },
    }),
  );
  await storePosts(openTestDatabase(), lines);
  return { account, ids: lines.map(({ platform, id }) => `${platform}_${id}`) };
}

const listPosts = (text: string) =>
  [...text.matchAll(/<li class="card"><a href="[^"]+\/viral-library\/([^"]+)"/g)].map(([, id]) => id);

test("opens with the newest, and opening it again costs no search", async () => {
  stopClock();
  const { tenant, browser, base } = await setUp();
  const { ids } = await storeLibrary([{}]);
  const first = await browser.visit(base);
  expect(listPosts(first.text)).toContain(ids[0]);
  for (let at = 0; at < 30; at++) expect((await browser.visit(base)).text).toContain("the newest first");
  const next = await tenant.api.get("/viral-library?limit=1");
  expect(next.headers.get("ratelimit")).toContain('"viral_searches_daily";r=198');
});

test("every filter narrows, stays in the form, and is kept by the next page", async () => {
  const { browser, base } = await setUp();
  const posts = Array.from({ length: 14 }, (_, at) => ({
    ...{ date_published: `2026-05-${String(at + 10)}`, slide_count: at + 1, metrics: { views: 20_000 + at } },
    ...{ product_name: "Ladle & Co", language: at % 2 ? "de" : "en" },
  }));
  const { account, ids } = await storeLibrary([
    ...posts,
    { platform: "youtube", content_type: "video", category: "art" },
  ]);
  const find = async (query: string) => listPosts((await browser.visit(`${base}?account=${account}&${query}`)).text);
  expect(await find("platform=youtube")).toEqual([ids[14]]);
  expect(await find("content_type=video")).toEqual([ids[14]]);
  expect(await find("category=art")).toEqual([ids[14]]);
  expect(await find("max_slides=2&sort=most_slides")).toEqual([ids[1], ids[0]]);
  expect(await find("published_since=2026-05-22&sort=latest_posted")).toEqual([ids[13], ids[12]]);
  expect(await find("published_until=2026-05-10&product_name=ladle")).toEqual([ids[0]]);
  expect(await find("language=de&sort=most_views")).toHaveLength(7);
  const page = await browser.visit(`${base}?account=${account}&product_name=Ladle+%26&sort=most_views`);
  expect(listPosts(page.text)).toEqual(ids.slice(2, 14).toReversed());
  expect(page.text).toContain('name="product_name" value="Ladle &amp;"');
  const [, next = ""] = page.text.match(/href="(\?[^"]*cursor=[^"]*)"/) ?? [];
  expect(next).toContain("sort=most_views");
  expect(listPosts((await browser.visit(base + next.replaceAll("&amp;", "&"))).text)).toEqual([ids[1], ids[0]]);
});

test.each([
  ["published_since=2026-02-01&published_until=2026-01-01", "Posted until: choose a day"],
  ["account=%40", "Account: enter more than @."],
  ["cursor=bm90aGluZw", "Search again."],
])("a sentence in place of results for %s", async (query, sentence) => {
  const { browser, base } = await setUp();
  const page = await browser.visit(`${base}?${query}`);
  expect([page.status, page.text.includes(sentence)]).toEqual([200, true]);
});

test("one post has its slides with their texts, its numbers, and leads to a draft and a slideshow", async () => {
  const { tenant, browser, base } = await setUp();
  const { ids } = await storeLibrary([
    {
      ...{ hook_text: 'Soup & "bread"', slide_count: 2, metrics: { views: 31_234, likes: 99 } },
      image_urls: ["https://pictures.example/1.jpg"],
      slide_texts: ["Chop <everything>", "Eat"],
    },
  ]);
  const path = `${base}/${ids[0]}`;
  const page = await browser.visit(path);
  expect(page.text).toContain("<h1>Soup &amp; &quot;bread&quot;</h1>");
  for (const text of ["31,234", "Chop &lt;everything&gt;", "Eat", 'src="https://pictures.example/1.jpg"', "#soup"])
    expect(page.text).toContain(text);
  expect(page.text).toContain("compose?caption=Soup+%26+%22bread%22%0A%0A%23soup");
  expect(page.text).toMatch(/slideshows\/new\?prompt=[^"]*Soup\+%26/);
  const viewer = await signInMember(tenant, "viewer");
  expect((await viewer.visit(path)).text).not.toMatch(/compose\?|slideshows\/new/);
  expect((await browser.visit(`${base}/tiktok_nothing`)).status).toBe(404);
});

test("what is said and similar posts are read when they are asked for, and never the post itself", async () => {
  stopClock();
  const { tenant, browser, base } = await setUp();
  const topic = "knitting mittens from alpaca wool";
  const { ids } = await storeLibrary([
    {
      hook_text: topic,
      content_type: "video",
      transcript: { segments: [{ start_ms: 0, end_ms: 900, text: "Take two needles." }] },
    },
    { hook_text: `${topic} again` },
    { hook_text: `Warm ${topic}` },
  ]);
  const path = `${base}/${ids[0]}`;
  const page = await browser.visit(path);
  expect(page.text).not.toContain("Take two needles.");
  expect(page.text).toContain('href="?show=similar#similar"');
  const full = await browser.visit(`${path}?show=transcript&show=similar`);
  expect(full.text).toContain("Take two needles.");
  expect(listPosts(full.text)).toEqual(expect.arrayContaining([ids[1], ids[2]]));
  expect(listPosts(full.text)).not.toContain(ids[0]);
  for (let at = 0; at < 5; at++) await browser.visit(`${path}?show=transcript&show=similar`);
  expect((await browser.visit(`${base}/${ids[1]}?show=transcript`)).text).toContain("Nobody has written down");
  const left = await tenant.api.get(`/viral-library/${ids[0]}/transcript`);
  expect(left.headers.get("ratelimit")).toContain('"viral_transcripts_daily";r=97');
});

test("says when the workspace has searched as often as it may", async () => {
  const { browser, base } = await setUp();
  stopClock();
  const search = (at: number) => browser.visit(`${base}?max_slides=${at + 1}`);
  for (let at = 0; at < 20; at++) expect((await search(at)).text).not.toContain("as much of the library as it may");
  const refused = await search(20);
  expect([refused.status, refused.text]).toEqual([200, expect.stringContaining("as much of the library as it may")]);
  expect(refused.text).toMatch(/Try again in \d+ (second|minute)s?\./);
});
