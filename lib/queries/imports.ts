// How far an import has come; moved on in the same transaction as the rows of each step.
import { and, eq, sql } from "drizzle-orm";
import { imports } from "../../drizzle/schema/trends.ts";
import type { Db } from "../db.ts";

export interface Progress {
  lines: number;
  stored: number;
  refused: number;
}

export async function progressOf(db: Db, kind: string, fingerprint: string): Promise<Progress> {
  const [row] = await db
    .select({ lines: imports.lines, stored: imports.stored, refused: imports.refused })
    .from(imports)
    .where(and(eq(imports.kind, kind), eq(imports.fingerprint, fingerprint)));
  return row ?? { lines: 0, stored: 0, refused: 0 };
}

export function moveOn(db: Db, kind: string, fingerprint: string, progress: Progress) {
  return db
    .insert(imports)
    .values({ kind, fingerprint, ...progress })
    .onConflictDoUpdate({
      target: [imports.kind, imports.fingerprint],
      set: { ...progress, updatedAt: sql`now()` },
    });
}
