// Clients of OAuth that registered themselves.
import { eq, sql } from "drizzle-orm";
import { grants } from "../../drizzle/schema/keys.ts";
import { oauthClients } from "../../drizzle/schema/oauth.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { instant, rawCommand } from "./sql.ts";

export async function insertOAuthClient(
  db: Db,
  client: { id: string; name: string; redirectUris: readonly string[]; createdAt: Date },
): Promise<void> {
  await db.insert(oauthClients).values({ ...client, redirectUris: [...client.redirectUris] });
}

export async function findOAuthClient(db: ReadOnlyDb, id: string) {
  const { name, redirectUris } = oauthClients;
  const [row] = await db
    .select({ id: oauthClients.id, name, redirectUris })
    .from(oauthClients)
    .where(eq(oauthClients.id, id));
  return row ?? null;
}

/** Deletes clients that registered before this time and that nobody ever gave a grant. */
export async function deleteUnusedClients(db: Db, registeredBefore: Date): Promise<void> {
  await rawCommand(
    db,
    sql`delete from ${oauthClients} where ${oauthClients.createdAt} < ${instant(registeredBefore)}
      and not exists (select 1 from ${grants} where ${grants.clientId} = ${oauthClients.id})`,
  );
}
