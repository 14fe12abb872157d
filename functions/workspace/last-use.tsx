// The last use of a key or grant, as their pages show it.
import type { FC } from "hono/jsx";
import { listLastRequests } from "../../lib/http/request-list.ts";
import type { Redis } from "../../lib/services/redis.ts";
import { formatDistance, formatInstant } from "./format.ts";
import type { PageContext } from "./page.ts";

/** The rows with their last requests, which the database knows ten minutes later. */
export async function addLastRequests<Row extends { id: string }>(redis: Redis, rows: Row[]) {
  const lastUses = await listLastRequests(
    redis,
    rows.map(({ id }) => id),
  );
  return rows.map((row, index) => ({ ...row, ...lastUses[index] }));
}

export const LastUse: FC<{ c: PageContext; lastUsedAt: Date | null; lastOperation: string | null }> = ({
  c: {
    var: { now, timeZone },
  },
  lastUsedAt,
  lastOperation,
}) =>
  lastUsedAt ? (
    <span title={formatInstant(lastUsedAt, timeZone)}>
      last used {formatDistance(lastUsedAt, now)}
      {lastOperation && (
        <>
          {" "}
          for <code>{lastOperation}</code>
        </>
      )}
    </span>
  ) : (
    <>never used</>
  );
