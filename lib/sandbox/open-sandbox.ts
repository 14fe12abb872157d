// Makes the test scope of a workspace, or of an owner's personal data, with its virtual accounts.
import { findSandbox, insertSandbox, type SandboxTenant } from "../queries/sandboxes.ts";
import type { NewAccount, TenantIds } from "../queries/tenants.ts";
import type { Db } from "../services/database.ts";
import { toResult, unwrap } from "../shared/result.ts";
import { encryptTokens, type TokenKeys } from "../shared/token-encryption.ts";
import { virtualAccounts } from "../simulator/virtual-accounts.ts";

/** The test scope of a live one; made by the first call. */
export async function openSandbox(db: Db, tokenKeys: TokenKeys, live: TenantIds): Promise<SandboxTenant> {
  const found = await findSandbox(db, live);
  if (found) return found;
  const id = crypto.randomUUID();
  const inserted = await toResult(insertSandbox(db, live, id, await buildAccounts(tokenKeys, id)));
  // Of two calls at once, the second fails and takes the scope of the first.
  const made = await findSandbox(db, live);
  if (made) return made;
  unwrap(inserted);
  throw new Error("The test scope was removed while it was made.");
}

/** Their ids follow from that of the scope, so that they are the same after a reset. */
export function buildAccounts(tokenKeys: TokenKeys, scopeId: string): Promise<NewAccount[]> {
  return Promise.all(
    virtualAccounts(scopeId).map(async ({ facts: _, accessToken, refreshToken, ...account }) => ({
      ...account,
      status: "active" as const,
      tokenExpiresAt: null,
      ...(accessToken === null
        ? { accessToken, refreshToken: null }
        : await encryptTokens(tokenKeys, account.id, { accessToken, refreshToken })),
    })),
  );
}
