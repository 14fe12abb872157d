// Analytics as pages: accounts are tracked, refreshed, renamed and removed, and what they gained is shown and exported.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { MAX_EXPORTED_POSTS } from "../../functions/workspace/analytics/export.ts";
import { savePageOfPosts } from "../../lib/queries/analytics-refreshes.ts";
import type { FetchedPost } from "../../lib/schemas/analytics-metrics.ts";
import { formatCsvRow } from "../../lib/shared/csv.ts";
import { createTarget, createTrackedAccount, processRefreshes } from "../analytics/refreshes.ts";
import { createTestAccount, createTestTenant, openTestDatabase, queryRows, type Tenant } from "../support/harness.ts";
import { type Browser, signInMember, signInOwner } from "./dashboard.ts";

async function setUp(): Promise<{ tenant: Tenant; browser: Browser; base: string }> {
  const tenant = await createTestTenant();
  return { tenant, browser: await signInOwner(tenant), base: `/dashboard/${tenant.workspaceId}/analytics` };
}

const listTargets = async ({ api }: Tenant) => (await api.get("/analytics/targets")).body.data.targets;

const findRefreshes = (targetId: string) =>
  queryRows<{ id: string }>(sql`select id from analytics_refreshes where target_id = ${targetId}`);

/** Stores posts as a refresh does. */
async function storePosts(targetId: string, posts: Partial<FetchedPost>[], at = new Date()): Promise<void> {
  const leaseToken = newId();
  const id = newId();
  await queryRows(sql`insert into analytics_refreshes (id, target_id, status, was_free, deadline_at, lease_token)
    values (${id}, ${targetId}, 'processing', true, now(), ${leaseToken}) returning id`);
  const fetched = posts.map((post, index) => ({
    ...{ platformPostId: `${index}`, kind: "video" as const, publishedAt: at, caption: `Post ${index}` },
    ...{ permalink: null, thumbnailUrl: null, durationSeconds: null },
    ...{ views: 0, likes: 0, comments: 0, shares: 0, saves: 0, ...post },
  }));
  await savePageOfPosts(
    openTestDatabase(),
    { id, leaseToken },
    { posts: fetched, seen: 0, cursor: null, missing: {} },
    at,
    at,
  );
}

describe("tracked accounts", () => {
  test("the first is added on the empty page by one click, and its posts are read at once", async () => {
    const { tenant, browser, base } = await setUp();
    const { username } = await createTestAccount(tenant, "tiktok");
    await createTestAccount(tenant, "bluesky");
    const empty = await browser.visit(base);
    expect(empty.text).toContain("Nothing is measured yet");
    expect(empty.text).not.toMatch(/POST|<code>/);
    expect(empty.text.match(/name="identifier" value="([^"]+)"/g)).toContain(`name="identifier" value="${username}"`);
    expect(
      (await browser.visit(`${base}/targets`, { form: { platform: "tiktok", identifier: username } })).status,
    ).toBe(303);
    const page = await browser.visit(base);
    expect(page.text).toContain("Its posts are being read.");
    expect(page.text).toMatch(/data-refresh="[0-9a-f-]{36}"/);
    expect(page.text).not.toContain(`Track ${username}`);
    const [target] = await listTargets(tenant);
    expect(await findRefreshes(target.id)).toHaveLength(1);
    const again = { platform: "tiktok", identifier: `@${username.toUpperCase()}` };
    await browser.visit(`${base}/targets`, { form: again });
    expect((await browser.visit(base)).text).toContain("is tracked already");
  });

  test("422 keeps what was entered and names the field, and nothing is stored", async () => {
    const { tenant, browser, base } = await setUp();
    const form = { platform: "instagram", identifier: "https://tiktok.com/@x", alias: "Our <shop>" };
    const page = await browser.visit(`${base}/targets`, { form });
    expect(page.status).toBe(422);
    expect(page.text).toContain("Handle: this names no account of Instagram.");
    expect(page.text).toContain('value="https://tiktok.com/@x"');
    expect(page.text).toContain("Our &lt;shop&gt;");
    expect(page.text).toMatch(/<option value="instagram" selected/);
    for (const [name, wrong] of [
      ["Network", { platform: "myspace", identifier: "x" }],
      ["Handle", { platform: "tiktok", identifier: " " }],
      ["Name here", { platform: "tiktok", identifier: "x", alias: "a".repeat(101) }],
    ] as const) {
      const rejected = await browser.visit(`${base}/targets`, { form: wrong });
      expect([rejected.status, rejected.text.includes(`${name}: `)]).toEqual([422, true]);
    }
    expect(await listTargets(tenant)).toEqual([]);
  });

  test("is renamed, made a favourite and shown first, and removed with its figures", async () => {
    const { tenant, browser, base } = await setUp();
    const [first, second] = [
      await createTarget(tenant.api, "tiktok", "one"),
      await createTarget(tenant.api, "youtube", "two"),
    ];
    const account = `${base}/accounts/${first}`;
    const form = { name: "The shop", posts: "50", daily: "yes" };
    expect((await browser.visit(`${account}/edit`, { form })).headers.get("location")).toBe(account);
    expect((await browser.visit(account)).text).toContain("<h1>The shop</h1>");
    await browser.visit(`${account}/edit`, { form: { ...form, posts: "0" } });
    expect((await browser.visit(account)).text).toContain("Newest posts: enter a whole number from 1 to 2000.");
    const atList = await browser.visit(`${account}/favorite`, { form: { favorite: "yes" } });
    expect(atList.headers.get("location")).toBe(base);
    const own = await browser.visit(account);
    expect(own.text.match(/name="from" value="account"/g)).toHaveLength(2);
    for (const [action, form] of [
      ["favorite", { favorite: "yes" }],
      ["refresh", {}],
    ] as const) {
      const done = await browser.visit(`${account}/${action}`, { form: { from: "account", ...form } });
      expect(done.headers.get("location")).toBe(account);
    }
    const page = await browser.visit(base);
    expect(page.text.indexOf(`id="target-${first}"`)).toBeLessThan(page.text.indexOf(`id="target-${second}"`));
    const { metadata } = (await listTargets(tenant)).find(({ id }: { id: string }) => id === first);
    expect(metadata).toEqual({ favorite: true, refreshPolicy: { freeDailyRefresh: true, maxPosts: 50 } });
    await browser.visit(`${account}/remove`, { form: {} });
    expect((await browser.visit(account)).status).toBe(404);
    expect((await listTargets(tenant)).map(({ id }: { id: string }) => id)).toEqual([second]);
  });

  test("says that a refresh runs, how it failed, and when the next one is free", async () => {
    const tracked = await createTrackedAccount("tiktok", { posts: 3 });
    const browser = await signInOwner(tracked.tenant);
    const base = `/dashboard/${tracked.tenant.workspaceId}/analytics`;
    await tracked.tenant.api.patch("/workspace", { time_zone: "Asia/Kolkata" });
    const refresh = `${base}/accounts/${tracked.targetId}/refresh`;
    expect((await browser.visit(base)).text).toContain(`action="${refresh}"`);
    expect((await browser.visit(refresh, { form: {} })).status).toBe(303);
    const running = await browser.visit(base);
    expect(running.text).toContain("Reading its posts…");
    expect(running.text).not.toContain(`action="${refresh}"`);
    await processRefreshes((await findRefreshes(tracked.targetId)).map(({ id }) => id));
    const done = await browser.visit(base);
    expect(done.text).toContain("Refreshed <time");
    expect(done.text).toMatch(/The next one is free from \d+ \w+ \d+, 05:30 \(Asia\/(Kolkata|Calcutta)\)/);
    await browser.visit(refresh, { form: {} });
    expect((await browser.visit(base)).text).toContain("free refresh of this target is used up");

    const unknown = await createTarget(tracked.tenant.api, "tiktok", "not.connected");
    await browser.visit(`${base}/accounts/${unknown}/refresh`, { form: {} });
    await processRefreshes((await findRefreshes(unknown)).map(({ id }) => id));
    expect((await browser.visit(base)).text).toContain(
      "The last refresh failed. TikTok allows only the account itself",
    );
  });

  test("a viewer sees the figures and no form; 404 for the account of another workspace", async () => {
    const { tenant, browser, base } = await setUp();
    const other = await createTestTenant();
    const theirs = await createTarget(other.api, "tiktok", "theirs");
    await createTarget(tenant.api, "tiktok", "ours");
    const viewer = await signInMember(tenant, "viewer");
    const page = await viewer.visit(base);
    expect([page.status, page.text.includes('method="post" action')]).toEqual([200, false]);
    expect((await browser.visit(`${base}/accounts/${theirs}`)).status).toBe(404);
    for (const action of ["refresh", "favorite", "edit", "remove"]) {
      const form = { name: "x", posts: "1" };
      const response = await browser.visit(`${base}/accounts/${theirs}/${action}`, { form });
      if (response.status === 404) continue;
      expect(response.status).toBe(404);
    }
    expect((await listTargets(other))[0].display_name).toBe("theirs");
  });
});

describe("figures", () => {
  test("are of the days, networks and accounts of the address, which every link keeps", async () => {
    const { tenant, browser, base } = await setUp();
    const [tiktok, youtube] = [
      await createTarget(tenant.api, "tiktok", "a"),
      await createTarget(tenant.api, "youtube", "b"),
    ];
    await storePosts(tiktok, [{ views: 1200, likes: 60 }]);
    await storePosts(youtube, [{ views: 34, kind: "image" }]);
    const all = await browser.visit(base);
    expect(all.text).toContain("<strong>1,234</strong>");
    expect(all.text).toMatch(/range=30d"[^>]*aria-current="true"/);
    const one = await browser.visit(`${base}?range=14d&network=youtube`);
    expect(one.text).toMatch(/<dt>Views<\/dt><dd><strong>34<\/strong>/);
    expect(one.text).toContain("range=90d&amp;network=youtube");
    expect((await browser.visit(`${base}?account=${tiktok}`)).text).toMatch(/<dt>Views<\/dt><dd><strong>1,200/);
    expect((await browser.visit(`${base}?start=2020-01-01&end=2020-01-31`)).text).toContain(
      "1 Jan 2020 to 31 Jan 2020",
    );
    const hidden = await createTarget(tenant.api, "bluesky", "c.bsky.social");
    const card = (await browser.visit(base)).text.split(`id="target-${hidden}"`)[1] ?? "";
    expect(card.slice(0, 1500)).toContain("Views: <strong>not given</strong>");
    const page = await browser.visit(`${base}/accounts/${youtube}`);
    expect(page.text).toMatch(/<dt>Views<\/dt><dd><strong>34<\/strong>/);
    expect(page.text).toContain("Pictures");
  });

  test.each([
    ["start=2026-01-02", "To: choose the last day"],
    ["end=2026-01-02", "From: choose the first day"],
    ["start=2026-02-30&end=2026-03-01", "From: there is no such day"],
    ["start=2026-01-02&end=2026-01-01", "To: choose a day that is not before"],
    ["start=1990-01-01&end=2026-01-01", "To: choose at most ten years"],
  ])("the dates %s stay in the form, with a sentence", async (query, sentence) => {
    const { tenant, browser, base } = await setUp();
    await createTarget(tenant.api, "tiktok", "a");
    const page = await browser.visit(`${base}?${query}`);
    expect([page.status, page.text.includes(sentence)]).toEqual([200, true]);
    for (const [name, value] of new URLSearchParams(query))
      expect(page.text).toContain(`name="${name}" value="${value}"`);
  });

  test("the hours of posts are those of the person's time zone", async () => {
    const { tenant, browser, base } = await setUp();
    const target = await createTarget(tenant.api, "tiktok", "a");
    // A Monday in UTC and a Tuesday in India.
    const publishedAt = new Date("2026-11-23T20:45:00Z");
    await storePosts(target, [{ publishedAt }], publishedAt);
    const path = `${base}?start=2026-11-01&end=2026-11-27`;
    expect((await browser.visit(path)).text).toContain("in UTC. Most of them: Monday from 20:00, 1 post.");
    await tenant.api.patch("/workspace", { time_zone: "Asia/Kolkata" });
    expect((await browser.visit(path)).text).toContain(". Most of them: Tuesday from 02:00, 1 post.");
    const kolkata = await tenant.api.get("/analytics/summary?range=all&time_zone=Asia/Kolkata");
    expect(kolkata.body.data.postingHeatmap[1][2]).toBe(1);
    const wrong = await tenant.api.get("/analytics/summary?timeZone=Mars/Olympus");
    expect([wrong.status, wrong.body.error_code]).toEqual([400, "invalid_query"]);
  });

  test("the best posts are sorted by each measure, paged, linked and used again", async () => {
    const { tenant, browser, base } = await setUp();
    const target = await createTarget(tenant.api, "instagram", "a");
    const posts = Array.from({ length: 30 }, (_, at) => ({
      ...{ platformPostId: String(at), caption: `Idea ${at} & more`, views: 1000 + at, likes: 300 - at },
      permalink: `https://www.instagram.com/p/${at}/`,
    }));
    await storePosts(target, posts);
    const list = (text: string) => [...text.matchAll(/class="words">Idea (\d+) /g)].map(([, at]) => Number(at));
    const byViews = await browser.visit(`${base}/posts`);
    expect(list(byViews.text)).toEqual(Array.from({ length: 25 }, (_, at) => 29 - at));
    expect(byViews.text).toContain('href="https://www.instagram.com/p/29/"');
    expect(byViews.text).toContain("compose?caption=Idea+29+%26+more");
    const [, next = ""] = byViews.text.match(/href="(\?[^"]*cursor=[^"]*)"/) ?? [];
    expect(list((await browser.visit(`${base}/posts${next.replaceAll("&amp;", "&")}`)).text)).toEqual([4, 3, 2, 1, 0]);
    for (const sort of ["likes", "comments", "shares", "saves", "engagementRate", "publishedAt"])
      expect(list((await browser.visit(`${base}/posts?sort=${sort}`)).text)).toHaveLength(25);
    expect(list((await browser.visit(`${base}/posts?sort=likes`)).text)[0]).toBe(0);
  });
});

describe("files for spreadsheets", () => {
  test("hold all posts of the filter, quoted, with formulas disarmed", async () => {
    const { tenant, browser, base } = await setUp();
    const target = await createTarget(tenant.api, "tiktok", "a");
    const captions = ['=HYPERLINK("http://x")', 'Say "hi", then\r\ngo', "@you", "-1+1", "Ünïcode 🎉"];
    const many = Array.from({ length: 120 }, (_, at) => ({ platformPostId: `m${at}`, views: 1 }));
    await storePosts(target, [
      ...captions.map((caption, at) => ({ platformPostId: `c${at}`, caption, views: 100 - at })),
      ...many,
    ]);
    const file = await browser.visit(`${base}/export/posts?range=14d`);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="analytics-posts-14d.csv"');
    expect(file.text).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(file.text).toContain('"Say ""hi"", then\r\ngo"');
    expect(file.text).toContain(",'@you,");
    expect(file.text).toContain(",'-1+1,");
    expect(file.text).toContain(",Ünïcode 🎉,");
    // One line break is inside of a cell.
    expect(file.text.trimEnd().split("\r\n")).toHaveLength(1 + captions.length + many.length + 1);
    expect(MAX_EXPORTED_POSTS).toBeGreaterThan(captions.length + many.length);
    expect((await browser.visit(`${base}/export/posts?network=youtube`)).text.trimEnd().split("\r\n")).toHaveLength(1);
  });

  test("hold every day of the period", async () => {
    const { tenant, browser, base } = await setUp();
    const target = await createTarget(tenant.api, "tiktok", "a");
    await storePosts(target, [{ views: 200, likes: 20 }], new Date("2026-11-20T10:00:00Z"));
    const file = await browser.visit(`${base}/export/days?start=2026-11-01&end=2026-11-27`);
    expect(file.headers.get("content-disposition")).toContain("analytics-days-2026-11-01-to-2026-11-27.csv");
    const lines = file.text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(28);
    expect(lines[20]).toBe("2026-11-20,200,20,0,0,0,20,0.1");
  });

  test("a viewer gets them, and a cell is a formula in no script", async () => {
    const { tenant, base } = await setUp();
    const viewer = await signInMember(tenant, "viewer");
    for (const kind of ["posts", "days"]) expect((await viewer.visit(`${base}/export/${kind}`)).status).toBe(200);
    for (const start of ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
      expect(formatCsvRow([`${start}1`])).toContain(`'${start}1`);
    expect(formatCsvRow(["a", -3, null, "a'b"])).toBe("a,-3,,a'b\r\n");
  });
});
