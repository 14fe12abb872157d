// A key limited to one account, with every operation: what it reads does not change when other accounts get posts, targets, events
// and links, and each of these is a 404. A new operation is covered from its declaration.
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { createTarget, listReadingScopes, processRefreshes } from "../analytics/refreshes.ts";
import { inHours, updateDeliveries } from "../posts/post-requests.ts";
import { publishTo } from "../posts/published-post.ts";
import {
  type Client,
  createClient,
  createTestAccount,
  createTestKey,
  createTestTenant,
  queryRows,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";
import { endpoints, headersFor, readAll, reads } from "../support/requests.ts";
import { createTestWebhook } from "../webhooks/receiver.ts";

type Operation = (typeof endpoints)[number];

let tenant: Tenant;
let full: Client;
let limited: Client;
let own: TestAccount;
let other: TestAccount;
/** By the noun of a path: records of another account, or of it together with the own one. */
let hidden: Record<string, string[]>;
let ownPost: string;
let bothPost: string;

/** Nouns whose records are about no account. */
const WITHOUT_ACCOUNTS = [
  "file",
  "slideshow",
  "template",
  "pack",
  "image",
  "folder",
  "project",
  "link",
  "upload",
  "slide",
  "request",
];

async function addRecords(accounts: TestAccount[]): Promise<{ post: string; draft: string }> {
  const body = { caption: "Tea", accounts: accounts.map(({ id }) => ({ id })), scheduled_at: inHours(5) };
  const create = async (path: string) => (await full.post(path, body)).body.data.id as string;
  const failed = await create("/posts");
  await updateDeliveries(failed, sql`status = 'failed', stage = 'done', next_attempt_at = null`);
  return { post: await create("/posts"), draft: await create("/posts/prepare") };
}

async function addTarget({ username, platform }: TestAccount): Promise<{ target: string; refresh: string }> {
  const target = await createTarget(full, platform as "instagram", username);
  const { body } = await full.post(`/analytics/targets/${target}/refresh`);
  await processRefreshes([body.data.refresh.id]);
  return { target, refresh: body.data.refresh.id };
}

let before: Record<string, unknown>;
let after: Record<string, unknown>;

beforeAll(async () => {
  tenant = await createTestTenant();
  full = tenant.api;
  const options = { facts: { posts: 3 }, scopes: listReadingScopes("instagram") };
  own = await createTestAccount(tenant, "instagram", options);
  const text = await createTestAccount(tenant, "bluesky");
  limited = createClient(await createTestKey(tenant, { accountIds: [own.id, text.id] }));
  ownPost = (await addRecords([text])).post;
  await addTarget(own);
  before = await readAll(limited);

  const { accounts, postId } = await publishTo(["threads"], { tenant });
  other = accounts[0] as TestAccount;
  const theirs = await addRecords([other]);
  const both = await addRecords([text, other]);
  bothPost = both.post;
  const tracked = await addTarget(await createTestAccount(tenant, "instagram", options));
  const approval = await full.post(`/posts/${theirs.draft}/approvals`, {});
  const stranger = await createTarget(full, "tiktok", "tea.example.studio");
  const webhook = await createTestWebhook(tenant, { types: ["*"] });
  await full.post(`/webhooks/${webhook.id}/test`);
  const { body } = await full.get(`/webhooks/${webhook.id}/deliveries`);
  await full.delete(`/accounts/${(await createTestAccount(tenant, "threads")).id}`);
  hidden = {
    account: [other.id],
    post: [postId, theirs.post, theirs.draft, both.post, both.draft],
    target: [tracked.target, stranger],
    refresh: [tracked.refresh],
    webhook: [webhook.id],
    approval: [approval.body.data.id],
    delivery: [body.data.deliveries[0].id],
  };
  after = await readAll(limited);
}, 120_000);

test.each(reads)("$id is the same before and after others have records", ({ id }) => {
  expect(after[id]).toEqual(before[id]);
});

test("the key sees its own account, post, target and their events", async () => {
  const ids = async (path: string, list: string) =>
    (await limited.get(path)).body.data[list].map((row: { id: string }) => row.id);
  expect(await ids("/accounts", "accounts")).toContain(own.id);
  expect(await ids("/posts", "posts")).toContain(ownPost);
  expect((await limited.get("/posts")).body.data.summary.total).toBe(3);
  expect(await ids("/analytics/targets", "targets")).toHaveLength(1);
  const { events } = (await limited.get("/events?limit=200")).body.data;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(["account.connected", "post.scheduled", "refresh.completed"]),
  );
  const all = (await full.get("/events?limit=200")).body.data.events;
  expect(all.length).toBeGreaterThan(events.length + 5);
});

const ofAccounts = endpoints.flatMap((operation) => {
  const nouns = Object.values(operation.spec.params ?? {}) as string[];
  // The posts of the library are those of all customers.
  const isShared = operation.spec.auth === "public" || operation.id.startsWith("viral-library.");
  return !isShared && nouns.some((noun) => !WITHOUT_ACCOUNTS.includes(noun)) ? [{ ...operation, nouns }] : [];
});

/** The paths of records that are not the key's, filled noun by noun. */
function listPaths({ path, spec }: Operation): string[] {
  const [[first = "", noun = ""] = []] = Object.entries(spec.params as Record<string, string>);
  return (hidden[noun] ?? []).map((id) =>
    Object.entries(spec.params as Record<string, string>).reduce(
      (filled, [name, its]) => filled.replace(`{${name}}`, name === first ? id : at(hidden[its])),
      path,
    ),
  );
}

const at = (ids: string[] | undefined) => ids?.[0] ?? "00000000-0000-4000-8000-000000000000";

describe.each(ofAccounts)("$id", (operation) => {
  const { spec, method, body, nouns } = operation;

  test("404 for records of other accounts, which stay as they are", async () => {
    for (const noun of nouns) expect(Object.keys(hidden)).toContain(noun);
    const state = await readRows();
    for (const path of listPaths(operation)) {
      const response = await limited.call(method, path, { body, headers: headersFor(spec) });
      expect([path, response.status, response.body.error_code]).toEqual([path, 404, "not_found"]);
      if (method === "GET" && nouns.length === 1) expect((await full.get(path)).status).not.toBe(404);
    }
    expect(await readRows()).toEqual(state);
  });
});

const readRows = () =>
  queryRows(sql`
    select to_jsonb(a) as row from accounts a where scope_id = ${tenant.workspaceId}
    union all select to_jsonb(p) from posts p where scope_id = ${tenant.workspaceId}
    union all select to_jsonb(d) from post_deliveries d join posts p on p.id = d.post_id where p.scope_id = ${tenant.workspaceId}
    union all select to_jsonb(t) from analytics_targets t where scope_id = ${tenant.workspaceId}
    union all select to_jsonb(l) from approval_links l where scope_id = ${tenant.workspaceId}
    union all select to_jsonb(w) from webhooks w where scope_id = ${tenant.workspaceId}`);

/** The names of the fields of a body, at any depth. */
function listFields(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, ...others } = schema as Record<string, object>;
  return [
    ...Object.keys(properties ?? {}),
    ...[...Object.values(properties ?? {}), ...Object.values(others)].flatMap(listFields),
  ];
}

test("every body that names accounts or posts is tested here", () => {
  const naming = endpoints.filter(({ spec }) => {
    if (!spec.body) return false;
    const schema = z.toJSONSchema(spec.body, { io: "input", unrepresentable: "any" });
    return listFields(schema).some((name) => /^(accounts?|account_ids?|post_ids?|postIds?|identifier)$/.test(name));
  });
  expect(naming.map(({ id }) => id)).toEqual([
    ...[
      "analytics.create-target",
      "posts.create",
      "posts.delete",
      "posts.edit-published",
      "posts.prepare",
      "posts.retry",
    ],
    ...["posts.unpublish", "posts.update"],
  ]);
});

describe("in a body", () => {
  test("400 unknown_accounts for other accounts, alone and beside an own one", async () => {
    for (const accounts of [[{ id: other.id }], [{ id: own.id }, { id: other.id }]]) {
      for (const [method, path] of [
        ["POST", "/posts"],
        ["POST", "/posts/prepare"],
        ["PATCH", `/posts/${ownPost}`],
      ] as const) {
        const response = await limited.call(method, path, { body: { caption: "Tea", accounts } });
        expect([path, response.status, response.body.error_code]).toEqual([path, 400, "unknown_accounts"]);
      }
    }
    const response = await limited.post("/analytics/targets", { platform: "threads", identifier: other.username });
    expect([response.status, response.body.error_code]).toEqual([400, "unknown_accounts"]);
    for (const path of ["unpublish", "edit-published"]) {
      const body = { account_ids: [other.id], ...(path === "unpublish" ? {} : { caption: "Tea" }) };
      const { status } = await limited.post(`/posts/${hidden.post?.[0]}/${path}`, body);
      expect(status).toBe(404);
    }
  });

  test("posts of other accounts are not retried or deleted", async () => {
    const ids = hidden.post ?? [];
    const retried = await limited.post("/posts/retry", { post_ids: ids.slice(0, 20) });
    expect(retried.body.data).toMatchObject({ retried: 0, failed: ids });
    const deleted = await limited.post("/posts/delete", { post_ids: ids });
    expect(deleted.body.data).toMatchObject({ deletedIds: [], blockedStatuses: [], skipped: ids });
    for (const id of ids) expect((await full.get(`/posts/${id}`)).status).toBe(200);
  });

  test("409 external_id_conflict for the external_id of a post that the key does not see", async () => {
    const body = { caption: "Tea", accounts: [{ id: other.id }], scheduled_at: inHours(3), external_id: "tea-1" };
    await full.post("/posts", body);
    const [account] = (await limited.get("/accounts")).body.data.accounts.filter(
      ({ platform }: { platform: string }) => platform === "bluesky",
    );
    const response = await limited.post("/posts", { ...body, accounts: [{ id: account.id }] });
    expect([response.status, response.body.error_code]).toEqual([409, "external_id_conflict"]);
    expect(response.body.message).toContain("by a post that this key does not see");
  });
});

test("a webhook of a limited key gets events of its accounts, and a replay adds no others", async () => {
  const { body } = await limited.post("/webhooks", { url: "https://1.1.1.1/hook", types: ["*"] });
  const { id } = body.data;
  const accounts = (ids: string[]) => ids.map((account) => ({ id: account }));
  const [text] = await queryRows<{ id: string }>(
    sql`select account_id as id from post_deliveries where post_id = ${ownPost}`,
  );
  const create = async (ids: string[]) =>
    (await full.post("/posts", { caption: "Tea", accounts: accounts(ids), scheduled_at: inHours(9) })).body.data.id;
  const visible = await create([text?.id ?? ""]);
  await create([other.id]);
  await create([text?.id ?? "", other.id]);
  const listSent = () =>
    queryRows<{ id: string }>(
      sql`select object_id as id from webhook_deliveries where webhook_id = ${id} order by sequence`,
    );
  expect((await listSent()).map((row) => row.id)).toEqual([visible]);

  const hiddenIds = [...(hidden.post ?? []), other.id, bothPost];
  for (const client of [limited, full]) {
    const replay = await client.post(`/webhooks/${id}/replay`, { after: null });
    expect(replay.status).toBe(200);
    const sent = (await listSent()).map((row) => row.id);
    expect(sent).toContain(ownPost);
    expect(sent.filter((one) => hiddenIds.includes(one))).toEqual([]);
  }
  expect((await full.get("/webhooks")).body.data.webhooks).toHaveLength(2);
  expect((await limited.get("/webhooks")).body.data.webhooks).toHaveLength(1);
});

test("a key without any account sees none", async () => {
  const none = createClient(await createTestKey(tenant, { accountIds: [] }));
  expect((await none.get("/accounts?status=all")).body.data.accounts).toEqual([]);
  expect((await none.get("/posts")).body.data).toMatchObject({ posts: [], summary: { total: 0 } });
  const { id } = (await none.post("/webhooks", { url: "https://1.1.1.1/none", types: ["*"] })).body.data;
  const listIds = async (client: Client) =>
    (await client.get("/webhooks")).body.data.webhooks.map((webhook: { id: string }) => webhook.id);
  expect([await listIds(none), (await listIds(limited)).includes(id), (await listIds(full)).includes(id)]).toEqual([
    [id],
    false,
    true,
  ]);
});
