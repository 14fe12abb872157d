// Approval links: a person without an account approves exactly what was shown, once, or says what has to change.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant, openTestDatabase, queryRows, type Tenant } from "../support/harness.ts";
import { type Browser, createBrowser, readMail, signInMember } from "./dashboard.ts";

async function prepareDraft(tenant: Tenant, browser: Browser, caption: string): Promise<string> {
  const account = await createTestAccount(tenant, "bluesky");
  const json = {
    caption,
    accounts: [{ id: account.id }],
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const prepared = await browser.visit(`/dashboard/${tenant.workspaceId}/api/posts/prepare`, { json });
  return JSON.parse(prepared.text).data.id;
}

async function requestLink(tenant: Tenant, browser: Browser, postId: string, recipient = "Ann"): Promise<string> {
  const path = `/dashboard/${tenant.workspaceId}/posts/${postId}`;
  const response = await browser.visit(`${path}/approvals`, { form: { recipient, days: "7" } });
  expect(response.status).toBe(303);
  const link = (await browser.visit(path)).text.match(/\/approve\/[\w-]{43}/)?.[0];
  if (!link) throw new Error("the page shows no link");
  return link;
}

async function setUp(caption: string, recipient?: string) {
  const tenant = await createTestTenant();
  const editor = await signInMember(tenant, "editor");
  const postId = await prepareDraft(tenant, editor, caption);
  const readStatus = async () => (await tenant.api.get(`/posts/${postId}`)).body.data.status;
  return {
    tenant,
    editor,
    postId,
    readStatus,
    link: await requestLink(tenant, editor, postId, recipient),
    ann: createBrowser(),
  };
}

test("a person without an account sees the post and approves it once, in their own name", async () => {
  const { tenant, editor, postId, readStatus, link, ann } = await setUp("Look at <this>");
  const page = await ann.visit(link);
  expect(page.status).toBe(200);
  expect(page.text).toContain("Look at &lt;this&gt;");
  expect(page.text).toContain("Bluesky");
  // The script of the page writes them in the time zone of the reader.
  expect(page.text.match(/<time datetime="[^"]+Z" data-local="true">[^<]+ \(UTC\)<\/time>/g)).toHaveLength(2);
  await tenant.api.patch("/workspace", { time_zone: "Asia/Tokyo" });
  const local = page.text.match(/datetime="([^"]+)"/)?.[1] ?? "";
  const hour = new Date(Date.parse(local) + 9 * 3_600_000).toISOString().slice(11, 16);
  const inTokyo = (await ann.visit(link)).text.match(/<time[^>]+>([^<]+) \(Asia\/Tokyo\)<\/time>/g);
  expect([inTokyo?.length, inTokyo?.[0]?.includes(`, ${hour} (`)]).toEqual([2, true]);
  const response = await ann.visit(link, { form: { decision: "approve" } });
  expect([response.status, response.headers.get("location")]).toEqual([303, link]);
  expect((await ann.visit(link)).text).toContain("Approved");
  expect(await readStatus()).toBe("scheduled");
  const again = await ann.visit(link, { form: { decision: "comment", comment: "too late" } });
  expect(again.text).toContain("Approved");
  const log = await queryRows<{ line: string }>(
    sql`select actor_kind || ' ' || actor_name || ' ' || action as line from audit_log
      where scope_id = ${tenant.workspaceId} and (record_id = ${postId} or noun = 'approval_links') order by id`,
  );
  expect(log.map(({ line }) => line)).toEqual([
    `member ${editor.email} posts.prepare`,
    `member ${editor.email} approvals.create`,
    "link Ann approvals.approve",
    "link Ann approvals.approve",
  ]);
  expect((await readMail(editor.email))?.subject).toBe("Ann approved a post");
  expect((await editor.visit(`/dashboard/${tenant.workspaceId}/posts/${postId}`)).text).toContain("approved it");
});

test("409 for a draft that has changed since, also between opening and approving", async () => {
  const { tenant, editor, postId, readStatus, link, ann } = await setUp("first words");
  const path = `/dashboard/${tenant.workspaceId}/api/posts/${postId}`;
  expect((await ann.visit(link)).status).toBe(200);
  expect((await editor.visit(path, { method: "PATCH", json: { caption: "other words" } })).status).toBe(200);
  expect((await ann.visit(link)).status).toBe(409);
  expect((await ann.visit(link, { form: { decision: "approve" } })).status).toBe(409);
  expect(await readStatus()).toBe("draft");
});

test("409 for an account that changed since, which the version of the post does not show", async () => {
  const { tenant, readStatus, link, ann } = await setUp("to whom");
  await openTestDatabase().execute(
    sql`update accounts set username = 'somebody.else' where scope_id = ${tenant.workspaceId}::uuid`,
  );
  expect((await ann.visit(link, { form: { decision: "approve" } })).status).toBe(409);
  expect(await readStatus()).toBe("draft");
});

test("a comment is sent to the author, ends the link, and publishes nothing", async () => {
  const { editor, readStatus, link, ann } = await setUp("a draft");
  expect((await ann.visit(link, { form: { decision: "comment", comment: " " } })).status).toBeLessThan(500);
  expect((await ann.visit(link, { form: { decision: "comment", comment: "Use the other photo." } })).status).toBe(303);
  expect((await readMail(editor.email))?.text).toContain("\n> Use the other photo.\n");
  expect((await ann.visit(link, { form: { decision: "approve" } })).text).toContain("Your comment was sent");
  expect(await readStatus()).toBe("draft");
});

test("a rejection is a comment that says so, with its reason", async () => {
  const { tenant, editor, postId, readStatus, link, ann } = await setUp("a draft");
  expect((await ann.visit(link)).text).toContain("Reject the post");
  expect((await ann.visit(link, { form: { decision: "reject", comment: " " } })).status).toBeLessThan(500);
  expect((await ann.visit(link, { form: { decision: "reject", comment: "Too dark." } })).status).toBe(303);
  expect((await readMail(editor.email))?.text).toContain("\n> Changes requested: Too dark.\n");
  const { text } = await editor.visit(`/dashboard/${tenant.workspaceId}/posts/${postId}`);
  expect(text).toContain("Changes requested: Too dark.");
  expect(await readStatus()).toBe("draft");
});

test("410 after its end, 404 for an unknown link, 403 from another page", async () => {
  const { tenant, readStatus, link, ann } = await setUp("late");
  for (const origin of [null, "https://evil.example"]) {
    expect((await ann.visit(link, { form: { decision: "approve" }, origin })).status).toBe(403);
  }
  expect((await ann.visit(`/approve/${"x".repeat(43)}`)).status).toBe(404);
  await openTestDatabase().execute(
    sql`update approval_links set expires_at = now() - interval '1 minute' where scope_id = ${tenant.workspaceId}::uuid`,
  );
  expect((await ann.visit(link)).status).toBe(410);
  expect((await ann.visit(link, { form: { decision: "approve" } })).status).toBe(410);
  expect(await readStatus()).toBe("draft");
});

test("every line of a comment is quoted as the reviewer's words, whatever ends it", async () => {
  const { editor, link, ann, tenant, postId } = await setUp("a draft");
  const comment =
    "Change it.\r\n\r\n\r\nYour account is locked.\u2028Sign in: https://evil.example\u0085-- \vThe team\fx\ry";
  await ann.visit(link, { form: { decision: "comment", comment } });
  const { text = "", subject } = (await readMail(editor.email)) ?? {};
  expect(subject).toBe("Ann wants a post changed");
  expect(text).toContain('The person who opened the link for "Ann" wrote:');
  const [, quoted = ""] = /wrote:\n\n([\s\S]*?)\n\nThese are their words, not ours\./.exec(text) ?? [];
  expect(quoted.split("\n")).toEqual([
    ...["> Change it.", ">", ">", "> Your account is locked.", "> Sign in: https://evil.example", "> --", "> The team"],
    ...["> x", "> y"],
  ]);
  expect(text).not.toMatch(/[\u2028\u0085\v\f\r]/);
  expect((await editor.visit(`/dashboard/${tenant.workspaceId}/posts/${postId}`)).text).toContain(
    '<q class="reason">Change it.',
  );
});

test.each([
  ["Ann\r\nBcc: all@example.com", "Ann Bcc: all@example.com"],
  ["Ann\n\n\tHarbour", "Ann Harbour"],
  ["Ann\u2028\u2029Harbour\u0085x", "Ann Harbour x"],
  ["\u202eAnn\u2066", "Ann"],
])("the recipient %j is one line in subjects, pages and the audit log", async (recipient, shown) => {
  const { editor, link, ann } = await setUp("a draft", recipient);
  expect((await ann.visit(link)).text).toContain(`asks ${shown} to approve`);
  await ann.visit(link, { form: { decision: "comment", comment: "x" } });
  expect((await readMail(editor.email))?.subject).toBe(`${shown} wants a post changed`);
});

test("400 for a recipient of nothing but line breaks, and for one that is too long", async () => {
  const { tenant, editor, postId } = await setUp("a draft");
  for (const recipient of ["\r\n\u2028", "x".repeat(101), "x".repeat(5000)]) {
    const path = `/dashboard/${tenant.workspaceId}/posts/${postId}/approvals`;
    expect((await editor.visit(path, { form: { recipient, days: "7" } })).status).toBe(400);
  }
});

test("a scheduled post is made a draft again, keeps its time and can be sent for approval", async () => {
  const { tenant, editor, postId, link, ann } = await setUp("Taken back");
  await ann.visit(link, { form: { decision: "approve" } });
  const path = `/dashboard/${tenant.workspaceId}/posts/${postId}`;
  const before = (await tenant.api.get(`/posts/${postId}`)).body.data;
  expect(before.status).toBe("scheduled");
  expect((await editor.visit(path)).text).toContain(`action="${path}/draft"`);
  expect((await editor.visit(`${path}/draft`, { form: {} })).status).toBe(303);
  const after = (await tenant.api.get(`/posts/${postId}`)).body.data;
  expect([after.status, after.scheduled_at]).toEqual(["draft", before.scheduled_at]);
  const page = (await editor.visit(path)).text;
  expect(page).toContain("Planned for");
  expect(page).toContain('name="recipient"');
  expect(page).not.toContain(`action="${path}/draft"`);
  const stranger = await createTestTenant();
  const other = await signInMember(stranger, "editor");
  const foreign = await other.visit(`/dashboard/${stranger.workspaceId}/posts/${postId}/draft`, { form: {} });
  expect(foreign.status).toBe(303);
  expect((await other.visit(`/dashboard/${stranger.workspaceId}/queue`)).text).not.toContain("Taken back");
});

test("a caption has the direction of its first letter on the page of the post, in the queue, and for the reviewer", async () => {
  const caption = "שלום עולם (2026).";
  const { tenant, editor, postId, link, ann } = await setUp(caption);
  const path = `/dashboard/${tenant.workspaceId}`;
  const places: [Browser, string, RegExp][] = [
    [editor, `${path}/posts/${postId}`, /<p class="caption" dir="auto">([^<]*)/],
    [editor, `${path}/queue?status=draft`, /<h2 dir="auto"><a [^>]*>([^<]*)/],
    [ann, link, /<div class="caption" dir="auto">([^<]*)/],
  ];
  for (const [browser, place, shown] of places)
    expect((await browser.visit(place)).text.match(shown)?.[1]).toBe(caption);
});
