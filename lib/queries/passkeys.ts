// The passkeys of a person, and what better-auth leaves behind of sign-ins that ended.
import { and, asc, eq, lt } from "drizzle-orm";
import { passkeys, sessions, verifications } from "../../drizzle/schema/people.ts";
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

/** Deletes sessions, codes and challenges that ended before the given time. */
export async function deleteEndedSignIns(db: Db, before: Date): Promise<void> {
  await db.batch([
    db.delete(sessions).where(lt(sessions.expiresAt, before)),
    db.delete(verifications).where(lt(verifications.expiresAt, before)),
  ]);
}
