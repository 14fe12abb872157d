// The deliveries of a webhook: a filter, and each delivery with its attempts.
import type { FC } from "hono/jsx";
import type { ListedDelivery } from "../../../lib/queries/webhook-deliveries.ts";
import { at } from "../../../lib/shared/at.ts";
import { readEventTime } from "../../../lib/shared/event-id.ts";
import { TEST_EVENT_TYPE } from "../../../lib/shared/event-types.ts";
import { formatInstant } from "../format.ts";
import { ActionForm, Choice, Pager } from "../forms.tsx";
import { Empty } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { Attempts, DELIVERY_WORDS, DeliveryBadge, describeAttempt } from "./webhook-states.tsx";

interface ListProps {
  c: PageContext;
  /** Of the webhook. */
  path: string;
  deliveries: ListedDelivery[];
  nextCursor: string | null;
  status: ListedDelivery["status"] | undefined;
  /** An attempt is made soon, so that the page is read again soon. */
  isMoving: boolean;
  canSend: boolean;
}

export const DeliveryList: FC<ListProps> = ({ c, path, deliveries, nextCursor, status, isMoving, canSend }) => {
  const query: Record<string, string> = status ? { status } : {};
  return (
    <>
      {(deliveries.length > 0 || status) && <FilterForm status={status} />}
      {deliveries.length === 0 ? (
        <NothingHere path={path} isFiltered={status !== undefined} canSend={canSend} />
      ) : (
        <ol class="events" data-live data-moving={isMoving ? "true" : undefined}>
          {deliveries.map((delivery) => (
            <DeliveryRecord c={c} path={path} delivery={delivery} canSend={canSend} />
          ))}
        </ol>
      )}
      {nextCursor && <Pager query={{ ...query, cursor: nextCursor }}>Older deliveries</Pager>}
    </>
  );
};

const FilterForm: FC<{ status: ListProps["status"] }> = ({ status }) => (
  <search>
    <form class="filters" method="get" aria-label="Filter the deliveries">
      <Choice name="status" label="State" value={status} options={Object.entries(DELIVERY_WORDS)} />
      <button type="submit">Filter</button>
      {status && <a href="?">Clear</a>}
    </form>
  </search>
);

const NothingHere: FC<{ path: string; isFiltered: boolean; canSend: boolean }> = ({ path, isFiltered, canSend }) =>
  isFiltered ? (
    <Empty title="No delivery matches">
      <p>
        Deliveries are kept for 30 days. <a href="?">Show all</a>
      </p>
    </Empty>
  ) : (
    <Empty title="Nothing was sent yet">
      <p>The next event of its types is sent to this address and appears here.</p>
      {canSend && <ActionForm action={`${path}/test`}>Send a test</ActionForm>}
    </Empty>
  );

interface RecordProps {
  c: PageContext;
  path: string;
  delivery: ListedDelivery;
  canSend: boolean;
}

const DeliveryRecord: FC<RecordProps> = ({ c, path, delivery, canSend }) => {
  const { timeZone } = c.var;
  const { id, eventId, type, status, attempts, nextAttemptAt } = delivery;
  const eventAt = readEventTime(eventId);
  return (
    <li id={`delivery-${id}`}>
      <div class="line">
        <time datetime={eventAt.toISOString()}>{formatInstant(eventAt, timeZone, { second: "2-digit" })}</time>
        <DeliveryBadge status={status} />
        <code>{type}</code>
      </div>
      <p>
        {attempts.length > 0 ? describeAttempt(at(attempts, attempts.length - 1)) : "Not tried yet"}
        {nextAttemptAt && (
          <span class="hint"> · next attempt {formatInstant(nextAttemptAt, timeZone, { second: "2-digit" })}</span>
        )}
      </p>
      {attempts.length > 0 && (
        <details>
          <summary>{attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}</summary>
          <Attempts attempts={attempts} timeZone={timeZone} />
        </details>
      )}
      <div class="row links">
        <a href={`${path}/deliveries/${id}`}>What was sent</a>
        {canSend && type !== TEST_EVENT_TYPE && <a href={`${path}?after=${eventId}#replay`}>Replay what came after</a>}
        {canSend && (
          <form method="post" action={`${path}/deliveries/${id}/redeliver`}>
            <button type="submit" class="link">
              Send again
            </button>
          </form>
        )}
      </div>
    </li>
  );
};
