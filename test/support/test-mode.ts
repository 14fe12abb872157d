// The test mode of a tenant, with a key.
import type { TenantIds } from "../../lib/queries/tenants.ts";
import { openSandbox } from "../../lib/sandbox/open-sandbox.ts";
import { createClient, createTestKey, openTestDatabase, type Tenant, type TenantOptions, vars } from "./harness.ts";

export interface TestMode extends Tenant {
  /** Of the test scope. */
  scopeId: string;
}

/** The test mode of a tenant, with a key. */
export async function createTestMode(live: TenantIds, options: TenantOptions = {}): Promise<TestMode> {
  const { ownerId, workspaceId } = live;
  const sandbox = await openSandbox(openTestDatabase(), { current: vars.TOKEN_KEY ?? "" }, { ownerId, workspaceId });
  const tenant = { ownerId, workspaceId: sandbox.scopeId };
  const token = await createTestKey(tenant, { ...options, kind: "test" });
  return { ...tenant, scopeId: sandbox.scopeId, token, api: createClient(token) };
}
