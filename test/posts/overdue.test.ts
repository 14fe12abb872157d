// A caller reads why a post is late, or waits for an earlier post of its account.
import { type SQL, sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant, type Tenant, type TestAccount } from "../support/harness.ts";
import { createPostOf, updateAccount, updateDeliveries } from "./post-requests.ts";

async function createPost(tenant: Tenant, account: TestAccount, change: SQL): Promise<string> {
  const id = await createPostOf(tenant, { caption: "a", accounts: [{ id: account.id }] });
  await updateDeliveries(id, change);
  return id;
}

const due = (secondsAgo: number) =>
  sql`due_at = now() - ${`${secondsAgo} seconds`}::interval, next_attempt_at = now() - ${`${secondsAgo} seconds`}::interval`;

async function readState(tenant: Tenant, id: string) {
  const [one, list] = [await tenant.api.get(`/posts/${id}`), await tenant.api.get("/posts")];
  const [state] = one.body.data.accounts.states;
  const listed = list.body.data.posts.find((post: { id: string }) => post.id === id);
  expect(listed.accounts.states).toEqual([state]);
  return state;
}

async function openAccount() {
  const tenant = await createTestTenant();
  return { tenant, account: await createTestAccount(tenant, "bluesky") };
}

test("200 a post that is due now is neither late nor waiting", async () => {
  const { tenant, account } = await openAccount();
  const id = await createPost(tenant, account, due(5));
  expect(await readState(tenant, id)).toMatchObject({ waiting_for: null, overdue: null });
});

test("200 a late post states the earlier post of its account, why it waits and until when", async () => {
  const { tenant, account } = await openAccount();
  const first = await createPost(
    tenant,
    account,
    sql`due_at = now() - interval '5 minutes', next_attempt_at = now() + interval '2 minutes', status = 'retry',
      error_code = 'rate_limited', error_message = 'Bluesky limits the account.'`,
  );
  const second = await createPost(tenant, account, due(120));
  const { waiting_for, overdue } = await readState(tenant, second);
  expect(waiting_for).toMatchObject({ post_id: first, until: expect.any(String), until_at_most: expect.any(String) });
  expect(new Date(waiting_for.until).getTime()).toBeGreaterThan(Date.now() + 60_000);
  expect(waiting_for.reason).toContain("Bluesky limits the account.");
  expect(overdue).toMatchObject({ cause: "earlier_post", reason: waiting_for.reason });
  expect(await readState(tenant, first)).toMatchObject({
    waiting_for: null,
    overdue: { cause: "retry", reason: "Bluesky limits the account." },
  });
});

test("200 a post waits for one that is being published, which has no known end", async () => {
  const { tenant, account } = await openAccount();
  const busy = sql`${due(20)}, lease_token = ${newId()}, lease_until = now() + interval '1 minute'`;
  const first = await createPost(tenant, account, busy);
  const second = await createPost(tenant, account, due(10));
  expect(await readState(tenant, second)).toMatchObject({
    waiting_for: { post_id: first, until: null },
    overdue: null,
  });
});

test("200 a post that the network has taken holds back no other", async () => {
  const { tenant, account } = await openAccount();
  const first = await createPost(tenant, account, sql`${due(600)}, stage = 'sent'`);
  const second = await createPost(tenant, account, due(300));
  expect(await readState(tenant, first)).toMatchObject({ waiting_for: null, overdue: { cause: "processing" } });
  expect(await readState(tenant, second)).toMatchObject({ waiting_for: null, overdue: { cause: "service_delay" } });
});

test("200 a post of the workspace that the account left is not named", async () => {
  const { tenant, account } = await openAccount();
  await createPost(tenant, account, due(600));
  const other = await createTestTenant();
  await updateAccount(account.id, sql`owner_id = ${other.ownerId}, workspace_id = ${other.workspaceId}`);
  const second = await createPost(other, account, due(300));
  expect(await readState(other, second)).toMatchObject({ waiting_for: null, overdue: { cause: "service_delay" } });
});

test("200 a published post and a draft are never late", async () => {
  const { tenant, account } = await openAccount();
  const posted = await createPost(
    tenant,
    account,
    sql`due_at = now() - interval '1 hour', status = 'posted', stage = 'done', next_attempt_at = null, published_at = now()`,
  );
  const draft = await tenant.api.post("/posts/prepare", { caption: "a", accounts: [{ id: account.id }] });
  for (const id of [posted, draft.body.data.id])
    expect(await readState(tenant, id)).toMatchObject({ waiting_for: null, overdue: null });
});
