// Posts of the past, with their deliveries, traces and events: no operation creates what has happened already. They have ended,
// so that no worker takes them up, and they failed too long ago for a mail.
import { createHash } from "node:crypto";
import { v7 } from "uuid";
import { DAY_MS, SECOND_MS } from "../../../lib/shared/durations.ts";
import type { PostMedia } from "../../../lib/shared/post-media.ts";
import type { Scope } from "../../../lib/shared/scope.ts";
import type { Database } from "../database.ts";
import type { SeededAccount } from "../seed.ts";
import { buildPermalink } from "./permalinks.ts";
import type { SampleOutcome, SamplePost } from "./story.ts";

/** Posts are written some days before they are due. */
const LEAD_MS = 3 * DAY_MS;
const RETRY_MS = 90 * SECOND_MS;

type Run = Database["query"];

interface Delivery {
  id: string;
  account: SeededAccount;
  outcome: SampleOutcome | null;
}

interface Moment {
  at: Date;
  /** Their events are written at the time of the database, and get the time of the moment. */
  objectIds: string[];
  run(): Promise<unknown>;
}

export interface PastPosts {
  scope: Scope;
  posts: readonly SamplePost[];
  findAccount(platform: string): SeededAccount;
  findMedia(post: SamplePost): PostMedia | null;
  /** When the sample began to be made: all events since then are of now. */
  now: Date;
  /** No post is written before this time. */
  since: Date;
  toInstant(post: SamplePost): Date;
}

export async function insertPastPosts(run: Run, past: PastPosts): Promise<void> {
  const moments = past.posts.flatMap((post) => planPost(run, past, post));
  moments.sort((one, other) => one.at.getTime() - other.at.getTime());
  for (const moment of moments) {
    await moment.run();
    await run(
      "update events set created_at = $2 where scope_id = $1 and object_id = any($3::uuid[]) and created_at > $4",
      [...[past.scope.id, moment.at.toISOString(), moment.objectIds, past.now.toISOString()]],
    );
  }
}

function planPost(run: Run, past: PastPosts, post: SamplePost): Moment[] {
  const due = past.toInstant(post);
  const written = new Date(Math.max(past.since.getTime(), due.getTime() - LEAD_MS));
  const id = newId(written);
  const deliveries = post.platforms.map((platform): Delivery => {
    const outcome = post.outcome?.platform === platform ? post.outcome : null;
    return { id: newId(written), account: past.findAccount(platform), outcome };
  });
  const media = past.findMedia(post);
  return [
    {
      at: written,
      objectIds: [id],
      run: () => insertPost(run, past.scope, { id, post, media, deliveries, written, due }),
    },
    ...deliveries.map((delivery, position) => {
      const retries = delivery.outcome ? delivery.outcome.attempts - 1 : 0;
      const end = new Date(due.getTime() + (8 + position * 3) * SECOND_MS + retries * RETRY_MS);
      return { at: end, objectIds: [id, delivery.id], run: () => endDelivery(run, id, delivery, due, end) };
    }),
  ];
}

/** A scheduled post without a next attempt. */
async function insertPost(
  run: Run,
  scope: Scope,
  {
    id,
    post,
    media,
    deliveries,
    written,
    due,
  }: {
    id: string;
    post: SamplePost;
    media: PostMedia | null;
    deliveries: Delivery[];
    written: Date;
    due: Date;
  },
): Promise<void> {
  await run(
    `with new_post as (
       insert into posts (id, owner_id, workspace_id, caption, media, status, scheduled_at, settings, metadata, payload_hash,
         created_at, updated_at)
       values ($1, $2, $3, $4, $5::jsonb, 'scheduled', $6, '{}', '{"source": "dashboard"}', $7, $8, $8))
     insert into post_deliveries (id, post_id, account_id, position, status, due_at, deadline_at, created_at, updated_at)
     select delivery_id, $1, account_id, place - 1, 'scheduled', $6, $6::timestamptz + interval '1 day', $8, $8
     from unnest($9::uuid[], $10::uuid[]) with ordinality as one(delivery_id, account_id, place)`,
    [
      ...[id, scope.ownerId, scope.workspaceId, post.caption, media && JSON.stringify(media), due.toISOString()],
      ...[createHash("sha256").update(id).digest("hex"), written.toISOString()],
      ...[deliveries.map((one) => one.id), deliveries.map(({ account }) => account.id)],
    ],
  );
}

async function endDelivery(run: Run, postId: string, delivery: Delivery, due: Date, end: Date): Promise<void> {
  const { id, account, outcome } = delivery;
  const isPosted = outcome?.end !== "failed";
  const permalink = isPosted ? buildPermalink(account, id) : null;
  await insertTrace(run, delivery, due, end);
  await run(
    `update post_deliveries set status = $2, stage = 'done', attempts = $3, error_code = $4, error_message = $5,
       armed_at = $6, last_attempted_at = $6, published_at = $7, published_url = $8, platform_post_id = $9, updated_at = $6
     where id = $1`,
    [
      ...[id, isPosted ? "posted" : "failed", outcome?.attempts ?? 1],
      ...(isPosted ? [null, null] : [outcome?.code, outcome?.message]),
      ...[end.toISOString(), isPosted ? end.toISOString() : null, permalink?.url ?? null, permalink?.id ?? null],
    ],
  );
  await run("update posts set updated_at = $2 where id = $1", [postId, end.toISOString()]);
}

/** A line for each attempt that failed, then those of the last one. */
async function insertTrace(run: Run, { id, outcome }: Delivery, due: Date, end: Date): Promise<void> {
  const attempts = outcome?.attempts ?? 1;
  const failures = Array.from({ length: attempts - 1 }, (_, at) => ({
    ...{
      attempt: at,
      step: "publish",
      outcome: "retry",
      code: outcome?.code,
      message: outcome?.message.split(". ")[0],
    },
    at: new Date(due.getTime() + 4 * SECOND_MS + at * RETRY_MS),
  }));
  const last =
    outcome?.end === "failed"
      ? { outcome: "failed", code: outcome.code, message: outcome.message }
      : { outcome: "posted" };
  const lines = [
    ...failures,
    { attempt: attempts - 1, step: "start", outcome: "started", at: new Date(end.getTime() - 5 * SECOND_MS) },
    { attempt: attempts - 1, step: "arm", outcome: "armed", at: new Date(end.getTime() - 2 * SECOND_MS) },
    { attempt: attempts, step: "publish", ...last, at: end },
  ];
  await run(
    `insert into delivery_attempts (delivery_id, attempt, step, outcome, code, message, at)
     select $1::uuid, attempt, step, outcome, code, message, at
     from jsonb_to_recordset($2::jsonb) as line(attempt int, step text, outcome text, code text, message text, at timestamptz)`,
    [id, JSON.stringify(lines)],
  );
}

const newId = (at: Date) => v7({ msecs: at.getTime() });
