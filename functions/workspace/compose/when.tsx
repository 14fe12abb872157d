// When a post goes out, in the time zone of the workspace. Its script asks here what a time means, because the browser may know
// other rules of the zone.
import type { FC } from "hono/jsx";
import { resolveClockTime, toClockTime } from "../../../lib/shared/schedule.ts";
import {
  describeClockChange,
  findOccurrence,
  hasSeconds,
  listOffsets,
  toInstant,
} from "../../../lib/shared/time-zone.ts";
import { formatInstant } from "../format.ts";
import type { PageContext } from "../page.ts";

interface WhenProps {
  at: Date | null;
  /** The time that the address names, when it is over. */
  passedAt: Date | null;
  atNextSlot: boolean;
  timeZone: string;
  now: Date;
}

export const WhenCard: FC<WhenProps> = ({ at, passedAt, atNextSlot, timeZone, now }) => {
  const clock = at && toClockTime(at, timeZone);
  const wallClock = clock?.local ?? "";
  return (
    <div class="card stack wide">
      <label for="at">When</label>
      <input
        id="at"
        type="datetime-local"
        value={wallClock}
        step={hasSeconds(wallClock) ? "any" : undefined}
        data-stored={clock && JSON.stringify(clock)}
        data-time-zone={timeZone}
        data-now={now.toISOString()}
        data-offsets={JSON.stringify(listOffsets(now, timeZone))}
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
        {passedAt &&
          `${formatInstant(passedAt, timeZone)} is over, so no time is chosen. Choose a later one, or leave it empty to publish at once.`}
      </p>
      <label id="at-twice" hidden={!isShownTwice(at, timeZone)}>
        Which of the two{" "}
        <select id="at-overlap">
          <option value="">The first</option>
          <option value="second" selected={clock?.on_overlap === "second"}>
            The second
          </option>
        </select>
      </label>
    </div>
  );
};

const isShownTwice = (at: Date | null, timeZone: string) => at !== null && findOccurrence(at, timeZone) !== null;

/** The instant of `?at=2026-11-24T09:30`, with `&on_overlap=second` the second of two; null for what is no time. */
export function readGivenTime(c: PageContext): Date | null {
  const { at: local = "", on_overlap } = c.req.query();
  const first = toInstant(local, c.var.timeZone);
  if (!first || on_overlap !== "second") return first;
  const resolved = resolveClockTime({ local, on_overlap }, c.var.timeZone);
  return "at" in resolved ? resolved.at : null;
}

/**
 * Of a given time, the sentence about one that the clock of the workspace skips or shows twice, and whether it shows it twice. Of
 * `?instant=`, how the clock shows it.
 */
export function sendTime(c: PageContext): Response {
  const { timeZone } = c.var;
  const { at: wallClock = "", instant } = c.req.query();
  if (instant !== undefined) {
    const at = new Date(instant);
    return c.json({ clock: Number.isNaN(at.getTime()) ? null : toClockTime(at, timeZone) });
  }
  const at = readGivenTime(c);
  return c.json({ note: at && describeClockChange(wallClock, at, timeZone), is_twice: isShownTwice(at, timeZone) });
}
