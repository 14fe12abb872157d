// Several posts changed together by a plain form, and the calendar's views and filters.
import { beforeAll, describe, expect, test } from "vitest";
import { createTestAccount, createTestTenant, type Tenant, type TestAccount } from "../support/harness.ts";
import { type Browser, signInMember } from "./dashboard.ts";

const AT = "2031-03-12T10:30:00.000Z";

let tenant: Tenant;
let browser: Browser;
let account: TestAccount;

beforeAll(async () => {
  tenant = await createTestTenant();
  browser = await signInMember(tenant, "editor");
  account = await createTestAccount(tenant, "bluesky");
});

async function createPost(caption: string, more: object = { scheduled_at: AT }, of = tenant): Promise<string> {
  const accounts = [{ id: of === tenant ? account.id : (await createTestAccount(of, "bluesky")).id }];
  const path = "scheduled_at" in more ? "/posts" : "/posts/prepare";
  return (await of.api.post(path, { caption, accounts, ...more })).body.data.id;
}

const read = async (id: string) => (await tenant.api.get(`/posts/${id}`)).body.data;

async function change(ids: string[], more: Record<string, string>) {
  const form = new URLSearchParams([...ids.map((id) => ["post", id]), ...Object.entries(more)] as [string, string][]);
  const { status, headers } = await browser.visit(`/dashboard/${tenant.workspaceId}/posts/bulk`, { form });
  const path = headers.get("location") ?? "";
  return { status, path, page: status === 303 ? (await browser.visit(path)).text : "" };
}

describe("several posts together", () => {
  test("303 moves what has a time, says with one sentence what stays, and keeps the filter", async () => {
    const ids = [await createPost("one"), await createPost("two"), await createPost("draft", {})];
    const { path, page } = await change(ids, { action: "move", by: "week", query: "?status=scheduled" });
    expect(path).toBe(`/dashboard/${tenant.workspaceId}/queue?status=scheduled`);
    expect(page).toContain("2 posts are moved. 1 stays as it is: A post without a time cannot be moved.");
    for (const id of ids.slice(0, 2)) expect((await read(id)).scheduled_at).toBe("2031-03-19T10:30:00.000Z");
  });

  test("303 moves to a day at the hour of the wall clock, across a change of the clock", async () => {
    await tenant.api.patch("/workspace", { time_zone: "Europe/Berlin" });
    const id = await createPost("Berlin");
    await change([id], { action: "day", day: "2031-04-02" });
    expect((await read(id)).scheduled_at).toBe("2031-04-02T09:30:00.000Z");
    expect((await change([id], { action: "day", day: "" })).page).toContain("Choose the day first.");
    await tenant.api.patch("/workspace", { time_zone: "UTC" });
  });

  test("303 pauses and deletes, and leaves posts of other workspaces alone", async () => {
    const other = await createTestTenant();
    const foreign = await createPost("foreign", { scheduled_at: AT }, other);
    const own = await createPost("own");
    const paused = await change([own, foreign], { action: "pause" });
    expect(paused.page).toContain("1 post is paused. 1 stays as it is: ");
    expect(await read(own)).toMatchObject({ status: "draft", scheduled_at: AT });
    const deleted = await change([own, foreign], { action: "delete" });
    expect(deleted.page).toContain("1 post is deleted. 1 stays as it is: ");
    expect((await tenant.api.get(`/posts/${own}`)).status).toBe(404);
    expect((await other.api.get(`/posts/${foreign}`)).body.data.status).toBe("scheduled");
  });

  test("400 without a post, with more than fifty, and for an action that does not exist", async () => {
    const id = await createPost("kept");
    expect((await change([], { action: "delete" })).status).toBe(400);
    expect((await change(Array(51).fill(id), { action: "delete" })).status).toBe(400);
    expect((await change([id], { action: "publish" })).status).toBe(400);
    expect((await read(id)).status).toBe("scheduled");
  });

  test("a viewer sees no boxes", async () => {
    const viewer = await signInMember(tenant, "viewer");
    const { text } = await viewer.visit(`/dashboard/${tenant.workspaceId}/queue`);
    expect(text).not.toContain('name="post"');
    expect(text).not.toContain('id="bulk"');
  });
});

describe("the calendar", () => {
  const visit = async (query: string) => browser.visit(`/dashboard/${tenant.workspaceId}/calendar?${query}`);

  test("has a post in its hour of the week and of the day, and keeps view and filter in every link", async () => {
    await createPost("In its hour", { scheduled_at: "2031-06-04T14:15:00.000Z" });
    for (const view of ["week", "day"]) {
      const { text } = await visit(`view=${view}&date=2031-06-04&status=scheduled`);
      const [, cell = ""] = text.match(/data-date="2031-06-04" data-hour="14">(.*?)data-hour="15"/s) ?? [];
      expect(cell).toContain("In its hour");
      expect(text).toContain("Times are in UTC");
      const after = view === "week" ? "2031-06-11" : "2031-06-05";
      expect(text.replaceAll("&amp;", "&")).toContain(`?view=${view}&date=${after}&status=scheduled`);
    }
  });

  test("shows what the filter leaves", async () => {
    const threads = await createTestAccount(tenant, "threads");
    await createPost("To Bluesky", { scheduled_at: "2031-07-01T10:00:00.000Z" });
    await createPost("To Threads", { scheduled_at: "2031-07-01T11:00:00.000Z", accounts: [{ id: threads.id }] });
    const month = "view=month&date=2031-07-01";
    expect((await visit(month)).text).toMatch(/To Bluesky.*To Threads/s);
    for (const query of ["network=threads", `account=${threads.id}`]) {
      const { text } = await visit(`${month}&${query}`);
      expect(text).toContain("To Threads");
      expect(text).not.toContain("To Bluesky");
    }
    expect((await visit(`${month}&status=posted`)).text).not.toContain("To Threads");
  });

  test("opens for addresses that name no day and no view", async () => {
    for (const query of ["view=year&date=2031-02-31", "date=99", "month=2031-13", "account=x&network=y&status=z"]) {
      expect((await visit(query)).status).toBe(200);
    }
  });

  test("a move to no time says so on the page of the post, which keeps its time", async () => {
    const id = await createPost("Stays");
    const path = `/dashboard/${tenant.workspaceId}/posts/${id}`;
    const { status, headers } = await browser.visit(`${path}/reschedule`, { form: { at: "2031-02-31T10:00" } });
    expect([status, headers.get("location")]).toEqual([303, path]);
    expect((await browser.visit(path)).text).toContain("Enter a date and a time that exist.");
    expect((await read(id)).scheduled_at).toBe(AT);
  });
});

describe("scheduled posts", () => {
  test("are listed as they go out, on every page", async () => {
    const own = await createTestTenant();
    const person = await signInMember(own, "viewer");
    const days = ["2031-05-03", "2031-05-01", "2031-05-02"];
    for (const day of days) await createPost(`On ${day}`, { scheduled_at: `${day}T10:00:00.000Z` }, own);
    const queue = `/dashboard/${own.workspaceId}/queue`;
    const listDays = (text: string) => [...text.matchAll(/>On (2031-05-\d\d)</g)].map(([, day]) => day);
    expect(listDays((await person.visit(`${queue}?status=scheduled`)).text)).toEqual(days.toSorted());
    expect(listDays((await person.visit(queue)).text)).toEqual(days.toReversed());
    const { posts } = (await own.api.get("/posts?limit=10")).body.data;
    const first = posts.find(({ caption }: { caption: string }) => caption === "On 2031-05-01");
    const after = `2031-05-01T10:00:00.000Z_${first.id}`;
    const next = await person.visit(`${queue}?status=scheduled&before=${encodeURIComponent(after)}`);
    expect(listDays(next.text)).toEqual(days.toSorted().slice(1));
  });

  test("303 opens as a draft in the composer, and keeps its time", async () => {
    const id = await createPost("To be changed");
    const path = `/dashboard/${tenant.workspaceId}/posts/${id}`;
    const { status, headers } = await browser.visit(`${path}/edit`, { form: {} });
    expect([status, headers.get("location")]).toEqual([303, `/dashboard/${tenant.workspaceId}/compose?draft=${id}`]);
    expect(await read(id)).toMatchObject({ status: "draft", scheduled_at: AT });
    await tenant.api.post("/posts/delete", { post_ids: [id] });
    const gone = await browser.visit(`${path}/edit`, { form: {} });
    expect([gone.status, gone.headers.get("location")]).toEqual([303, path]);
  });
});
