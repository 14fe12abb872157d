// When a post goes out, in the time zone of the workspace.
import type { FC } from "hono/jsx";
import { describeClockChange, hasSeconds, toWallClock } from "../../../lib/shared/time-zone.ts";

interface WhenProps {
  at: Date | null;
  given: string;
  atNextSlot: boolean;
  timeZone: string;
}

/** `given` is a wall-clock time that the link to the page names. */
export const WhenCard: FC<WhenProps> = ({ at, given, atNextSlot, timeZone }) => {
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
        Leave it empty to publish at once. Times are in {timeZone}.
      </p>
      <p id="at-note" class="hint" role="status">
        {at && describeClockChange(wallClock, at, timeZone)}
      </p>
    </div>
  );
};
