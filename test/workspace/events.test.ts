// The page of events: the newest of the feed in its order, filters that stay in the address, the JSON of each.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { EVENT_GROUPS, listTypes } from "../../functions/workspace/pages/event-words.ts";
import { EVENT_TYPES } from "../../lib/shared/event-types.ts";
import { inHours } from "../posts/post-requests.ts";
import { createTestAccount, createTestTenant, queryRows, type Tenant } from "../support/harness.ts";
import { type Browser, signInMember, signInOwner } from "./dashboard.ts";

const listSequences = (text: string) => [...text.matchAll(/<li id="event-(\d+)"/g)].map(([, number]) => Number(number));
const findLink = (text: string, words: string) =>
  text.match(new RegExp(`href="([^"]+)"[^>]*>${words}</a>`))?.[1]?.replaceAll("&amp;", "&");

async function setUp(): Promise<{ tenant: Tenant; browser: Browser; path: string }> {
  const tenant = await createTestTenant();
  return { tenant, browser: await signInOwner(tenant), path: `/dashboard/${tenant.workspaceId}/events` };
}

test("without events the page names the first step, for those who may take it", async () => {
  const { tenant, browser, path } = await setUp();
  const { text } = await browser.visit(path);
  expect(text).toContain("No events yet");
  expect(findLink(text, "Connect an account")).toBe(`/dashboard/${tenant.workspaceId}/accounts`);
  const viewer = await signInMember(tenant, "viewer");
  const read = await viewer.visit(path);
  expect([read.status, read.text.includes("No events yet")]).toEqual([200, true]);
  expect(findLink(read.text, "Connect an account")).toBeUndefined();
});

test("an event is shown with its words, its time in the zone of the workspace, its record and the JSON of the feed", async () => {
  const { tenant, browser, path } = await setUp();
  const account = await createTestAccount(tenant, "threads");
  const caption = `<b>"Light" & shade</b>`;
  const sent = { caption, accounts: [{ id: account.id }], scheduled_at: inHours(30) };
  const { id } = (await tenant.api.post("/posts", sent)).body.data;
  const [connected, scheduled] = (await tenant.api.get("/events")).body.data.events;
  await queryRows(sql`update events set created_at = date_trunc('hour', now()) + interval '7 seconds'
    where scope_id = ${tenant.workspaceId} returning sequence`);
  await tenant.api.patch("/workspace", { time_zone: "Asia/Kathmandu" });
  const { text } = await browser.visit(path);
  expect(listSequences(text)).toEqual([connected.sequence, scheduled.sequence]);
  expect(text).toMatch(/:45:07<\/time>/);
  expect(text).toContain("Post scheduled");
  expect(text).toContain(`href="/dashboard/${tenant.workspaceId}/posts/${id}">&lt;b&gt;&quot;Light&quot; &amp; shade`);
  expect(text).toContain(`href="/dashboard/${tenant.workspaceId}/accounts#${account.id}"`);
  expect((await browser.visit(`/dashboard/${tenant.workspaceId}/accounts`)).text).toContain(`id="${account.id}"`);
  const shown = [...text.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, json = ""]) =>
    JSON.parse(json.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")),
  );
  const read = (await tenant.api.get("/events")).body.data.events;
  expect(shown).toEqual(read);
  expect(shown[1].data.object.caption).toBe(caption);
  expect(text).not.toMatch(/<b>|(GET|POST) \//);
  expect(text).not.toContain(account.accessToken);
});

test("the newest 50 of the feed in its order, older ones behind a link, and the filter stays in the address", async () => {
  const { tenant, browser, path } = await setUp();
  await createTestAccount(tenant, "bluesky");
  await queryRows(sql`insert into events (scope_id, sequence, id, type, object_id, snapshot, created_at)
    select scope_id, n, event_id(now(), n), case when n % 2 = 0 then type else 'account.disconnected' end, object_id, snapshot, now()
    from events, generate_series(2, 121) n where scope_id = ${tenant.workspaceId} returning sequence`);
  const numbers = (from: number, to: number, step = 1) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
  const newest = await browser.visit(path);
  expect(listSequences(newest.text)).toEqual(numbers(72, 121));
  const older = await browser.visit(path + findLink(newest.text, "Older events"));
  expect(listSequences(older.text)).toEqual(numbers(22, 71));
  const oldest = await browser.visit(path + findLink(older.text, "Older events"));
  expect(listSequences(oldest.text)).toEqual(numbers(1, 21));
  expect(findLink(oldest.text, "Older events")).toBeUndefined();
  expect(findLink(oldest.text, "Newest events")).toBe("?");
  expect((await browser.visit(`${path}?before=1`)).text).toContain("No older events");

  const filtered = await browser.visit(`${path}?group=account`);
  expect(findLink(filtered.text, "Older events")).toBe("?group=account&before=72");
  const older2 = await browser.visit(`${path}?group=account&before=72`);
  expect(older2.text).toContain('value="account" selected');
  expect(findLink(older2.text, "Newest events")).toBe("?group=account");
  expect((await browser.visit(`${path}?group=post`)).text).toContain("No event matches");
  expect(listSequences((await browser.visit(`${path}?group=nothing&before=x`)).text)).toEqual(numbers(72, 121));
});

test("the events of one record: a post has those of its deliveries and approvals, an account its own", async () => {
  const { tenant, browser, path } = await setUp();
  const account = await createTestAccount(tenant, "threads");
  const post = async (caption: string) =>
    (await tenant.api.post("/posts", { caption, accounts: [{ id: account.id }], scheduled_at: inHours(30) })).body.data
      .id;
  const [one, other] = [await post("One"), await post("Other")];
  await queryRows(sql`update post_deliveries set status = 'failed', error_code = 'media_rejected', error_message = 'a', next_attempt_at = null
    where post_id = ${one} returning id`);
  const all = await browser.visit(path);
  expect(listSequences(all.text)).toEqual([1, 2, 3, 4, 5]);
  expect(findLink(all.text, "Only events of this")).toBe(`?object=${account.id}`);
  const ofPost = await browser.visit(`${path}?object=${one}`);
  expect(listSequences(ofPost.text)).toEqual([2, 4, 5]);
  expect(ofPost.text).toContain("Only events of <strong>One</strong>");
  expect(ofPost.text).toContain(`type="hidden" name="object" value="${one}"`);
  expect(listSequences((await browser.visit(`${path}?object=${one}&group=delivery`)).text)).toEqual([4]);
  expect(listSequences((await browser.visit(`${path}?object=${one}&before=3`)).text)).toEqual([2]);
  expect(listSequences((await browser.visit(`${path}?object=${other}`)).text)).toEqual([3]);
  expect(listSequences((await browser.visit(`${path}?object=${account.id}`)).text)).toEqual([1]);
  expect(listSequences((await browser.visit(`${path}?object=x`)).text)).toEqual([1, 2, 3, 4, 5]);
  const page = await browser.visit(`/dashboard/${tenant.workspaceId}/posts/${one}`);
  expect(findLink(page.text, "Events of this post")).toBe(`${path}?object=${one}`);
  const stranger = await setUp();
  expect((await stranger.browser.visit(`${stranger.path}?object=${one}`)).text).toContain("No event matches");
});

test("every type of event is in one group", () => {
  expect(EVENT_GROUPS.flatMap(listTypes)).toEqual(EVENT_TYPES);
});

test("another workspace's events, and those that left the feed, are not shown", async () => {
  const { tenant, browser, path } = await setUp();
  const other = await createTestTenant();
  await createTestAccount(other, "bluesky");
  expect((await browser.visit(path)).text).toContain("No events yet");
  expect((await browser.visit(`/dashboard/${other.workspaceId}/events`)).status).toBe(404);
  await createTestAccount(tenant, "bluesky");
  expect(listSequences((await browser.visit(path)).text)).toEqual([1]);
  await queryRows(
    sql`update events set created_at = now() - interval '31 days' where scope_id = ${tenant.workspaceId} returning sequence`,
  );
  expect((await browser.visit(path)).text).toContain("No events yet");
});
