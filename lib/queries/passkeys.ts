// The passkeys of a person.
import { and, asc, eq } from "drizzle-orm";
import { passkeys } from "../../drizzle/schema/people.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";

/** The oldest first. */
export function listPasskeys(db: ReadOnlyDb, personId: string) {
  const { id, name, createdAt, backedUp } = passkeys;
  return db
    .select({ id, name, createdAt, backedUp })
    .from(passkeys)
    .where(eq(passkeys.userId, personId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));
}

/** False when the person has no such passkey. */
export async function deletePasskey(db: Db, personId: string, id: string): Promise<boolean> {
  const removed = await db
    .delete(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, personId)))
    .returning({ id: passkeys.id });
  return removed.length > 0;
}
