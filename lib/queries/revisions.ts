// Changes to posts that a publisher may be working on: each is one statement that wins before the claim or does nothing.
import { type SQL, sql } from "drizzle-orm";
import type { DeliveryStatus, PostMedia, PostStatus, Stage } from "../../drizzle/schema/posts.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Post } from "../schemas/post.ts";
import type { Scope } from "../scope.ts";
import type { ListedAccount } from "./accounts.ts";
import type { FileRow } from "./files.ts";
import { selectPost, toPost } from "./posts.ts";

/** A stored post with what its references stand for. */
export interface Editable {
  id: string;
  /** Another one with every change of the row. */
  version: string;
  status: PostStatus;
  caption: string;
  media: PostMedia | null;
  scheduledAt: Date | null;
  musicUrl: string | null;
  tiktok: Record<string, unknown> | null;
  pinterest: Record<string, unknown> | null;
  settings: Record<string, Record<string, unknown>>;
  externalId: string | null;
  deliveries: { accountId: string; status: DeliveryStatus; stage: Stage }[];
  accounts: ListedAccount[];
  files: Pick<FileRow, "url" | "contentType" | "size" | "durationMs" | "width" | "height" | "details">[];
}

const uuids = (ids: string[]) => sql`${`{${ids.join(",")}}`}::uuid[]`;

/** One round trip: the post, the active accounts it names or is about to name, and the files among its media. */
export async function findEditable(
  db: Db,
  scope: Scope,
  id: string,
  more: { accountIds: string[]; urls: string[] },
): Promise<Editable | null> {
  const result = await db.execute(sql`
    select p.id, p.xmin::text as version, p.status, p.caption, p.media, p.scheduled_at as "scheduledAt", p.music_url as "musicUrl", p.tiktok,
      p.pinterest, p.settings, p.external_id as "externalId",
      (select jsonb_agg(jsonb_build_object('accountId', d.account_id, 'status', d.status, 'stage', d.stage)
        order by d.position) from post_deliveries d where d.post_id = p.id) as deliveries,
      coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'platform', a.platform, 'type', a.type,
          'username', a.username, 'displayName', a.display_name, 'status', a.status, 'workspaceId', a.workspace_id))
        from accounts a where a.scope_id = p.scope_id and a.status = 'active' and (a.id = any(${uuids(more.accountIds)})
          or a.id in (select d.account_id from post_deliveries d where d.post_id = p.id))), '[]') as accounts,
      coalesce((select jsonb_agg(jsonb_build_object('url', f.url, 'contentType', f.content_type, 'size', f.size,
          'durationMs', f.duration_ms, 'width', f.width, 'height', f.height, 'details', f.details))
        from files f where f.scope_id = p.scope_id and f.url = any(array(
          select jsonb_array_elements_text(coalesce(p.media->'urls', jsonb_build_array(p.media->>'url'), '[]'))
          union all select jsonb_array_elements_text(${JSON.stringify(more.urls)}::jsonb)))), '[]') as files
    from posts p where p.scope_id = ${scope.id} and p.id = ${id} and p.status is not null`);
  const [row] = rowsOf<Omit<Editable, "scheduledAt"> & { scheduledAt: string | null }>(result);
  return row ? { ...row, scheduledAt: row.scheduledAt ? new Date(row.scheduledAt) : null } : null;
}

export interface Target {
  /** Of the delivery, when the account is new to the post. */
  id: string;
  accountId: string;
}

export interface Revision {
  /** Of the post that the revision was made from. */
  version: string;
  from: readonly PostStatus[];
  caption: string;
  media: PostMedia | null;
  scheduledAt: Date | null;
  musicUrl: string | null;
  tiktok: object | null;
  pinterest: object | null;
  settings: object;
  targets: Target[];
  /** When deliveries that are new, or all of them when `requeue`, are due; null keeps a draft a draft. */
  dueAt: Date | null;
  deadlineAt: Date | null;
  requeue: boolean;
  now: Date;
}

export interface Revised {
  /** `changed`: another revision came first, and this one knows nothing of it. */
  outcome: "done" | "busy" | "changed" | "status";
  post: Post;
  /** What the publisher has to look at, and when. */
  due: { id: string; dueAt: Date }[];
}

/*
 * What a publisher has in hand: leased at this moment, or past the point of no return at the network. A lease that ran
 * out is taken away by a change: its publisher may only be slow. The rows of the deliveries are locked before the row
 * of the post, as every other statement does it.
 */
const busyAt = (now: SQL) => sql`
  (l.lease_until > ${now} or l.stage = 'armed' or (l.stage = 'sent' and l.status <> 'posted'))`;

/** Replaces content, accounts and time of a post unless it is in flight or was changed meanwhile; null when no such post is in scope. */
export async function revise(db: Db, scope: Scope, id: string, revision: Revision): Promise<Revised | null> {
  const now = sql`${revision.now.toISOString()}::timestamptz`;
  const json = (value: object | null) => sql`${value === null ? null : JSON.stringify(value)}::jsonb`;
  const at = (value: Date | null) => sql`${value?.toISOString() ?? null}::timestamptz`;
  const { dueAt, requeue } = revision;
  const status = dueAt === null ? "draft" : dueAt > revision.now ? "scheduled" : "pending";
  const requeued = (when: SQL, otherwise: SQL) => sql`case when ${requeue}::boolean then ${when} else ${otherwise} end`;
  const targets = revision.targets.map((target, position) => ({ ...target, position }));

  const change = db.execute(sql`
    with locked as (
      select d.* from post_deliveries d join posts p on p.id = d.post_id
      where d.post_id = ${id} and p.scope_id = ${scope.id} order by d.id for update of d
    ), held as (
      select p.id, p.xmin::text = ${revision.version} as same from posts p
      where p.id = ${id} and p.scope_id = ${scope.id} and (select count(*) from locked) >= 0
        and p.status = any(${`{${revision.from.join(",")}}`}::text[]) for update
    ), busy as (
      select 1 from locked l where ${busyAt(now)}
    ), go as (
      select held.id from held where held.same and not exists (select 1 from busy)
    ), wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(targets)}::jsonb) as t("id" uuid, "accountId" uuid, position int)
    ), edited as (
      update posts p set caption = ${revision.caption}, media = ${json(revision.media)},
        scheduled_at = ${at(revision.scheduledAt)}, music_url = ${revision.musicUrl}, tiktok = ${json(revision.tiktok)},
        pinterest = ${json(revision.pinterest)}, settings = ${json(revision.settings)}, updated_at = ${now}
      from go where p.id = go.id
    ), gone as (
      delete from post_deliveries d using go
      where d.post_id = go.id and d.status <> 'posted' and d.account_id not in (select "accountId" from wanted)
    ), kept as (
      update post_deliveries d set position = w.position, stage = 'new', handle = null, updated_at = ${now},
        lease_token = null, lease_until = null,
        status = ${requeued(sql`${status}`, sql`d.status`)},
        due_at = ${requeued(at(dueAt), sql`d.due_at`)},
        next_attempt_at = ${requeued(at(dueAt), sql`d.next_attempt_at`)},
        deadline_at = ${requeued(at(revision.deadlineAt), sql`d.deadline_at`)},
        attempts = ${requeued(sql`0`, sql`d.attempts`)},
        error_code = ${requeued(sql`null`, sql`d.error_code`)},
        error_message = ${requeued(sql`null`, sql`d.error_message`)}
      from go, wanted w where d.post_id = go.id and d.account_id = w."accountId" and d.status <> 'posted'
    ), added as (
      insert into post_deliveries (id, post_id, account_id, position, status, due_at, next_attempt_at, deadline_at)
      select w.id, go.id, w."accountId", w.position, ${status}, ${at(dueAt)}, ${at(dueAt)}, ${at(revision.deadlineAt)}
      from go, wanted w where w."accountId" not in (select account_id from locked)
    )
    select (select count(*) from go)::int as done, (select count(*) from busy)::int as busy,
      (select count(*) from held)::int as held`);

  const [changed, found, waiting] = await db.batch([
    change,
    db.execute(selectPost(sql`p.scope_id = ${scope.id} and p.id = ${id}`)),
    db.execute(
      sql`select id, next_attempt_at as at from post_deliveries where post_id = ${id} and next_attempt_at is not null`,
    ),
  ]);
  const [counts] = rowsOf<{ done: number; busy: number; held: number }>(changed);
  const [row] = rowsOf<Parameters<typeof toPost>[0]>(found);
  if (!row || !counts) return null;
  return {
    outcome: counts.done > 0 ? "done" : counts.busy > 0 ? "busy" : counts.held > 0 ? "changed" : "status",
    post: toPost(row),
    due: rowsOf<{ id: string; at: string }>(waiting).map(({ id, at }) => ({ id, dueAt: new Date(at) })),
  };
}

export interface Deletion {
  id: string;
  status: PostStatus;
  deleted: boolean;
}

/** Deletes those posts that are neither out nor in flight; ids that are not in scope do not come back. */
export async function remove(db: Db, scope: Scope, ids: string[], now: Date): Promise<Deletion[]> {
  const instant = sql`${now.toISOString()}::timestamptz`;
  const result = await db.execute(sql`
    with locked as (
      select d.* from post_deliveries d join posts p on p.id = d.post_id
      where d.post_id = any(${uuids(ids)}) and p.scope_id = ${scope.id} order by d.id for update of d
    ), held as (
      select p.id, p.status from posts p where p.id = any(${uuids(ids)}) and p.scope_id = ${scope.id}
        and p.status is not null and (select count(*) from locked) >= 0 order by p.id for update
    ), blocked as (
      select id from held where status in ('posted', 'partial')
      union select l.post_id from locked l
        where l.status = 'posted' or (l.next_attempt_at is not null and ${busyAt(instant)})
    ), gone as (
      delete from posts p using held h where p.id = h.id and h.id not in (select id from blocked) returning p.id
    )
    select h.id, h.status, h.id in (select id from gone) as deleted from held h`);
  return rowsOf<Deletion>(result);
}

/** Puts failed deliveries back into the queue; one whose outcome is unknown keeps its stage, so that it is looked at first. */
export async function requeueFailed(
  db: Db,
  scope: Scope,
  request: { postIds: string[]; accountIds: string[] | null; now: Date; deadlineAt: Date },
): Promise<{ postId: string; status: PostStatus; deliveryIds: string[] }[]> {
  const at = sql`${request.now.toISOString()}::timestamptz`;
  const accounts = request.accountIds ? sql`and d.account_id = any(${uuids(request.accountIds)})` : sql``;
  const result = await db.execute(sql`
    with seen as (
      select p.id, p.status from posts p
      where p.id = any(${uuids(request.postIds)}) and p.scope_id = ${scope.id} and p.status is not null
    ), back as (
      update post_deliveries d set status = 'pending', due_at = ${at}, next_attempt_at = ${at},
        deadline_at = ${request.deadlineAt.toISOString()}, attempts = 0, error_code = null, error_message = null,
        stage = case when d.stage in ('armed', 'sent') then d.stage else 'new' end,
        handle = case when d.stage in ('armed', 'sent') then d.handle end, updated_at = ${at}
      from seen, accounts a
      where d.post_id = seen.id and seen.status in ('failed', 'partial') and d.status = 'failed'
        and a.id = d.account_id and a.scope_id = ${scope.id} ${accounts}
      returning d.id, d.post_id
    )
    select seen.id as "postId", seen.status,
      coalesce((select jsonb_agg(back.id) from back where back.post_id = seen.id), '[]') as "deliveryIds" from seen`);
  return rowsOf<{ postId: string; status: PostStatus; deliveryIds: string[] }>(result);
}
