// Taking down and editing what is out on the page of a post.
import { expect, test } from "vitest";
import { publishTo } from "../posts/published-post.ts";
import { readPublished, type TestAccount } from "../support/harness.ts";
import { signInOwner } from "./dashboard.ts";

test("a post is taken down from the chosen accounts, and the page says what came of each", async () => {
  const { tenant, accounts, postId } = await publishTo(["twitter", "bluesky", "instagram"]);
  const [twitter, bluesky] = accounts as [TestAccount, TestAccount];
  const browser = await signInOwner(tenant);
  const page = `/dashboard/${tenant.workspaceId}/posts/${postId}`;
  const before = await browser.visit(page);
  expect(before.text).toContain("Take down");
  expect(before.text).toMatch(/By hand: Open the post, tap the three dots in the Instagram app/);
  const sent = await browser.visit(`${page}/unpublish`, { form: new URLSearchParams({ account: bluesky.id }) });
  expect(sent.status).toBe(303);
  const after = await browser.visit(page);
  expect(after.text).toContain(`Bluesky ${bluesky.username}: Bluesky removed the post.`);
  expect(after.text).toContain("Taken down");
  expect(after.text).toContain("took a post down");
  expect(await readPublished(bluesky)).toEqual([]);
  expect(await readPublished(twitter)).toHaveLength(1);
});

test("the text of what is out is changed, and a refusal is shown with its reason", async () => {
  const { tenant, accounts, postId } = await publishTo(["facebook", "twitter"]);
  const [facebook, twitter] = accounts as [TestAccount, TestAccount];
  const browser = await signInOwner(tenant);
  const page = `/dashboard/${tenant.workspaceId}/posts/${postId}`;
  expect((await browser.visit(page)).text).toContain("Edit what is out");
  const form = new URLSearchParams([
    ["caption", "Corrected"],
    ["account", facebook.id],
    ["account", twitter.id],
  ]);
  expect((await browser.visit(`${page}/edit-published`, { form })).status).toBe(303);
  const { text } = await browser.visit(page);
  expect(text).toContain("Facebook shows the new caption.");
  expect(text).toContain("edits are for accounts with Premium");
  expect(await readPublished(facebook)).toMatchObject([{ caption: "Corrected" }]);
});

test("an account whose thread is not complete is taken down like the others", async () => {
  // X rejects a text that the account has published already.
  const more = { thread: [{ caption: "Second" }, { caption: "What is out" }] };
  const { tenant, accounts, postId } = await publishTo(["twitter"], { more });
  const [twitter] = accounts as [TestAccount];
  const browser = await signInOwner(tenant);
  const page = `/dashboard/${tenant.workspaceId}/posts/${postId}`;
  expect((await browser.visit(page)).text).toContain("Take down");
  await browser.visit(`${page}/unpublish`, { form: new URLSearchParams({ account: twitter.id }) });
  expect((await browser.visit(page)).text).toContain("X removed the post.");
  expect(await readPublished(twitter)).toEqual([]);
});

test("400 without an account, 404 for a post of another workspace", async () => {
  const { tenant, postId } = await publishTo(["bluesky"]);
  const other = await publishTo(["bluesky"]);
  const browser = await signInOwner(tenant);
  const posts = `/dashboard/${tenant.workspaceId}/posts`;
  expect((await browser.visit(`${posts}/${postId}/unpublish`, { form: {} })).status).toBe(400);
  const form = new URLSearchParams({ account: other.accounts[0]?.id ?? "" });
  expect((await browser.visit(`${posts}/${other.postId}/unpublish`, { form })).status).toBe(404);
});
