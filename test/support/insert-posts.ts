// Inserts many posts in few statements, for tests and benchmarks with large tables.

import type { TenantIds } from "../../lib/queries/tenants.ts";
import type { Db } from "../../lib/services/database.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import type { DeliveryStatus } from "../../lib/shared/post-status.ts";

/** Runs a statement directly on the local database, without the driver's timeout. */
export type RunStatement = (sql: string, params: unknown[]) => Promise<unknown>;

/** Runs statements of `insertPosts` on a database of the service; Drizzle would spread their arrays. */
export function runOn(db: Db): RunStatement {
  const { $client } = db as unknown as { $client: { query: RunStatement } };
  return (sql, params) => $client.query(sql, params);
}

export interface PostsSpec {
  tenant: TenantIds;
  /** Used round robin, one per post. */
  accountIds: string[];
  count: number;
  /** Used round robin, one per post. */
  statuses: DeliveryStatus[];
  /** Creation and due times are evenly spread between two instants. */
  created: readonly [Date, Date];
  due: readonly [Date, Date];
  /** The caption is the label and the number of the post, in due order. */
  label: string;
}

const ROWS_PER_STATEMENT = 10_000;

export async function insertPosts(run: RunStatement, bulk: PostsSpec): Promise<void> {
  const { tenant, accountIds, count, statuses, created, due, label } = bulk;
  for (let first = 0; first < count; first += ROWS_PER_STATEMENT) {
    const last = Math.min(first + ROWS_PER_STATEMENT, count) - 1;
    const spread = [...created, ...due].map((instant) => instant.toISOString());
    await run(INSERT, [
      tenant.ownerId,
      tenant.workspaceId,
      accountIds,
      statuses,
      label,
      first,
      last,
      count,
      ...spread,
      DAY_MS / 1000,
    ]);
  }
}

/** Triggers maintain the counts per day. */
const INSERT = `
  with made as (
    select overlay(overlay(md5($5::text || ' ' || n) placing '4' from 13) placing '8' from 17)::uuid as id, n,
      ($3::uuid[])[1 + n % cardinality($3::uuid[])] as account_id,
      ($4::text[])[1 + n % cardinality($4::text[])] as status,
      $9::timestamptz + ($10::timestamptz - $9::timestamptz) * (n::float8 / $8::int) as created_at,
      $11::timestamptz + ($12::timestamptz - $11::timestamptz) * (n::float8 / $8::int) as due_at
    from generate_series($6::int, $7::int) n
  ), stored as (
    insert into posts (id, owner_id, workspace_id, caption, status, scheduled_at, settings, metadata, payload_hash,
      created_at, updated_at)
    select id, $1::uuid, $2::uuid, $5::text || ' ' || n, status, due_at, '{}', '{"source": "partner_api"}', md5(n::text),
      created_at, created_at
    from made
  )
  insert into post_deliveries (id, post_id, account_id, position, status, stage, due_at, next_attempt_at, deadline_at,
    published_at, created_at, updated_at)
  select overlay(overlay(md5(id::text) placing '4' from 13) placing '8' from 17)::uuid, id, account_id, 0, status,
    case when status in ('pending', 'scheduled', 'draft') then 'new' else 'done' end, due_at,
    case when status in ('pending', 'scheduled') then due_at end, due_at + $13::int * interval '1 second',
    case when status = 'posted' then due_at end, created_at, created_at
  from made`;
