// Progress of importing a file, saved in the transaction that stores its lines. A fingerprint is the SHA-256 of the file.
import { and, eq, sql } from "drizzle-orm";
import { imports } from "../../drizzle/schema/trends.ts";
import type { Db } from "../services/database.ts";

export interface Progress {
  /** Lines read so far, blank ones included: an interrupted import resumes there. */
  lines: number;
  stored: number;
  rejected: number;
}

export async function findImportProgress(db: Db, kind: string, fingerprint: string): Promise<Progress> {
  const [row] = await db
    .select({ lines: imports.lines, stored: imports.stored, rejected: imports.rejected })
    .from(imports)
    .where(and(eq(imports.kind, kind), eq(imports.fingerprint, fingerprint)));
  return row ?? { lines: 0, stored: 0, rejected: 0 };
}

/** A statement for `db.batch`. */
export function saveImportProgress(db: Db, kind: string, fingerprint: string, progress: Progress) {
  return db
    .insert(imports)
    .values({ kind, fingerprint, ...progress })
    .onConflictDoUpdate({
      target: [imports.kind, imports.fingerprint],
      set: { ...progress, updatedAt: sql`now()` },
    });
}
