// When a post goes out, in the time zone of the workspace. Its script asks here what a time means, because the browser may know
// other rules of the zone.
import type { FC } from "hono/jsx";
import { toClockTime } from "../../../lib/shared/schedule.ts";
import { describeClockChange, hasSeconds, toInstant, toWallClock } from "../../../lib/shared/time-zone.ts";
import type { PageContext } from "../page.ts";

interface WhenProps {
  at: Date | null;
  given: string;
  atNextSlot: boolean;
  timeZone: string;
  now: Date;
}

/** `given` is a wall-clock time that the link to the page names. */
export const WhenCard: FC<WhenProps> = ({ at, given, atNextSlot, timeZone, now }) => {
  const wallClock = at ? toWallClock(at, timeZone) : given;
  return (
    <div class="card stack wide">
      <label for="at">When</label>
      <input
        id="at"
        type="datetime-local"
        value={wallClock}
        step={hasSeconds(wallClock) ? "any" : undefined}
        data-stored={at && JSON.stringify(toClockTime(at, timeZone))}
        data-time-zone={timeZone}
        data-now={toWallClock(now, timeZone)}
        disabled={atNextSlot}
        aria-describedby="at-hint at-note"
      />
      <fieldset class="row">
        <legend class="visually-hidden">Times to choose</legend>
        <button type="button" data-time="hour">
          In an hour
        </button>
        <button type="button" data-time="tomorrow">
          Tomorrow 9:00
        </button>
        <button type="button" data-time="monday">
          Monday 9:00
        </button>
        <button type="button" data-time="now">
          At once
        </button>
      </fieldset>
      <label class="check">
        <input id="next-slot" type="checkbox" checked={atNextSlot} />
        <span>
          Next free slot <small>The earliest that is free for all accounts of the post, when it is scheduled.</small>
        </span>
      </label>
      <p id="at-hint" class="hint">
        Leave it empty to publish at once. Times are in <span data-zone={timeZone}>{timeZone}</span>.
      </p>
      <p id="at-note" class="hint" role="status">
        {at && describeClockChange(wallClock, at, timeZone)}
      </p>
    </div>
  );
};

/**
 * The instant of a time of the workspace's clock. `?at=2026-11-24T09:30`: the sentence about one that the clock skips or shows twice.
 * `?instant=`: how the clock shows it.
 */
export function sendTime(c: PageContext): Response {
  const { timeZone } = c.var;
  const { at: wallClock = "", instant } = c.req.query();
  if (instant !== undefined) {
    const at = new Date(instant);
    return c.json({ clock: Number.isNaN(at.getTime()) ? null : toClockTime(at, timeZone) });
  }
  const at = toInstant(wallClock, timeZone);
  return c.json({ note: at && describeClockChange(wallClock, at, timeZone) });
}
