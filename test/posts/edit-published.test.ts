// Editing what is out over HTTP: what each network shows afterwards, and what the caller is told of each account.

import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { describe, expect, test } from "vitest";
import { uploadDemoVideo } from "../files/upload-file.ts";
import { callControl, createTestTenant, readPublished, type TestAccount } from "../support/harness.ts";
import { expectError, getPaths, updateDeliveries } from "./post-requests.ts";
import { type PublishedSetting, publishTo, readPost } from "./published-post.ts";

const edit = ({ tenant, postId }: PublishedSetting, body: object) =>
  tenant.api.post(`/posts/${postId}/edit-published`, body);

const behave = ({ platform, externalId }: TestAccount, answer: string, more: object = {}) =>
  callControl("POST", "/_behave", { network: platform, account: externalId, answer, times: 1, ...more });

const listResults = ({ body }: Awaited<ReturnType<typeof edit>>) =>
  body.data.results.map(({ result }: { result: string }) => result);

const premium = { facts: { premium: true } };

test("200 changes the caption at each network that can, and that of the post", async () => {
  const setting = await publishTo(["facebook", "linkedin", "twitter", "bluesky", "threads"], { options: premium });
  const response = await edit(setting, { caption: "Corrected #news" });
  expect(response.status).toBe(200);
  expect(listResults(response)).toEqual(["edited", "edited", "edited", "not_supported", "not_supported"]);
  for (const account of setting.accounts.slice(0, 3)) {
    expect(await readPublished(account), account.platform).toMatchObject([{ caption: "Corrected #news" }]);
  }
  for (const account of setting.accounts.slice(3)) {
    expect(await readPublished(account)).toMatchObject([{ caption: "What is out" }]);
  }
  expect(await readPost(setting)).toMatchObject({ caption: "Corrected #news", status: "posted" });
  const [, , twitter, bluesky] = response.body.data.results;
  expect((await readPublished(setting.accounts[2] as TestAccount))[0]?.url).toBe(twitter.url);
  expect(bluesky.message).toMatch(/Bluesky posts cannot be changed.*Take it down, and publish it again/);
});

test("200 keeps what is not sent: title, tags and category of a video, link and board of a pin", async () => {
  const more = {
    settings: { youtube: { title: "The title", tags: [{ label: "one" }, { label: "two" }], categoryId: "27" } },
    pinterest: { board_id: "549755885175", title: "A pin", tags: ["tea"], link: "https://example.com/tea" },
  };
  const setting = await publishTo(["youtube", "pinterest"], { more });
  const [youtube, pinterest] = setting.accounts as [TestAccount, TestAccount];
  expect(listResults(await edit(setting, { caption: "New text" }))).toEqual(["edited", "edited"]);
  expect(await readPublished(youtube)).toMatchObject([
    { title: "The title", caption: "New text", settings: { tags: ["one", "two"], categoryId: "27" } },
  ]);
  expect(await readPublished(pinterest)).toMatchObject([
    { title: "A pin", caption: "New text\n\n#tea", settings: { link: "https://example.com/tea" } },
  ]);
  expect(listResults(await edit(setting, { title: "Better title" }))).toEqual(["edited", "edited"]);
  expect(await readPublished(youtube)).toMatchObject([{ title: "Better title", caption: "New text" }]);
  expect(await readPublished(pinterest)).toMatchObject([{ title: "Better title", caption: "New text\n\n#tea" }]);
  expect((await readPost(setting)).pinterest).toMatchObject({ title: "Better title", board_id: "549755885175" });
});

test("200 with account_ids changes the caption of these accounts alone", async () => {
  const setting = await publishTo(["facebook", "linkedin"]);
  const [facebook, linkedin] = setting.accounts as [TestAccount, TestAccount];
  expect(listResults(await edit(setting, { caption: "For the page", account_ids: [facebook.id] }))).toEqual(["edited"]);
  expect(await readPublished(linkedin)).toMatchObject([{ caption: "What is out" }]);
  expect(await readPost(setting)).toMatchObject({
    caption: "What is out",
    accounts: { overrides: [{ account_id: facebook.id, caption: "For the page" }] },
  });
  const all = await edit(setting, { caption: "For all others" });
  expect(all.body.data.results).toMatchObject([
    { result: "not_supported", message: expect.stringContaining("account_ids") },
    { result: "edited" },
  ]);
  expect(await readPublished(facebook)).toMatchObject([{ caption: "For the page" }]);
});

test("200 X: an account without Premium and a post that is too old are told so", async () => {
  const setting = await publishTo(["twitter"]);
  const { body } = await edit(setting, { caption: "b" });
  expect(body.data.results).toMatchObject([{ result: "failed", message: expect.stringContaining("Premium") }]);
  expect(await readPost(setting)).toMatchObject({ caption: "What is out" });

  const old = await publishTo(["twitter"], { options: premium });
  await updateDeliveries(old.postId, sql`published_at = published_at - interval '61 minutes'`);
  const late = await edit(old, { caption: "b" });
  expect(late.body.data.results).toMatchObject([
    { result: "failed", message: expect.stringMatching(/within an hour.*has passed/) },
  ]);
  expect(await readPublished(old.accounts[0] as TestAccount)).toMatchObject([{ caption: "What is out" }]);
  expect(await readPost(old)).toMatchObject({ caption: "What is out" });
});

test.each([
  ["complete", "Second", "posted"],
  ["partial", "First reply", "partial"],
])("200 X keeps the media of a post with a thread that is %s", async (_name, reply, status) => {
  const tenant = await createTestTenant();
  const media = { type: "video", url: await uploadDemoVideo(tenant.api) };
  const more = { media, thread: [{ caption: "First reply" }, { caption: reply }] };
  const setting = await publishTo(["twitter"], { tenant, options: premium, more });
  const [account] = setting.accounts as [TestAccount];
  expect((await readPost(setting)).status).toBe(status);
  const before = await readPublished(account);
  expect(listResults(await edit(setting, { caption: "Corrected" }))).toEqual(["edited"]);
  const [root, ...replies] = await readPublished(account);
  expect(before[0]).toMatchObject({ media: [{ type: "video/mp4" }] });
  expect(root).toMatchObject({ ...before[0], id: root?.id, url: root?.url, caption: "Corrected" });
  expect(replies).toEqual(before.slice(1));
});

test.each(["drop_before", "drop_after", "500"])("200 after a lost answer (%s) there is one edit", async (answer) => {
  const setting = await publishTo(["twitter", "facebook"], { options: premium });
  for (const account of setting.accounts) await behave(account, answer);
  expect(listResults(await edit(setting, { caption: "b" }))).toEqual(["edited", "edited"]);
  for (const account of setting.accounts) expect(await readPublished(account)).toMatchObject([{ caption: "b" }]);
  const { tenant, postId } = setting;
  const { body } = await tenant.api.post(`/posts/${postId}/unpublish`, {});
  expect(body.data.status).toBe("deleted");
});

test("200 an account without the permission keeps its text and works on", async () => {
  const scopes = ["youtube.upload", "youtube.readonly"].map((name) => `https://www.googleapis.com/auth/${name}`);
  const setting = await publishTo(["youtube"], { options: { scopes } });
  const { body } = await edit(setting, { title: "b" });
  expect(body.data.results).toMatchObject([
    { result: "failed", message: expect.stringMatching(/force-ssl.*Reconnect/) },
  ]);
});

describe("errors", () => {
  test("400 validation_failed names the account, and no network is called", async () => {
    const setting = await publishTo(["facebook", "linkedin"]);
    const response = await edit(setting, { caption: "x".repeat(3_001) });
    expectError(response, 400, "validation_failed");
    expect(getPaths(response)).toEqual(["caption"]);
    expect(response.body.fields).toMatchObject([{ account_id: setting.accounts[1]?.id, limit: 3_000 }]);
    expect(await readPublished(setting.accounts[0] as TestAccount)).toMatchObject([{ caption: "What is out" }]);
    expect((await edit(setting, { caption: "short" })).status).toBe(200);
  });

  test("404, 400, 409 and 422 as for every change of a post", async () => {
    const setting = await publishTo(["facebook"]);
    const other = await createTestTenant();
    const path = `/posts/${setting.postId}/edit-published`;
    expectError(await other.api.post(path, { caption: "b" }), 404, "not_found");
    expectError(await edit(setting, { caption: "b", account_ids: [newId()] }), 400, "unknown_accounts");
    expectError(await edit(setting, {}), 422, "invalid_payload");
    expectError(await edit(setting, { caption: "" }), 422, "invalid_payload");
    expectError(await edit(setting, { title: " " }), 422, "invalid_payload");
    await setting.tenant.api.post(`/posts/${setting.postId}/unpublish`, {});
    expectError(await edit(setting, { caption: "b" }), 409, "post_not_published");
  });
});
