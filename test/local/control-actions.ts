// Database changes behind the control endpoints.

import { v7 as newId } from "uuid";
import type { DatabaseConfig } from "../../functions/commands/migrate.ts";
import { findCredential } from "../../lib/queries/keys.ts";
import { insertProduct } from "../../lib/queries/products.ts";
import { insertKey } from "../../lib/queries/tenants.ts";
import { openSandbox } from "../../lib/sandbox/open-sandbox.ts";
import { type Db, openDatabase } from "../../lib/services/database.ts";
import { at } from "../../lib/shared/at.ts";
import type { Scope } from "../../lib/shared/scope.ts";
import type { KeyRequest } from "./control-server.ts";
import type { Database } from "./database.ts";

async function findScope(db: Db, token: string): Promise<Scope> {
  const found = await findCredential(db, { publicId: at(token.split("."), 0), secretHash: "", operation: "" });
  if (!found) throw new Error("Unknown key.");
  return found.credential.scope;
}

/** Creates a key for the scope of another one, and returns its token. */
export async function createKey(
  config: DatabaseConfig,
  token: string,
  { permissions, account_ids, expires_at, mode }: Partial<KeyRequest>,
  tokenKey: string,
): Promise<string> {
  const db = openDatabase(config, "control");
  const { ownerId, workspaceId, sandbox } = await findScope(db, token);
  const live = { ownerId, workspaceId };
  const tenant = mode === "test" && !sandbox ? await openSandbox(db, { current: tokenKey }, live) : live;
  const expiresAt = expires_at === undefined ? null : new Date(expires_at);
  const limits = { permissions: permissions ?? null, accountIds: account_ids ?? null, expiresAt };
  const kind = mode === "test" || sandbox ? ("test" as const) : ("key" as const);
  return insertKey(db, { ownerId, workspaceId: tenant.workspaceId }, { id: newId(), name: "control", kind, ...limits });
}

/** Creates a product in the scope of a key and returns its id. */
export async function createProduct(config: DatabaseConfig, token: string): Promise<string> {
  const db = openDatabase(config, "control");
  const id = newId();
  await insertProduct(db, await findScope(db, token), { id, name: "Lantern", description: "A lamp that folds flat." });
  return id;
}

/** Sets or removes the lock that the in-product assistant holds while it edits a project. The lock expires. */
export async function lockProject({ query }: Database, projectId: string, locked: boolean): Promise<void> {
  const until = locked ? "now() + interval '10 minutes'" : "null";
  await query(`update editor_projects set assistant_lock_until = ${until} where id = $1`, [projectId]);
}

/** Simulates an edit in the web editor, after the audio was transcribed and before the captions are stored. */
export function editDuringTranscription({ interceptOnce, query }: Database, projectId: string): void {
  interceptOnce(async ({ query: sql, params }) => {
    const captions = params.includes("captions_added") || /set "transcript"/.test(sql);
    if (!captions || !/update "?editor_projects/.test(sql) || !params.includes(projectId)) return false;
    await query(
      `update editor_projects set title = title || ' (edited)', revision = revision + 1,
        updated_at = greatest(now(), updated_at + interval '1 millisecond') where id = $1`,
      [projectId],
    );
    return true;
  });
}
