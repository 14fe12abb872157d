// The new rows become as old as the first post of the sample.
import type { Scope } from "../../../lib/shared/scope.ts";
import type { Database } from "../database.ts";

const TABLES: Record<string, string[]> = {
  files: ["created_at"],
  folders: ["created_at", "updated_at"],
  packs: ["created_at", "updated_at"],
  templates: ["created_at", "updated_at"],
  slideshows: ["created_at", "updated_at", "last_rendered_at"],
  editor_projects: ["created_at", "updated_at"],
};

export async function moveToThePast(run: Database["query"], scope: Scope, now: Date, since: Date): Promise<void> {
  const age = `${Math.round((now.getTime() - since.getTime()) / 1000)} seconds`;
  for (const [table, columns] of Object.entries(TABLES)) {
    const sets = columns.map((column) => `${column} = ${column} - $2::interval`);
    await run(`update ${table} set ${sets.join(", ")} where scope_id = $1`, [scope.id, age]);
  }
  await run(
    `update events set created_at = created_at - $2::interval
     where scope_id = $1 and created_at >= $3 and type in ('file.verified', 'slideshow.rendered', 'captions.added')`,
    [scope.id, age, now.toISOString()],
  );
  // The connections of the accounts came before.
  await run("update events set created_at = $2 where scope_id = $1 and type = 'account.connected'", [
    ...[scope.id, since.toISOString()],
  ]);
  await run(
    `with moved_events as (delete from events where scope_id = $1 returning *),
       numbered_events as (select *, row_number() over (order by created_at, sequence) as number from moved_events)
     insert into events (scope_id, sequence, id, type, object_id, account_ids, snapshot, created_at)
     select scope_id, number, event_id(created_at, number), type, object_id, account_ids, snapshot, created_at
     from numbered_events`,
    [scope.id],
  );
}
