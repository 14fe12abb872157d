// Writes of an import into the viral library.
import { getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { viralPosts } from "../../drizzle/schema/viral.ts";
import type { Db } from "../services/database.ts";
import { columnName, columnNames, excluded, rawCommand, recordSet } from "./sql.ts";

/** Columns by their names in the table; absent ones are null. */
export interface ImportedPost extends Record<string, unknown> {
  id: string;
  embedding?: string | undefined;
}

const { productAppId: _, createdAt: __, embeddedFrom, ...imported } = getTableColumns(viralPosts);
const COLUMNS = Object.values(imported);
const GIVEN = Object.fromEntries([...COLUMNS, embeddedFrom].map((column) => [column.name, column]));

/** Inserts or replaces posts. A post without a new vector keeps its old one; created_at is kept. */
export function upsertViralPosts(db: Db, posts: ImportedPost[]) {
  const kept = (column: SQL) => sql`${column} = coalesce(excluded.${column}, ${viralPosts}.${column})`;
  const names = columnNames([...COLUMNS, embeddedFrom]);
  const replaced = COLUMNS.map((column) => sql`${columnName(column)} = ${excluded(column)}`);
  // A vector is passed as text.
  const given = recordSet("given", { ...GIVEN, embedding: embeddedFrom }, posts);
  return rawCommand(
    db,
    sql`
      insert into ${viralPosts} (${names}, embedding) select ${names}, embedding::halfvec from ${given}
      on conflict (id) do update set ${sql.join(replaced, sql`, `)}, ${kept(columnName(embeddedFrom))},
        ${kept(sql`embedding`)}`,
  );
}

/** The fingerprints of the texts that the stored vectors were made from. */
export async function findEmbeddingSources(db: Db, ids: string[]): Promise<Map<string, string | null>> {
  const rows = await db
    .select({ id: viralPosts.id, from: viralPosts.embeddedFrom })
    .from(viralPosts)
    .where(inArray(viralPosts.id, ids));
  return new Map(rows.map(({ id, from }) => [id, from]));
}
