// A post in the calendar: when, what state, which networks; a scheduled one can be moved.
import type { FC } from "hono/jsx";
import type { CalendarEntry } from "../../../lib/queries/queue.ts";
import { findOccurrence, toWallClock } from "../../../lib/shared/time-zone.ts";
import { getPlatformName } from "../format.ts";
import type { PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { hasRole } from "../session.ts";
import { STATUS_WORDS } from "./post-states.tsx";

/** As many as leave room for the first words. */
const MAX_MARKS = 3;

export const CalendarPost: FC<{ c: PageContext; entry: CalendarEntry }> = ({ c, entry }) => {
  const { id, at, status, caption, platforms, picture, video } = entry;
  const canMove = status === "scheduled" && hasRole(c.var.workspace.role, "editor");
  const wall = toWallClock(at, c.var.timeZone);
  const occurrence = findOccurrence(at, c.var.timeZone);
  // The rest is a number, which takes the room of one.
  const shown = platforms.length > MAX_MARKS ? MAX_MARKS - 1 : MAX_MARKS;
  return (
    <li>
      <a
        href={`/dashboard/${c.var.workspace.id}/posts/${id}`}
        class={`entry ${status}`}
        draggable={canMove ? "true" : undefined}
        data-at={canMove ? at.toISOString() : undefined}
        data-wall={canMove ? wall : undefined}
      >
        <span class="at">
          {wall.slice(11, 16)}
          {occurrence && <Occurrence name={occurrence} />}
        </span>
        <span class="visually-hidden">
          {STATUS_WORDS[status]}, {platforms.map(getPlatformName).join(", ")}:{" "}
        </span>
        <span class="marks">
          {platforms.slice(0, shown).map((platform) => (
            <PlatformMark platform={platform} />
          ))}
        </span>
        {platforms.length > shown && <b aria-hidden="true">+{platforms.length - shown}</b>}
        {picture ? (
          <img src={picture} alt="" loading="lazy" decoding="async" width={28} height={28} draggable={false} />
        ) : (
          video && <video data-src={video} width={28} height={28} muted playsinline preload="none" />
        )}
        <span class="title">{caption}</span>
      </a>
    </li>
  );
};

/** Beside a time that the clock shows twice. */
export const Occurrence: FC<{ name: "first" | "second" }> = ({ name }) => (
  <>
    {" "}
    ({name}
    <span class="visually-hidden"> of two</span>)
  </>
);

/** Moves the post of the button that opened it. */
export const MoveDialog: FC<{ timeZone: string }> = ({ timeZone }) => (
  <dialog id="move" aria-labelledby="move-title">
    <form method="dialog" class="stack wide">
      <h2 id="move-title">Move the post</h2>
      <p id="move-post" class="hint" />
      <label for="move-at">To ({timeZone})</label>
      <input id="move-at" type="datetime-local" required />
      <fieldset class="row">
        <legend class="visually-hidden">By</legend>
        {[
          ["-1", "A day earlier"],
          ["1", "A day later"],
          ["7", "A week later"],
        ].map(([days, text]) => (
          <button type="button" data-days={days}>
            {text}
          </button>
        ))}
      </fieldset>
      <p id="move-note" class="hint" role="status" />
      <p id="move-problem" class="problem" role="alert" />
      <div class="row">
        <button type="button" data-close>
          Cancel
        </button>
        <button type="submit" class="primary">
          Move
        </button>
      </div>
    </form>
  </dialog>
);
