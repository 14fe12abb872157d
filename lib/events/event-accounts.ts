// The accounts that a client of MCP Events wants events of: those that its key sees.
import { listAccounts } from "../queries/accounts.ts";
import type { RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";

/** Throws `invalid_payload` for an account that the key does not see. */
export async function checkEventAccounts(
  { db, key }: Pick<RequestContext, "db" | "key">,
  accountIds: readonly string[] | undefined,
): Promise<readonly string[] | null> {
  if (!accountIds) return null;
  const seen = new Set((await listAccounts(db, key.scope, "all")).map(({ id }) => id));
  const unknown = accountIds.filter((id) => !seen.has(id));
  if (unknown.length === 0) return accountIds;
  throw apiError("invalid_payload", `No account with the id ${unknown[0]} is visible to the key.`);
}
