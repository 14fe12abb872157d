// A month with a thousand posts.
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { createTestAccount, createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { insertPosts, runOn } from "../support/insert-posts.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { type Browser, signInOwner } from "./dashboard.ts";

const POSTS = 1000;
const MAX_BYTES = 100 * 1024;

let tenant: Tenant;
let browser: Browser;

beforeAll(async () => {
  tenant = await createTestTenant();
  browser = await signInOwner(tenant);
  const accounts = await Promise.all([createTestAccount(tenant, "bluesky"), createTestAccount(tenant, "threads")]);
  const from = new Date("2031-03-01T00:00:00Z");
  const until = new Date("2031-04-01T00:00:00Z");
  await insertPosts(runOn(openTestDatabase()), {
    ...{ tenant, accountIds: accounts.map(({ id }) => id), count: POSTS, statuses: ["scheduled", "posted", "failed"] },
    ...{ created: [from, until], due: [from, until] },
    label: "A caption as long as captions are, with “quotes” & signs, that goes on and on until it is cut",
  });
});

test("is one round trip and less than 100 KiB, and counts every post", async () => {
  const requestId = newId();
  const visit = () =>
    browser.visit(`/dashboard/${tenant.workspaceId}/calendar?month=2031-03`, {
      headers: { "X-Request-Id": requestId },
    });
  const { result, cost } = await measureCost(requestId, visit);
  expect(result.status).toBe(200);
  expect(cost.round_trips).toBe(1);
  const bytes = Buffer.byteLength(result.text);
  console.log(`A month of ${POSTS} posts: ${Math.round(bytes / 1024)} KiB, ${cost.round_trips} round trip`);
  expect(bytes).toBeLessThan(MAX_BYTES);
  const listed = result.text.match(/class="entry /g)?.length ?? 0;
  const hidden = [...result.text.matchAll(/>(\d+) more</g)].reduce((sum, [, count]) => sum + Number(count), 0);
  expect(listed + hidden).toBe(POSTS);
});

test("what a day does not show is behind its link: that day's posts, and no others", async () => {
  const path = `/dashboard/${tenant.workspaceId}`;
  const { text } = await browser.visit(`${path}/calendar?month=2031-03`);
  const [, link = "", more] =
    text.match(/<li class="day[^"]*" data-date="2031-03-10">.*?<a class="hint" href="([^"]+)">(\d+) more/s) ?? [];
  expect(link).toBe(`${path}/queue?day=2031-03-10`);
  const listed = text.match(/data-date="2031-03-10">.*?<\/ul>/s)?.[0].match(/class="entry /g)?.length ?? 0;
  let shown = 0;
  for (let next: string | undefined = link; next; ) {
    const page = await browser.visit(next);
    shown += page.text.match(/<li class="post/g)?.length ?? 0;
    const [, older] = page.text.match(/class="button" href="(\?[^"]+before=[^"]+)"/) ?? [];
    next = older && `${path}/queue${older.replaceAll("&amp;", "&")}`;
  }
  expect(shown).toBe(listed + Number(more));
  expect((await browser.visit(`${path}/queue?day=2031-05-01`)).text).toContain("No post matches");
});

test("404 for the month of another workspace, whose posts are in no answer", async () => {
  const other = await signInOwner(await createTestTenant());
  const page = await other.visit(`/dashboard/${tenant.workspaceId}/calendar?month=2031-03`);
  expect(page.status).toBe(404);
  expect(page.text).not.toContain("A caption");
});

test("the month has the first picture of each post, or the video, at a size that is known before it is loaded", async () => {
  const own = await createTestTenant();
  const owner = await signInOwner(own);
  const { id } = await createTestAccount(own, "threads");
  const [first, second] = ["https://cdn.example/one.jpg", "https://cdn.example/two.jpg"];
  const create = async (caption: string, media: object) => {
    const post = { caption, media, accounts: [{ id }], scheduled_at: "2031-03-12T10:30:00.000Z" };
    return await own.api.post("/posts/prepare", post);
  };
  expect((await create("Pictures", { type: "slideshow", urls: [first, second] })).status).toBe(201);
  expect((await create("Film", { type: "video", url: "https://cdn.example/film.mp4" })).status).toBe(201);
  const { text } = await owner.visit(`/dashboard/${own.workspaceId}/calendar?month=2031-03`);
  expect(text).toMatch(/<img src="https:\/\/cdn.example\/one.jpg" alt="" loading="lazy"[^>]* width="28" height="28"/);
  expect(text).toMatch(/<video data-src="https:\/\/cdn.example\/film.mp4" width="28" height="28"/);
  expect(text).not.toContain(second);
});

test.each(["month", "week", "day"])(
  "the %s says of a time that the clock shows twice which one it is",
  async (view) => {
    const own = await createTestTenant();
    const owner = await signInOwner(own);
    const { id } = await createTestAccount(own, "threads");
    await own.api.patch("/workspace", { time_zone: "America/New_York" });
    for (const scheduled_at of ["2031-11-02T05:30:00.000Z", "2031-11-02T06:30:00.000Z", "2031-11-02T07:30:00.000Z"])
      await own.api.post("/posts", { caption: "Twice", accounts: [{ id }], scheduled_at });
    const { text } = await owner.visit(`/dashboard/${own.workspaceId}/calendar?view=${view}&date=2031-11-02`);
    const shown = [...text.matchAll(/<span class="at">(\d\d:30.*?)<\/span><span class="visually-hidden">/g)];
    expect(shown.map(([, at = ""]) => at.replaceAll(/<[^>]+>/g, ""))).toEqual([
      "01:30 (first of two)",
      "01:30 (second of two)",
      "02:30",
    ]);
  },
);

test.each([
  ["view=day&date=2031-03-12", "2031-03-12"],
  ["view=week&date=2031-03-12", "2031-03-10"],
  ["month=2031-03", "2031-03-01"],
])("?%s without a post offers one on %s", async (query, day) => {
  const own = await createTestTenant();
  const owner = await signInOwner(own);
  const { text } = await owner.visit(`/dashboard/${own.workspaceId}/calendar?${query}`);
  expect(text).toMatch(new RegExp(`href="[^"]*/compose\\?at=${day}T09:00"[^>]*>Plan a post`));
});
