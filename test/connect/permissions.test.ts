// Optional permissions: which a consent asks for, and what an account can by what was granted.
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { connectors } from "../../lib/platforms/connectors.ts";
import { callControl, createTestTenant, type Tenant } from "../support/harness.ts";
import { createBrowser } from "./browser.ts";
import { createLink } from "./links.ts";
import { publish } from "./publish.ts";

interface Account {
  id: string;
  capabilities: { first_comment_limit: number | null };
}

async function connect({ api }: Tenant, offer: string, username: string, without: string[] = []): Promise<Account> {
  const [platform = ""] = offer.split(" ");
  const { path } = await createLink(api, { platforms: [platform] });
  await createBrowser().connect(path, offer, { accounts: [username], without });
  const { accounts } = (await api.get("/accounts")).body.data;
  expect(accounts).toHaveLength(1);
  return accounts[0];
}

test.each([
  ["instagram", "instagram_business_manage_comments", 2_200],
  ["facebook", "pages_manage_engagement", 8_000],
  ["youtube", "https://www.googleapis.com/auth/youtube.force-ssl", 10_000],
  ["linkedin page", "w_organization_social_feed", 1_250],
])("%s: first comments come and go with the consent to %s", async (offer, permission, limit) => {
  const tenant = await createTestTenant();
  const username = `2${randomInt(1e9)}`;
  const limits = [];
  for (const without of [[], [permission], []]) {
    limits.push((await connect(tenant, offer, username, without)).capabilities.first_comment_limit);
  }
  expect(limits).toEqual([limit, null, limit]);
});

test("a member of LinkedIn has none, whose app may not ask for it", async () => {
  const { capabilities } = await connect(await createTestTenant(), "linkedin", `ann.${randomInt(1e9)}`);
  expect(capabilities.first_comment_limit).toBeNull();
});

test("an account without the permission publishes, and a first comment is refused at its field until it is granted", async () => {
  const tenant = await createTestTenant();
  const username = `page.${randomInt(1e9)}`;
  const { id } = await connect(tenant, "facebook", username, ["pages_manage_engagement"]);
  const send = (more: object) => tenant.api.post("/posts", { caption: "Hello", accounts: [{ id }], ...more });
  const shared = await send({ first_comment: "Below" });
  const own = await send({ accounts: [{ id, first_comment: "Below" }] });
  const message = expect.stringMatching(/pages_manage_engagement.*Connect the account again/);
  for (const [refused, path] of [
    [shared, "first_comment"],
    [own, "accounts.0.first_comment"],
  ] as const) {
    expect(refused.status).toBe(400);
    expect(refused.body.fields).toMatchObject([{ path, code: "permission_missing", message }]);
  }
  const plain = await send({});
  expect(plain.status).toBe(201);
  expect(await publish(tenant, plain.body.data.id, new Date())).toMatchObject([{ status: "posted" }]);

  await connect(tenant, "facebook", username);
  const post = await send({ caption: "Hello again", first_comment: "Below" });
  expect(post.status).toBe(201);
  const [state] = await publish(tenant, post.body.data.id, new Date());
  expect(state).toMatchObject({ status: "posted", first_comment: { status: "posted", error_message: null } });
  const all = await callControl<Record<string, { caption: string; kind: string; parent?: string; url: string }[]>>(
    "GET",
    "/_published",
  );
  const comment = all.facebook?.find(({ kind, url }) => kind === "comment" && url === state?.first_comment?.url);
  expect(comment).toMatchObject({ caption: "Below", parent: expect.stringMatching(/^\d+_\d+$/) });
});

test.each([
  ["", []],
  ["+instagram_business_manage_comments", ["instagram_business_manage_comments"]],
  ["instagram_business_basic instagram_business_content_publish", []],
])("a consent asks for the usual permissions and those that a setting adds: %j", async (setting, added) => {
  const { api } = await createTestTenant();
  const { path } = await createLink(api, { platforms: ["instagram"] });
  const url = new URL(await createBrowser({ INSTAGRAM_SCOPES: setting }).start(path, "instagram"));
  const usual = connectors.instagram?.scopes ?? [];
  expect(url.searchParams.get("scope")?.split(",")).toEqual([...usual, ...added]);
});
