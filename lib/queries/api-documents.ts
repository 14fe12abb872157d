// The deployed descriptions of the API; another one than the last is an event of every scope.

import { sql } from "drizzle-orm";
import { apiDocuments } from "../../drizzle/schema/events.ts";
import { subscriptions } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../services/database.ts";
import { instant, rawQuery } from "./sql.ts";

export interface ApiDocument {
  version: string;
  /** Of the OpenAPI document, hexadecimal. */
  sha256: string;
}

/**
 * Stores the document of a deployment. If the last one was another, every scope with a plan gets the event `api.changed` in
 * the same statement. Returns the number of scopes; 0 for the first deployment and for the same document again.
 */
export async function recordApiDocument(db: Db, { version, sha256 }: ApiDocument, now: Date): Promise<number> {
  const { deployedAt } = apiDocuments;
  const [row] = await rawQuery(
    db,
    { scopes: sql<number>`(select count(*) from noted_events)::int` },
    (list) => sql`
      with last_document as (
        select ${apiDocuments.sha256} from ${apiDocuments} order by ${deployedAt} desc limit 1
      ), new_document as (
        insert into ${apiDocuments} (sha256, version, deployed_at) values (${sha256}, ${version}, ${instant(now)})
        on conflict (sha256) do update set deployed_at = excluded.deployed_at, version = excluded.version
      ), noted_events as (
        insert into new_events (is_first, scope_id, type, object_id, snapshot)
        select row_number() over () = 1, ${subscriptions.scopeId}, 'api.changed', ${subscriptions.scopeId},
          jsonb_build_object('version', ${version}::text, 'openapi_sha256', ${sha256}::text, 'previous_sha256', last_document.sha256)
        from ${subscriptions}, last_document where last_document.sha256 <> ${sha256}
        returning 1
      )
      select ${list}`,
  );
  return row?.scopes ?? 0;
}
