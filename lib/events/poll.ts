// Events of one type for a client of MCP Events that asks for them from time to time. It keeps the position, the service keeps nothing.
import type * as z from "zod";
import { findLastEventUntil, listEvents } from "../queries/events.ts";
import type { EventPoll, EventPolled } from "../schemas/event-subscription.ts";
import type { RequestContext } from "../services/context.ts";
import { getKeptFrom } from "./feed.ts";
import { toOccurrence } from "./occurrence.ts";
import { toEvent } from "./to-event.ts";

const NEXT_POLL_MS = 30_000;
/** Before the first event of a scope: a UUIDv7 with the number 0. */
const BEGINNING = "00000000-0000-7000-8000-000000000000";

type PollContext = Pick<RequestContext, "db" | "env" | "key" | "now" | "sandbox">;

export async function pollEvents(
  context: PollContext,
  { name, arguments: { account_ids: accountIds }, cursor, maxAgeMs, maxEvents }: z.output<typeof EventPoll>,
): Promise<z.input<typeof EventPolled>> {
  const { db, key, now } = context;
  const scope = accountIds ? { ...key.scope, accountIds } : key.scope;
  const common = { nextPollMs: NEXT_POLL_MS };
  if (!cursor) {
    const last = await findLastEventUntil(db, scope, { until: now, keptFrom: getKeptFrom(now) });
    return { events: [], cursor: last?.id ?? BEGINNING, truncated: false, hasMore: false, ...common };
  }
  const after = cursor.id === BEGINNING ? null : cursor;
  const floor = maxAgeMs === undefined ? 0 : now.getTime() - maxAgeMs;
  const keptFrom = new Date(Math.max(floor, getKeptFrom(now).getTime()));
  const page = await listEvents(db, scope, { after, types: [name], keptFrom, now, limit: maxEvents });
  const last = page.hasMore ? page.events.at(-1)?.id : page.endId;
  return {
    events: page.events.map((event) => toOccurrence(toEvent(context, key.scope, event))),
    cursor: last ?? cursor.id,
    truncated: !page.isAfterKept,
    hasMore: page.hasMore,
    ...common,
  };
}
