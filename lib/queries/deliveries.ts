// The life of a delivery in SQL: found when due, claimed under a lease, checkpointed at every step, settled once.
import { type SQL, sql } from "drizzle-orm";
import type { DeliveryStatus, PostMedia, Stage } from "../../drizzle/schema/posts.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Handle, Platform } from "../platforms/platform.ts";

/** Everything one attempt needs, read together with the claim. */
export interface Claimed {
  id: string;
  leaseToken: string;
  leaseUntil: Date;
  status: DeliveryStatus;
  stage: Stage;
  handle: Handle | null;
  attempts: number;
  /** What the caller was told last. */
  errorMessage: string | null;
  armedAt: Date | null;
  deadlineAt: Date;
  /** False once the account belongs to somebody else than the post. */
  inScope: boolean;
  post: {
    caption: string;
    media: PostMedia | null;
    musicUrl: string | null;
    tiktok: Record<string, unknown> | null;
    pinterest: Record<string, unknown> | null;
    settings: Record<string, Record<string, unknown>>;
  };
  account: {
    id: string;
    platform: Platform;
    type: "byo" | "hosted";
    status: string;
    username: string;
    externalId: string;
    accessToken: string | null;
    refreshToken: string | null;
    tokenExpiresAt: Date | null;
    tokenVersion: number;
  };
  /** Facts of those media URLs that are files of the same scope. */
  files: { url: string; mimeType: string; bytes: number; durationMs: number | null; width: number; height: number }[];
}

interface ClaimRow extends Omit<Claimed, "leaseUntil" | "deadlineAt" | "armedAt" | "account"> {
  leaseUntil: string;
  deadlineAt: string;
  armedAt: string | null;
  account: Omit<Claimed["account"], "tokenExpiresAt"> & { tokenExpiresAt: string | null };
}

const uuids = (ids: string[]) => sql`${`{${ids.join(",")}}`}::uuid[]`;

/** The head of an account's queue is enough: whoever serves an account goes on with what is due there. */
const HEADS_PER_ACCOUNT = 5;

/** Deliveries whose next check comes before `until`, soonest first; no account can fill the list alone. */
export async function upcoming(db: Db, now: Date, until: Date, limit: number): Promise<{ id: string; dueAt: Date }[]> {
  const result = await db.execute(sql`
    select id, next_attempt_at from (
      select d.id, d.next_attempt_at, row_number() over (
        partition by d.account_id order by d.stage <> 'new' desc, d.next_attempt_at, d.id) as place
      from post_deliveries d join accounts a on a.id = d.account_id
      where d.next_attempt_at <= ${until.toISOString()} and (a.lease_until is null or a.lease_until < ${now.toISOString()})
    ) heads where place <= ${HEADS_PER_ACCOUNT} order by next_attempt_at limit ${limit}`);
  return rowsOf<{ id: string; next_attempt_at: string }>(result).map((row) => ({
    id: row.id,
    dueAt: new Date(row.next_attempt_at),
  }));
}

export interface ClaimRequest {
  now: Date;
  leaseUntil: Date;
  leaseToken: string;
  /** Whose queues to look at: the accounts of these deliveries, and these accounts. */
  ids: string[];
  accountIds: string[];
  limit: number;
}

/** The clock of the publisher may run a little behind the clock that wrote the row. */
const CLOCK_SKEW_MS = 1_000;

/**
 * Takes due deliveries, at most one an account, and leases the account with it. An account is busy while it is leased,
 * and while another delivery of it is under way at the network; among the rest the earliest due goes first.
 */
export async function claim(db: Db, request: ClaimRequest): Promise<Claimed[]> {
  const now = sql`${request.now.toISOString()}::timestamptz`;
  const until = sql`${request.leaseUntil.toISOString()}::timestamptz`;
  const soon = sql`${new Date(request.now.getTime() + CLOCK_SKEW_MS).toISOString()}::timestamptz`;
  const free = sql`(d.lease_until is null or d.lease_until < ${now})`;
  /*
   * No check comes before its delivery is due, so the account's own queue, which is in the order of due_at, ends at its
   * first row that fits. "is true" keeps the planner from reading everybody's due rows for each account instead.
   */
  const ready = sql`d.next_attempt_at is not null and d.due_at <= ${soon}
    and (d.next_attempt_at <= ${soon}) is true and ${free}`;
  const result = await db.execute(sql`
    with served as (
      select d.account_id from post_deliveries d where d.id = any(${uuids(request.ids)})
      union select unnest(${uuids(request.accountIds)})
    ), heads as (
      select head.id, s.account_id from served s cross join lateral (
        (select d.id, 1 as turn from post_deliveries d
          where d.account_id = s.account_id and d.stage <> 'new' and ${ready} order by d.due_at, d.id limit 1)
        union all
        (select d.id, 2 as turn from post_deliveries d
          where d.account_id = s.account_id and d.stage = 'new' and ${ready} and not exists (
            select 1 from post_deliveries o where o.account_id = s.account_id and o.next_attempt_at is not null
              and o.stage <> 'new' and o.status <> 'posted')
          order by d.due_at, d.id limit 1)
        order by turn limit 1) head
    ), taken as (
      select d.id, a.id as account_id
      from heads h join post_deliveries d on d.id = h.id join accounts a on a.id = h.account_id
      where d.next_attempt_at <= ${soon} and ${free} and (a.lease_until is null or a.lease_until < ${now})
      order by d.due_at limit ${request.limit}
      for no key update of a, d skip locked
    ), leased as (
      update accounts a set lease_token = ${request.leaseToken}, lease_until = ${until}
      from taken where a.id = taken.account_id returning a.*
    )
    update post_deliveries d set lease_token = ${request.leaseToken}, lease_until = ${until},
      claimed_at = coalesce(d.claimed_at, ${now}), last_attempted_at = ${now}, updated_at = ${now},
      status = case when d.status = 'scheduled' then 'pending' else d.status end
    from taken, leased a, posts p
    where d.id = taken.id and a.id = taken.account_id and p.id = d.post_id
    returning d.id, d.lease_token as "leaseToken", d.lease_until as "leaseUntil", d.status, d.stage, d.handle, d.attempts,
      d.deadline_at as "deadlineAt", d.armed_at as "armedAt", d.error_message as "errorMessage",
      a.scope_id = p.scope_id as "inScope",
      jsonb_build_object('caption', p.caption, 'media', p.media, 'musicUrl', p.music_url, 'tiktok', p.tiktok,
        'pinterest', p.pinterest, 'settings', p.settings) as post,
      jsonb_build_object('id', a.id, 'platform', a.platform, 'type', a.type, 'status', a.status, 'username', a.username,
        'externalId', a.external_id, 'accessToken', a.access_token, 'refreshToken', a.refresh_token,
        'tokenExpiresAt', a.token_expires_at, 'tokenVersion', a.token_version) as account,
      coalesce((
        select jsonb_agg(jsonb_build_object('url', f.url, 'mimeType', f.content_type, 'bytes', f.size,
          'durationMs', f.duration_ms, 'width', f.width, 'height', f.height))
        from files f where f.scope_id = p.scope_id and f.url = any(array(
          select jsonb_array_elements_text(coalesce(p.media->'urls', jsonb_build_array(p.media->>'url')))))
      ), '[]') as files`);
  return rowsOf<ClaimRow>(result).map((row) => ({
    ...row,
    leaseUntil: new Date(row.leaseUntil),
    deadlineAt: new Date(row.deadlineAt),
    armedAt: row.armedAt ? new Date(row.armedAt) : null,
    account: {
      ...row.account,
      tokenExpiresAt: row.account.tokenExpiresAt ? new Date(row.account.tokenExpiresAt) : null,
    },
  }));
}

/** One line of the trace. */
export interface Trace {
  step: string;
  outcome: string;
  code?: string | undefined;
  message?: string | undefined;
}

/** What a step changes on the row; what is absent stays. */
export interface Change {
  status?: DeliveryStatus;
  stage?: Stage;
  handle?: Handle | null;
  attempts?: number;
  armedAt?: Date;
  nextAttemptAt?: Date | null;
  deadlineAt?: Date;
  errorCode?: string | null;
  errorMessage?: string | null;
  publishedAt?: Date;
  publishedUrl?: string | null;
  platformPostId?: string | null;
}

/**
 * Writes a step under the lease and adds it to the trace, in one statement. False when the lease was lost: somebody
 * else goes on with this delivery, and the caller must stop. `leaseUntil` null ends the lease on delivery and account.
 */
export async function record(
  db: Db,
  claimed: Pick<Claimed, "id" | "leaseToken" | "account" | "attempts">,
  change: Change,
  trace: Trace,
  now: Date,
  leaseUntil: Date | null,
): Promise<boolean> {
  const at = now.toISOString();
  const sets = sql.join([sql`updated_at = ${at}`, ...setsOf(change), leaseOf(claimed, leaseUntil)], sql`, `);
  const result = await db.execute(sql`
    with d as (
      update post_deliveries set ${sets} where id = ${claimed.id} and lease_token = ${claimed.leaseToken} returning id
    ), a as (
      update accounts set ${leaseOf(claimed, leaseUntil)}
      where id = ${claimed.account.id} and lease_token = ${claimed.leaseToken}
    )
    insert into delivery_attempts (delivery_id, attempt, step, outcome, code, message, at)
    select d.id, ${change.attempts ?? claimed.attempts}, ${trace.step}, ${trace.outcome}, ${trace.code ?? null},
      ${trace.message ?? null}, ${at} from d returning id`);
  return result.rows.length > 0;
}

/** Begins the lease anew while a long step runs; false when it was lost. */
export async function extendLease(
  db: Db,
  claimed: Pick<Claimed, "id" | "leaseToken" | "account">,
  leaseUntil: Date,
): Promise<boolean> {
  const result = await db.execute(sql`
    with a as (
      update accounts set lease_until = ${leaseUntil.toISOString()}
      where id = ${claimed.account.id} and lease_token = ${claimed.leaseToken}
    )
    update post_deliveries set lease_until = ${leaseUntil.toISOString()}
    where id = ${claimed.id} and lease_token = ${claimed.leaseToken} returning id`);
  return result.rows.length > 0;
}

function leaseOf({ leaseToken }: Pick<Claimed, "leaseToken">, until: Date | null): SQL {
  const token = until ? leaseToken : null;
  return sql`lease_token = ${token}, lease_until = ${until?.toISOString() ?? null}`;
}

function setsOf(change: Change): SQL[] {
  const instant = (value: Date | null) => value?.toISOString() ?? null;
  const columns: [SQL, unknown][] = [];
  const add = (column: string, value: unknown) => {
    if (value !== undefined) columns.push([sql.identifier(column) as unknown as SQL, value]);
  };
  add("status", change.status);
  add("stage", change.stage);
  add("handle", change.handle === undefined ? undefined : change.handle && JSON.stringify(change.handle));
  add("attempts", change.attempts);
  add("armed_at", change.armedAt && instant(change.armedAt));
  add("next_attempt_at", change.nextAttemptAt === undefined ? undefined : instant(change.nextAttemptAt));
  add("deadline_at", change.deadlineAt && instant(change.deadlineAt));
  add("error_code", change.errorCode);
  add("error_message", change.errorMessage);
  add("published_at", change.publishedAt && instant(change.publishedAt));
  add("published_url", change.publishedUrl);
  add("platform_post_id", change.platformPostId);
  return columns.map(([column, value]) => sql`${column} = ${value}`);
}

/** Lets a delivery that its fleet has taken be looked at now; false when it is none, or nothing is left to look for. */
export async function dueNow(db: Db, id: string, now: Date): Promise<boolean> {
  const result = await db.execute(sql`
    update post_deliveries d set next_attempt_at = least(d.next_attempt_at, ${now.toISOString()}::timestamptz)
    from accounts a
    where d.id = ${id} and d.stage = 'sent' and d.next_attempt_at is not null
      and a.id = d.account_id and a.type = 'hosted'
    returning d.id`);
  return result.rows.length > 0;
}

/** Stores a traded token. A network that sent no new refresh token leaves the one it gave before. */
export async function saveTokens(
  db: Db,
  accountId: string,
  version: number,
  tokens: { accessToken: string; refreshToken: string | null; expiresAt: Date | null },
): Promise<void> {
  await db.execute(sql`
    update accounts set access_token = ${tokens.accessToken},
      refresh_token = coalesce(${tokens.refreshToken}, refresh_token),
      token_expires_at = ${tokens.expiresAt?.toISOString() ?? null}, token_version = ${version + 1}, updated_at = now()
    where id = ${accountId} and token_version = ${version}`);
}

/**
 * The account is lost until its owner connects it again: what waited for it is void, and told so. Does nothing when
 * the account was connected anew, or its token traded, since it was claimed.
 */
export async function disconnect(
  db: Db,
  account: Claimed["account"],
  reason: string,
  cancelled: string,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  await db.execute(sql`
    with cut as (
      update accounts set status = 'disconnected', status_reason = ${reason}, updated_at = ${at}
      where id = ${account.id} and token_version = ${account.tokenVersion} returning id
    )
    update post_deliveries d set status = 'void', stage = 'done', next_attempt_at = null, updated_at = ${at},
      error_code = 'account_disconnected', error_message = ${cancelled}
    from cut where d.account_id = cut.id and d.next_attempt_at is not null and d.lease_token is null
      and d.stage in ('new', 'started') and d.status in ('pending', 'scheduled', 'retry')`);
}
