// When a post goes out, in the time zone of the person.
import type { FC } from "hono/jsx";
import { describeClockChange, hasSeconds, toWallClock } from "../../../lib/shared/time-zone.ts";

/** `given` is a wall-clock time that the link to the page names. */
export const WhenCard: FC<{ at: Date | null; given: string; timeZone: string }> = ({ at, given, timeZone }) => {
  const wallClock = at ? toWallClock(at, timeZone) : given;
  return (
    <div class="card stack wide">
      <label for="at">When</label>
      <input
        id="at"
        type="datetime-local"
        value={wallClock}
        step={hasSeconds(wallClock) ? "any" : undefined}
        data-stored={at?.toISOString()}
        data-time-zone={timeZone}
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
      <p id="at-hint" class="hint">
        Leave it empty to publish at once. Times are in {timeZone}.
      </p>
      <p id="at-note" class="hint" role="status">
        {at && describeClockChange(wallClock, at, timeZone)}
      </p>
    </div>
  );
};
