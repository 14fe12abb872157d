import { expect, test } from "vitest";
import { PLATFORMS } from "../../lib/shared/platforms.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { PERMISSIONS } from "../local/networks/permissions/table.ts";

const SCOPE = "0190f5fe-7c00-7a00-8000-000000000001";
const OTHER = "0190f5fe-7c00-7a00-8000-000000000002";

test("the accounts of a scope are the same each time, and share nothing with those of another", () => {
  expect(virtualAccounts(SCOPE)).toEqual(virtualAccounts(SCOPE));
  const values = [SCOPE, OTHER].flatMap((scope) =>
    virtualAccounts(scope).flatMap(({ id, externalId, accessToken, refreshToken }) => [
      ...[id, externalId],
      ...[accessToken, refreshToken].filter((token) => token !== null),
    ]),
  );
  expect(new Set(values).size).toBe(values.length);
  for (const { id } of virtualAccounts(SCOPE)) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test("there is an account at every network, and one of the hosted publisher", () => {
  const accounts = virtualAccounts(SCOPE);
  const own = accounts.filter(({ type }) => type === "byo");
  expect(new Set(own.map(({ platform }) => platform))).toEqual(new Set(PLATFORMS));
  expect(accounts.filter(({ type }) => type === "hosted")).toHaveLength(1);
});

test("tokens have every permission that a feature needs", () => {
  for (const { platform, type, grantedScopes } of virtualAccounts(SCOPE)) {
    if (type === "hosted") continue;
    const needed = new Set(PERMISSIONS[platform].flatMap(({ anyOf }) => anyOf[0] ?? []));
    expect(new Set(grantedScopes), platform).toEqual(needed);
  }
});
