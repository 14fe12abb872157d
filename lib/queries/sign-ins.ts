// Lists and ends the sessions of a person, and stores codes that begin one.
import { and, desc, eq, gt, lt } from "drizzle-orm";
import { sessions, verifications } from "../../drizzle/schema/people.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { sha256Hex } from "../shared/crypto.ts";

/** The newest first; more than a person has. */
const MAX_SIGN_INS = 50;

export function listSignIns(db: ReadOnlyDb, personId: string, now: Date) {
  const { id, token, ipAddress, userAgent, createdAt, expiresAt } = sessions;
  return db
    .select({ id, token, ipAddress, userAgent, createdAt, expiresAt })
    .from(sessions)
    .where(and(eq(sessions.userId, personId), gt(expiresAt, now)))
    .orderBy(desc(createdAt), desc(id))
    .limit(MAX_SIGN_INS);
}

/** Ends one sign-in of a person; false when there is none with this id. */
export async function deleteSignIn(db: Db, personId: string, id: string): Promise<boolean> {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, personId), eq(sessions.id, id)))
    .returning({ id: sessions.id });
  return ended.length > 0;
}

/** Ends every sign-in of a person, in this browser too. */
export async function deleteSignIns(db: Db, personId: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.userId, personId));
}

/** Replaces the sign-in code of an address, in the form in which better-auth finds it: hashed, with the attempts so far. */
export async function insertSignInCode(
  db: Db,
  { email, code, expiresAt }: { email: string; code: string; expiresAt: Date },
): Promise<void> {
  const identifier = `sign-in-otp-${email}`;
  const hash = Buffer.from(sha256Hex(code), "hex").toString("base64url");
  await db.batch([
    db.delete(verifications).where(eq(verifications.identifier, identifier)),
    db.insert(verifications).values({ identifier, value: `${hash}:0`, expiresAt }),
  ]);
}

/** Deletes sessions, codes and challenges that ended before the given time. */
export async function deleteEndedSignIns(db: Db, before: Date): Promise<void> {
  await db.batch([
    db.delete(sessions).where(lt(sessions.expiresAt, before)),
    db.delete(verifications).where(lt(verifications.expiresAt, before)),
  ]);
}
