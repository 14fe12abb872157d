// Posts of a scope, each read with the states of its deliveries in one statement.
import { type SQL, sql } from "drizzle-orm";
import type { PostMedia, PostStatus } from "../../drizzle/schema/posts.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Post } from "../schemas/post.ts";
import type { Scope } from "../scope.ts";

export interface NewDelivery {
  id: string;
  accountId: string;
  status: "draft" | "pending" | "scheduled";
  dueAt: Date | null;
  deadlineAt: Date | null;
}

export interface NewPost {
  id: string;
  caption: string;
  status: PostStatus;
  media: PostMedia | null;
  scheduledAt: Date | null;
  musicUrl: string | null;
  tiktok: object | null;
  pinterest: object | null;
  settings: object;
  externalId: string | null;
  payloadHash: string;
  createdAt: Date;
  deliveries: NewDelivery[];
}

type PostRow = Omit<Post, "accounts"> & { states: Post["accounts"]["states"]; payload_hash: string };

/** Deliveries to accounts that left the scope are not shown. */
const COLUMNS = sql`
  p.id, p.caption, p.status, p.scheduled_at, p.created_at, p.media, p.music_url, p.tiktok, p.pinterest,
  p.external_id, p.metadata, p.payload_hash,
  (select jsonb_agg(jsonb_build_object(
      'account_id', d.account_id, 'status', d.status, 'published_at', d.published_at,
      'published_url', d.published_url, 'error_code', d.error_code, 'error_message', d.error_message,
      'last_attempted_at', d.last_attempted_at, 'attempts', d.attempts, 'next_attempt_at', d.next_attempt_at
    ) order by d.position)
   from post_deliveries d join accounts a on a.id = d.account_id
   where d.post_id = p.id and a.scope_id = p.scope_id) as states`;

/** A post without a status has no account in scope any more; see the migration of the status triggers. */
const VISIBLE = sql`p.status is not null`;

export function toPost({ states, payload_hash: _, ...row }: PostRow): Post {
  return { ...row, accounts: { total: states.length, states } };
}

/** The statement that reads posts as answers show them. */
export function selectPost(where: SQL): SQL {
  return sql`select ${COLUMNS} from posts p where ${VISIBLE} and ${where}`;
}

async function select(db: Db, where: SQL): Promise<PostRow[]> {
  return rowsOf<PostRow>(await db.execute(selectPost(where)));
}

export async function find(db: Db, scope: Scope, id: string): Promise<Post | null> {
  const [row] = await select(db, sql`p.scope_id = ${scope.id} and p.id = ${id}`);
  return row ? toPost(row) : null;
}

/**
 * The post that a repeated create meets: the same id after a crash, or the same external id. `post` is null when it
 * exists and no account of it is in scope any more.
 */
export async function findTwin(
  db: Db,
  scope: Scope,
  { id, externalId }: Pick<NewPost, "id" | "externalId">,
): Promise<{ post: Post | null; payloadHash: string } | null> {
  const same = externalId === null ? sql`p.id = ${id}` : sql`(p.id = ${id} or p.external_id = ${externalId})`;
  const found = await db.execute(sql`select ${COLUMNS} from posts p where p.scope_id = ${scope.id} and ${same}`);
  const [row] = rowsOf<PostRow>(found);
  return row ? { post: row.states ? toPost(row) : null, payloadHash: row.payload_hash } : null;
}

export interface Listing {
  status?: PostStatus | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  limit: number;
}

/** The newest posts, and how many posts the scope has per status within the bounds, in one round trip. */
export async function list(db: Db, scope: Scope, { status, since, until, limit }: Listing) {
  const filters = [
    sql`p.scope_id = ${scope.id}`,
    status ? sql`p.status = ${status}` : VISIBLE,
    ...(since ? [sql`p.created_at >= ${since.toISOString()}`] : []),
    ...(until ? [sql`p.created_at <= ${until.toISOString()}`] : []),
  ];
  const [page, counts] = await db.batch([
    db.execute(sql`select ${COLUMNS} from posts p where ${sql.join(filters, sql` and `)}
      order by p.created_at desc, p.id desc limit ${limit}`),
    db.execute(countByStatus(scope, since, until)),
  ]);
  return {
    posts: rowsOf<PostRow>(page).map(toPost),
    counts: new Map(rowsOf<{ status: PostStatus; n: number }>(counts).map(({ status, n }) => [status, n])),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whole days come from the kept counts; only the broken days at the two bounds are counted row by row. */
function countByStatus(scope: Scope, since: Date | undefined, until: Date | undefined): SQL {
  const dayOf = (instant: Date) => Math.floor(instant.getTime() / DAY_MS);
  const day = (number: number) => new Date(number * DAY_MS).toISOString();
  const first = since ? dayOf(since) : null;
  const last = until ? dayOf(until) : null;
  const wholeDays = sql`
    select c.status, c.count from post_counts c where c.scope_id = ${scope.id}
    ${first === null ? sql`` : sql`and c.day > ${day(first).slice(0, 10)}::date`}
    ${last === null ? sql`` : sql`and c.day < ${day(last).slice(0, 10)}::date`}`;
  const rows = (from: string, to: string) => sql`
    select p.status, 1 from posts p
    where p.scope_id = ${scope.id} and ${VISIBLE} and p.created_at >= ${from} and p.created_at <= ${to}`;
  const lastInstantOf = (number: number) => new Date((number + 1) * DAY_MS - 1).toISOString();
  const parts = [wholeDays];
  // Bounds that cross have nothing between them, and no row matches both.
  if (since && until && first !== null && last !== null && first >= last)
    parts.push(rows(since.toISOString(), until.toISOString()));
  else {
    if (since && first !== null) parts.push(rows(since.toISOString(), lastInstantOf(first)));
    if (until && last !== null) parts.push(rows(day(last), until.toISOString()));
  }
  return sql`select status, sum(count)::int as n from (${sql.join(parts, sql` union all `)}) counted
    group by status having sum(count) > 0`;
}

/** Post and deliveries in one statement; null when the id or the external id is taken already. */
export async function insert(db: Db, scope: Scope, post: NewPost): Promise<Post | null> {
  const json = (value: object | null) => sql`${value === null ? null : JSON.stringify(value)}::jsonb`;
  const deliveries = post.deliveries.map((delivery, position) => ({
    id: delivery.id,
    account_id: delivery.accountId,
    position,
    status: delivery.status,
    due_at: delivery.dueAt,
    deadline_at: delivery.deadlineAt,
  }));
  const inserted = await db.execute(sql`
    with p as (
      insert into posts (id, owner_id, workspace_id, caption, status, media, scheduled_at, music_url, tiktok, pinterest,
        settings, metadata, external_id, payload_hash, created_at, updated_at)
      values (${post.id}, ${scope.ownerId}, ${scope.workspaceId}, ${post.caption}, ${post.status}, ${json(post.media)},
        ${post.scheduledAt?.toISOString() ?? null}, ${post.musicUrl}, ${json(post.tiktok)}, ${json(post.pinterest)},
        ${json(post.settings)}, '{"source": "partner_api"}', ${post.externalId}, ${post.payloadHash},
        ${post.createdAt.toISOString()}, ${post.createdAt.toISOString()})
      on conflict do nothing returning *
    ), d as (
      insert into post_deliveries (id, post_id, account_id, position, status, due_at, next_attempt_at, deadline_at)
      select d.id, p.id, d.account_id, d.position, d.status, d.due_at,
        case when d.status = 'draft' then null else d.due_at end, d.deadline_at
      from p, jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb) as d(
        id uuid, account_id uuid, position int, status text, due_at timestamptz, deadline_at timestamptz)
      returning *
    )
    select p.id, p.caption, p.status, p.scheduled_at, p.created_at, p.media, p.music_url, p.tiktok, p.pinterest,
      p.external_id, p.metadata, p.payload_hash,
      (select jsonb_agg(jsonb_build_object(
          'account_id', d.account_id, 'status', d.status, 'published_at', null, 'published_url', null,
          'error_code', null, 'error_message', null, 'last_attempted_at', null, 'attempts', 0,
          'next_attempt_at', d.next_attempt_at) order by d.position) from d) as states
    from p`);
  const [row] = rowsOf<PostRow>(inserted);
  return row ? toPost(row) : null;
}
