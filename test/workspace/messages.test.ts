// Messages of the API on pages for people: times by the clock of the workspace, and no names of fields.
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { startClock } from "../support/stop-clock.ts";
import { signInOwner } from "./dashboard.ts";

startClock();
const tenant = await createTestTenant();
const account = await createTestAccount(tenant, "bluesky");
const browser = await signInOwner(tenant);
const base = `/dashboard/${tenant.workspaceId}`;
await tenant.api.patch("/workspace", { time_zone: "Europe/Berlin" });

const accounts = [{ id: account.id }];
const IN_THE_PAST = "This time is in the past. Choose a later one.";
const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z is/;

async function createPost(scheduled_at: string): Promise<string> {
  const { status, body } = await tenant.api.post("/posts", { caption: "Later", accounts, scheduled_at });
  expect(status).toBe(201);
  return body.data.id;
}

test("a move to the past says so in plain words, by every form and by the script", async () => {
  const id = await createPost("2027-06-01T12:00:00Z");
  const local = "2026-01-02T10:00";
  await browser.visit(`${base}/posts/${id}/reschedule`, { form: { at: local, zone: "Europe/Berlin" } });
  const bulk = { post: id, action: "day", day: "2026-01-02" };
  const pages = [
    await browser.visit(`${base}/posts/${id}`),
    await browser.visit(`${base}/posts/bulk`, { form: bulk }).then(() => browser.visit(`${base}/queue`)),
    await browser.visit(`${base}/compose/check`, {
      json: { posts: [{ caption: "Past", accounts, scheduled_at: { local } }] },
    }),
  ];
  for (const { text } of pages) {
    expect(text).toContain(IN_THE_PAST);
    expect(text).not.toMatch(INSTANT);
    expect(text).not.toContain("scheduled_at");
  }
  const scheduled_at = { local, time_zone: "Europe/Berlin" };
  const moved = await browser.visit(`${base}/api/posts/${id}`, { method: "PATCH", json: { scheduled_at } });
  expect([moved.status, JSON.parse(moved.text)]).toMatchObject([
    400,
    { error_code: "validation_failed", message: IN_THE_PAST },
  ]);
});

test("404 for a post that somebody else deleted, in words of the workspace", async () => {
  const path = `${base}/api/posts/${await createPost("2027-06-01T12:00:00Z")}`;
  expect((await browser.visit(path)).status).toBe(200);
  await tenant.api.post("/posts/delete", { post_ids: [path.split("/").at(-1)] });
  const { status, text } = await browser.visit(path, { method: "PATCH", json: { caption: "Late" } });
  const message = "No post with this id is in this workspace. It may have been deleted.";
  expect([status, JSON.parse(text)]).toMatchObject([404, { message }]);
});

test.each(["0027-03-01T10:00", "9999-12-31T10:00"])(
  "a move to the year of %s names the field of the form",
  async (at) => {
    const id = await createPost("2027-06-01T12:00:00Z");
    await browser.visit(`${base}/posts/${id}/reschedule`, { form: { at } });
    expect((await browser.visit(`${base}/posts/${id}`)).text).toContain("<p>When: Must be from 1970 to 9000, such as");
  },
);

test("the composer names the time of another post as the clock of the workspace shows it", async () => {
  await createPost("2027-10-31T01:30:00Z");
  const scheduled_at = { local: "2027-10-31T02:30", on_overlap: "second" };
  const { text } = await browser.visit(`${base}/compose/check`, {
    json: { posts: [{ caption: "Beside it", accounts, scheduled_at }] },
  });
  expect(text).toContain("goes out within the same minute, at 31 Oct 2027, 02:30 (the second of two).");
});

test.each([
  ["compose", "Writing a post needs JavaScript. Switch it on in this browser, then load the page again."],
  ["files", "Uploading files needs JavaScript."],
  ["calendar", "Without JavaScript, open the post and move it there."],
])("the page %s says what needs a script, where there is none", async (page, sentence) => {
  const { text } = await browser.visit(`${base}/${page}`);
  expect(text.match(/<noscript>.*?<\/noscript>/s)?.[0]).toContain(sentence);
});
