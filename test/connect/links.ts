// Connect links for tests.
import type { Client } from "../support/harness.ts";

export async function createLink(
  api: Client,
  body: Record<string, unknown> = {},
): Promise<{ id: string; path: string }> {
  const { status, body: response } = await api.post("/accounts/connect-links", body);
  if (status !== 201)
    throw new Error(`POST /accounts/connect-links responded with ${status}: ${JSON.stringify(response)}`);
  return { id: response.data.id, path: new URL(response.data.url).pathname };
}

export interface ListedAccount {
  id: string;
  platform: string;
  username: string;
  display_name: string;
  status: string;
  reconnect_by: string | null;
}

export async function listAccounts(api: Client, status = "all"): Promise<ListedAccount[]> {
  return (await api.get(`/accounts?status=${status}`)).body.data.accounts;
}
