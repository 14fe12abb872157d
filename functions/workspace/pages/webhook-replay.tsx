// The form that sends the events of the feed again, from one of them or from a time on.
import type { FC } from "hono/jsx";
import { getKeptFrom } from "../../../lib/events/feed.ts";
import { findLastEventUntil } from "../../../lib/queries/events.ts";
import { parseTimeZone, toInstant } from "../../../lib/shared/time-zone.ts";
import type { PageContext } from "../page.ts";
import { PageError } from "../session.ts";

export const ReplayForm: FC<{ c: PageContext; path: string; after: string | undefined }> = ({ c, path, after }) => {
  const { timeZone } = c.var;
  return (
    <details class="card" id="replay" open={after !== undefined}>
      <summary>Send events again</summary>
      <form
        class="stack replay"
        method="post"
        action={`${path}/replay`}
        data-confirm="Send these events again? The receiver gets them a second time, with the same ids."
      >
        <fieldset>
          <legend>Which of the last 30 days</legend>
          <label class="check">
            <input type="radio" name="from" value="event" checked /> Those after an event
          </label>
          <label class="check">
            <input type="radio" name="from" value="time" /> Those after a time
          </label>
          <label class="check">
            <input type="radio" name="from" value="all" /> All
          </label>
        </fieldset>
        <div class="event">
          <label for="after">Id of the event</label>
          <input id="after" name="after" value={after} maxlength={100} autocomplete="off" />
        </div>
        <div class="time">
          <label for="at">Time ({timeZone})</label>
          <input id="at" name="at" type="datetime-local" step="any" />
        </div>
        <input type="hidden" name="zone" value={timeZone} />
        <button type="submit">Send again</button>
      </form>
    </details>
  );
};

/** The event after which the form wants to replay; null for the oldest that is kept. */
export async function readAfter(c: PageContext): Promise<string | null> {
  const form = await c.req.parseBody();
  const readText = (name: string) => (typeof form[name] === "string" ? form[name].trim() : "");
  if (form.from === "all") return null;
  if (form.from === "time") {
    const until = toInstant(readText("at"), parseTimeZone(readText("zone")) ?? c.var.timeZone);
    if (!until) throw new PageError(400, "Enter a date and a time that exist.");
    const { services, workspace, now } = c.var;
    const last = await findLastEventUntil(services.db, workspace.actor.scope, { until, keptFrom: getKeptFrom(now) });
    return last?.id ?? null;
  }
  const after = readText("after");
  if (form.from !== "event" || after === "")
    throw new PageError(400, "Enter the id of the event after which to replay.");
  return after;
}
