// `npm run admin`: what an operator sees and changes, and that no secret is an argument.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { OptionValues } from "../../functions/commands/admin-options.ts";
import { decryptToken } from "../../lib/shared/token-encryption.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import {
  createClient,
  createTestAccount,
  createTestTenant,
  openTestDatabase,
  queryRows,
  type Tenant,
  vars,
} from "../support/harness.ts";
import { createTestMode } from "../support/test-mode.ts";
import { callAdmin, runAdmin as startAdmin } from "./run-admin.ts";

const { DATABASE_URL, DATABASE_FETCH_URL, TOKEN_KEY = "" } = vars;

const runAdmin = (args: string[], input = "") =>
  startAdmin({ DATABASE_URL, DATABASE_FETCH_URL, TOKEN_KEY }, args, input);

function call(name: string, options: OptionValues): Promise<string> {
  const set = Object.entries(options).flatMap(([option, value]) => (value === undefined ? [] : [`--${option}`, value]));
  return callAdmin(openTestDatabase(), [...name.split(" "), ...set]);
}

const connect = ({ workspaceId }: Tenant, ...more: string[]) => [
  ...["account", "connect", "--workspace", workspaceId ?? "", "--platform", "twitter", "--type", "byo"],
  ...["--username", "ann", "--external-id", "42", ...more],
];

const readAccount = async (id: string) => {
  const [row] = await queryRows<Record<string, string | null>>(
    sql`select status, status_reason, access_token, refresh_token from accounts where id = ${id}`,
  );
  return row ?? null;
};

test("account connect reads the tokens from a pipe, and stores them encrypted", async () => {
  const tenant = await createTestTenant();
  const { code, out } = await runAdmin(connect(tenant), "access-1\nrefresh-1\n");
  expect(code).toBe(0);
  const id = out.replace("account ", "");
  const row = await readAccount(id);
  const keys = { current: TOKEN_KEY };
  const [access = "", refresh = ""] = [row?.access_token ?? "", row?.refresh_token ?? ""];
  expect(await decryptToken(keys, { accountId: id, column: "access_token" }, access)).toBe("access-1");
  expect(await decryptToken(keys, { accountId: id, column: "refresh_token" }, refresh)).toBe("refresh-1");
});

test("account connect stores no refresh token without a second line, and fails without the first", async () => {
  const tenant = await createTestTenant();
  const { out } = await runAdmin(connect(tenant), "access-2");
  expect((await readAccount(out.replace("account ", "")))?.refresh_token).toBeNull();
  const missing = await runAdmin(connect(tenant, "--name", "Other"), "");
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("The access token is missing")]);
});

test.each(["--access-token", "--refresh-token=secret-3"])("%s is rejected, and not repeated", async (option) => {
  const tenant = await createTestTenant();
  const error = await callAdmin(openTestDatabase(), [...connect(tenant), option, "secret-3"]).catch(String);
  expect(error).toMatch(/^Error: --(access|refresh)-token is not accepted: .* the command asks for it/);
  expect(error).not.toContain("secret-3");
});

test("accounts are listed, shown, paused, resumed and disconnected with a reason for their owner", async () => {
  const tenant = await createTestTenant();
  const { id, username } = await createTestAccount(tenant, "threads");
  const list = await call("account list", { workspace: tenant.workspaceId ?? "" });
  expect(list).toMatch(new RegExp(`^id +platform +type +status.*\\n${id} +threads +byo +active +${username}`));
  expect(await call("account show", { id })).toMatch(/openDeliveries +0/);

  expect(await call("account pause", { id, reason: "Spam reports" })).toContain("Its owner reads: Spam reports");
  expect(await readAccount(id)).toMatchObject({ status: "paused", status_reason: "Spam reports" });
  expect(await call("account resume", { id })).toContain("is active");
  expect(await readAccount(id)).toMatchObject({ status: "active", status_reason: null });

  expect(await call("account disconnect", { id })).toMatch(/its tokens are deleted; 0 posts wait for it/);
  expect(await readAccount(id)).toMatchObject({ status: "disconnected", access_token: null, refresh_token: null });
  await expect(call("account resume", { id })).rejects.toThrow(/is disconnected: nothing was changed/);
});

test("an account is deleted only when nothing was posted to it", async () => {
  const tenant = await createTestTenant();
  const [used, unused] = [await createTestAccount(tenant, "bluesky"), await createTestAccount(tenant, "threads")];
  const post = await tenant.api.post("/posts", { caption: "kept", accounts: [{ id: used.id }] });
  expect(post.status).toBe(201);
  await expect(call("account delete", { id: used.id })).rejects.toThrow(/has 1 posts/);
  expect(await call("account delete", { id: unused.id })).toContain("is deleted");
  expect([await readAccount(used.id), await readAccount(unused.id)]).toEqual([expect.anything(), null]);
});

test("workspaces and keys are listed without secrets", async () => {
  const tenant = await createTestTenant();
  const workspace = tenant.workspaceId ?? "";
  expect(await call("workspace show", { workspace })).toMatch(new RegExp(`^id +${workspace}[\\s\\S]*keys +1`));
  const [owner] = await queryRows<{ email: string }>(sql`select email from owners where id = ${tenant.ownerId}`);
  expect(await call("workspace list", { "owner-email": owner?.email })).toContain(workspace);
  const keys = await call("key list", { workspace });
  const [publicId = "", secret = ""] = tenant.token.split(".");
  expect(keys).toContain(publicId);
  expect(keys).not.toContain(secret);
});

test("a key is limited to accounts of its tenant, permissions and a time", async () => {
  const tenant = await createTestTenant();
  const workspace = tenant.workspaceId ?? "";
  const [own] = [await createTestAccount(tenant, "bluesky"), await createTestAccount(tenant, "threads")];
  const limits = { permissions: "accounts:read,posts:write", accounts: own.id, expires: "2099-01-01T00:00:00Z" };
  const [token = ""] = (await call("key create", { workspace, name: "Agent", ...limits })).split("\n");
  const api = createClient(token);
  expect((await api.get("/accounts")).body.data.accounts.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  expect((await api.get("/posts")).body.error_code).toBe("missing_permission");
  expect(await call("key list", { workspace })).toMatch(
    new RegExp(`Agent +live +accounts:read,posts:write +${own.id} .*accounts\\.list +2099-01-01T00:00:00.000Z`),
  );
  const foreign = await createTestAccount(await createTestTenant(), "bluesky");
  const create = call("key create", { workspace, name: "Agent", accounts: `${own.id},${foreign.id}` });
  await expect(create).rejects.toThrow(`the tenant has no account ${foreign.id}`);
});

test.each([
  ["key", /^pk_test_/],
  ["grant", /^gr_/],
])("%s create --mode test makes one that reaches test mode alone", async (noun, form) => {
  const tenant = await createTestTenant();
  await createTestAccount(tenant, "bluesky");
  const args = ["--workspace", tenant.workspaceId ?? "", "--name", "CI", "--mode", "test"];
  const { code, out } = await runAdmin([noun, "create", ...args]);
  const [token = ""] = out.split("\n");
  expect([code, token]).toEqual([0, expect.stringMatching(form)]);
  const { scopeId } = await createTestMode(tenant);
  const listed: { id: string }[] = (await createClient(token).get("/accounts")).body.data.accounts;
  expect(listed.map(({ id }) => id).toSorted()).toEqual(
    virtualAccounts(scopeId)
      .map(({ id }) => id)
      .toSorted(),
  );
  const workspace = tenant.workspaceId ?? "";
  expect(await call("key list", { workspace })).toMatch(new RegExp(`^${token.split(".")[0]} +CI +test`, "m"));
});

test("an unknown command names those of the same noun, an unknown id what is missing", async () => {
  const unknown = await call("account remove", {}).catch((error: Error) => error.message);
  expect(unknown).toMatch(/no command "account remove". With "account" there is:\n\n {2}account connect/);
  expect(unknown).not.toContain("workspace create");
  const { code, err } = await runAdmin(["acount", "list"]);
  expect([code, err]).toEqual([1, expect.stringContaining("Usage: npm run admin")]);
  await expect(call("account show", { id: "1" })).rejects.toThrow("--id must be the UUID of an account.");
});
