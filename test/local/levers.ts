// What the control can do to the records of the local world.
import { v7 as newId } from "uuid";
import type { DatabaseAddress } from "../../drizzle/migrate.ts";
import { connect } from "../../lib/db.ts";
import * as keys from "../../lib/queries/keys.ts";
import * as products from "../../lib/queries/products.ts";
import type { Database } from "./database.ts";

/** A product in the scope of a key; its id. */
export async function createProduct(address: DatabaseAddress, token: string): Promise<string> {
  const db = connect(address, "control");
  const found = await keys.find(db, token.split(".")[0] ?? "");
  if (!found) throw new Error("There is no such key.");
  const id = newId();
  await products.insert(db, found.credential.scope, { id, name: "Lantern", description: "A lamp that folds flat." });
  return id;
}

/** What the in-product assistant holds while it edits a project; it ends by itself. */
export async function lockProject({ query }: Database, projectId: string, locked: boolean): Promise<void> {
  const until = locked ? "now() + interval '10 minutes'" : "null";
  await query(`update editor_projects set assistant_lock_until = ${until} where id = $1`, [projectId]);
}

/** Somebody edits the project in the web editor, after its cut was heard and before the captions are written. */
export function editDuringTranscription({ ahead, query }: Database, projectId: string): void {
  ahead(async ({ query: sql, params }) => {
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
