// GET /events of a scope with few events and of one with a hundred times as many, and the size of the outbox.
import { DAY_MS } from "../../lib/shared/durations.ts";
import { insertPosts } from "../support/insert-posts.ts";
import { compareScopes } from "./compare-latency.ts";
import type { BenchContext, Section, Table } from "./section.ts";
import { createBenchTenant } from "./tenant.ts";

const FEW = 100;
const MANY = 10_000;
const ROUNDS = { short: 12, long: 60 };
/** What a scheduled post and its publication may take in the outbox, indexes included. */
const MAX_BYTES_PER_POST = 8_192;

interface Scope {
  token: string;
  scopeId: string;
  /** The event in the middle of the feed. */
  middle: string;
}

const section: Section = {
  title: "Events at scale",

  async run(context) {
    const rounds = context.short ? ROUNDS.short : ROUNDS.long;
    const [few, many] = [await createScope(context, FEW), await createScope(context, MANY)];
    const size = await measureSize(context, many);
    await context.stack.database.exec("analyze");
    const middleOf = new Map([few, many].map(({ token, middle }) => [token, middle]));
    const latency = await compareScopes(context, {
      title: `GET /events of ${FEW} and of ${MANY} scheduled posts`,
      file: "events-at-scale",
      rounds,
      maxRatio: 2,
      few: { count: FEW, token: few.token },
      many: { count: MANY, token: many.token },
      requests: [
        ["the oldest", "/events"],
        ["from the middle", (token) => `/events?after=${middleOf.get(token)}`],
        ["a rare type", "/events?types=account.connected"],
        ["a type without events", "/events?types=refresh.failed"],
      ],
    });
    return [latency, size];
  },
};

export default section;

async function createScope(context: BenchContext, count: number): Promise<Scope> {
  const { tenant, token, accountIds } = await createBenchTenant(context, ["bluesky"]);
  const { query } = context.stack.database;
  const now = Date.now();
  const due = [new Date(now + DAY_MS), new Date(now + 2 * DAY_MS)] as const;
  const created = [new Date(now - DAY_MS), new Date(now)] as const;
  await insertPosts(query, {
    tenant,
    accountIds,
    count,
    statuses: ["scheduled"],
    created,
    due,
    label: `Event ${count}`,
  });
  const scopeId = tenant.workspaceId ?? tenant.ownerId;
  const [row] = await query<{ id: string }>("select id from events where scope_id = $1 and sequence = $2", [
    scopeId,
    Math.floor(count / 2),
  ]);
  return { token, scopeId, middle: row?.id ?? "" };
}

/** Publishes the posts of the scope in the database, and measures their events: three for each post. */
async function measureSize(context: BenchContext, { scopeId }: Scope): Promise<Table> {
  const { query } = context.stack.database;
  await query(
    `update post_deliveries d set status = 'posted', next_attempt_at = null, published_at = now(), published_url = 'https://bsky.app/' || d.id
     from posts p where p.id = d.post_id and p.scope_id = $1`,
    [scopeId],
  );
  const [row] = await query<{ events: number; bytes: number }>(
    `select (select count(*)::int from events where scope_id = $1) as events,
       (select sum(pg_total_relation_size(inhrelid))::float8 from pg_inherits where inhparent = 'events'::regclass) as bytes`,
    [scopeId],
  );
  const bytes = Math.round((row?.bytes ?? 0) / MANY);
  const ok = bytes > 0 && bytes <= MAX_BYTES_PER_POST;
  return {
    title: "The outbox of 1,000 posts that are scheduled and published",
    rows: [
      {
        events: Math.round((row?.events ?? 0) / (MANY / 1_000)),
        "MB with indexes": Math.round(bytes / 10) / 100,
        ok: ok ? "yes" : "no",
      },
    ],
    broken: ok ? [] : [`a post takes ${bytes} bytes in the outbox, the limit is ${MAX_BYTES_PER_POST}`],
  };
}
