// The whole flow of a grant with a strict client, and what ends it.
import { sql } from "drizzle-orm";
import * as oauth from "oauth4webapi";
import { expect, test } from "vitest";
import { DRAFT_PERMISSIONS } from "../../lib/shared/permissions.ts";
import { connectAgent } from "../mcp/agent.ts";
import { createClient, createTestAccount, createTestTenant, queryRows } from "../support/harness.ts";
import { ORIGIN, signInOwner } from "../workspace/dashboard.ts";
import { consent, createGranted, createProgram, exchange, PUBLIC, readConsent, refresh, startAttempt } from "./flow.ts";

const status = async (token: string) => {
  const { status: code, body } = await createClient(token).get("/posts");
  return code === 200 ? 200 : `${code} ${body.error_code}`;
};

/** Moves what happened with the tokens of a grant into the past. */
const age = (token: string, seconds: number) =>
  queryRows(sql`update grant_refresh_tokens set used_at = used_at - ${`${seconds} seconds`}::interval
    where public_id = ${token.split(".")[0]} returning public_id`);

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof oauth.ResponseBodyError ? error.error : error),
  );

test("register, consent, exchange, call, refresh, revoke", async () => {
  const tenant = await createTestTenant();
  const [own, other] = [await createTestAccount(tenant, "bluesky"), await createTestAccount(tenant, "threads")];
  const [browser, program] = [await signInOwner(tenant), await createProgram({ name: "Planner" })];
  const attempt = await startAttempt(program, { scope: "accounts:read posts:read posts:write openid unknown:scope" });
  const page = await browser.visit(attempt.path);
  const shown = readConsent(page.text);
  expect(page.text).toContain("Planner asks for access");
  expect(page.text).toContain("<strong>client.example</strong>");
  expect(shown.permissions).toEqual(["accounts:read", "posts:read", "posts:write"]);
  expect(shown.accounts.sort()).toEqual([own.id, other.id].sort());
  const address = await consent(browser, attempt, {
    accounts: [own.id],
    permissions: ["accounts:read", "posts:write"],
  });
  expect(address.searchParams.get("iss")).toBe(ORIGIN);
  const tokens = await exchange(program, attempt, address);
  expect([tokens.token_type, tokens.expires_in, tokens.scope]).toEqual(["bearer", 3600, "accounts:read posts:write"]);
  const api = createClient(tokens.access_token);
  const { accounts } = (await api.get("/accounts")).body.data;
  expect(accounts.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  expect((await api.get("/posts")).body.error_code).toBe("missing_permission");
  const draft = { caption: "Tea", accounts: [{ id: own.id }] };
  expect((await api.post("/posts/prepare", draft)).status).toBe(201);
  expect((await api.post("/posts", draft)).body.error_code).toBe("missing_permission");
  const hidden = await api.post("/posts/prepare", { caption: "Tea", accounts: [{ id: other.id }] });
  expect(hidden.body.fields?.[0]?.code).toBe("unknown_accounts");

  const next = await refresh(program, tokens.refresh_token ?? "");
  expect(next.access_token).not.toBe(tokens.access_token);
  expect((await createClient(next.access_token).get("/accounts")).status).toBe(200);
  const { server, client, options } = program;
  const revoked = await oauth.revocationRequest(server, client, PUBLIC, next.refresh_token ?? "", options);
  await oauth.processRevocationResponse(revoked);
  for (const token of [tokens.access_token, next.access_token]) expect(await status(token)).toBe("401 revoked_token");
  expect(await failure(refresh(program, next.refresh_token ?? ""))).toBe("invalid_grant");
  const rows = await queryRows<{ actor_kind: string; action: string }>(
    sql`select actor_kind, action from audit_log where scope_id = ${tenant.workspaceId} and noun = 'grants' order by id`,
  );
  expect(rows).toEqual([
    { actor_kind: "member", action: "grants.create" },
    { actor_kind: "grant", action: "grants.revoke" },
  ]);
});

test("without scope the least is offered, and no ticked account is no account", async () => {
  const { accessToken, scope } = await createGranted({ resource: `${ORIGIN}/mcp` }, { accounts: [] }, (tenant) =>
    createTestAccount(tenant, "bluesky"),
  );
  expect(scope.split(" ").sort()).toEqual([...DRAFT_PERMISSIONS].sort());
  expect(await status(accessToken)).toBe("401 invalid_token");
  const agent = await connectAgent(accessToken);
  const names = (await agent.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("prepare_post");
  expect(names).not.toContain("commit_post");
  const listed = await agent.callTool({ name: "list_accounts", arguments: {} });
  expect(listed.structuredContent).toMatchObject({ accounts: [] });
});

test("a replayed code revokes what it gave, and gives nothing", async () => {
  const { program, attempt, address, accessToken, refreshToken, tenant } = await createGranted();
  expect(await status(accessToken)).toBe(200);
  expect(await failure(exchange(program, attempt, address))).toBe("invalid_grant");
  expect(await status(accessToken)).toBe("401 revoked_token");
  expect(await failure(refresh(program, refreshToken))).toBe("invalid_grant");
  const [row] = await queryRows<{ count: number }>(
    sql`select count(*)::int as count from audit_log where scope_id = ${tenant.workspaceId} and action = 'grants.replay'`,
  );
  expect(row?.count).toBe(1);
});

test("of ten exchanges of a code at once one gets tokens, which are revoked", async () => {
  const tenant = await createTestTenant();
  const [browser, program] = [await signInOwner(tenant), await createProgram()];
  const attempt = await startAttempt(program);
  const address = await consent(browser, attempt);
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => exchange(program, attempt, address)));
  const given = results.filter((result) => result.status === "fulfilled");
  expect(given).toHaveLength(1);
  expect(await status(given[0]?.value.access_token ?? "")).toBe("401 revoked_token");
});

test("fifty refreshes at once get the same tokens, and the family lives", async () => {
  const { program, refreshToken } = await createGranted();
  const all = await Promise.all(Array.from({ length: 50 }, () => refresh(program, refreshToken)));
  expect(new Set(all.map(({ access_token }) => access_token)).size).toBe(1);
  expect(new Set(all.map(({ refresh_token }) => refresh_token)).size).toBe(1);
  const [first] = all;
  expect(await status(first?.access_token ?? "")).toBe(200);
  const next = await refresh(program, first?.refresh_token ?? "");
  expect(await status(next.access_token)).toBe(200);
});

test("a used refresh token has the same answer for a minute, then it ends the family", async () => {
  const { program, refreshToken, accessToken, tenant } = await createGranted();
  const next = await refresh(program, refreshToken);
  await age(refreshToken, 55);
  const again = await refresh(program, refreshToken);
  expect([again.access_token, again.refresh_token]).toEqual([next.access_token, next.refresh_token]);
  expect(again.expires_in).toBeLessThanOrEqual(3546);
  const newest = await refresh(program, next.refresh_token ?? "");
  expect(await status(newest.access_token)).toBe(200);
  await age(refreshToken, 10);
  expect(await failure(refresh(program, refreshToken))).toBe("invalid_grant");
  for (const token of [accessToken, next.access_token, newest.access_token])
    expect(await status(token)).toBe("401 revoked_token");
  expect(await failure(refresh(program, newest.refresh_token ?? ""))).toBe("invalid_grant");
  const rows = await queryRows<{ actor_name: string; action: string }>(
    sql`select actor_kind, action from audit_log where scope_id = ${tenant.workspaceId} and action = 'grants.reuse'`,
  );
  expect(rows).toEqual([{ actor_kind: "grant", action: "grants.reuse" }]);
});
