// A scheduled post is dragged to another day or hour, or moved by a dialog, and keeps its time of day where only the day changes.
// Every move can be undone for a moment.
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { toClockTime } from "../../../lib/shared/schedule.ts";
import {
  addDays,
  describeClockChange,
  moveToDay,
  toDay,
  toEditedInstant,
  toInstant,
  toWallClock,
} from "../../../lib/shared/time-zone.ts";
import { createCaller } from "./shared/api.ts";
import { createElement } from "./shared/element.ts";
import { formatInstant } from "./shared/instant.ts";
import { showToast } from "./shared/toast.ts";

const calendar = document.querySelector<HTMLElement>("#calendar");
if (calendar) startCalendar(calendar);

function startCalendar(calendar: HTMLElement): void {
  const call = createCaller(calendar.dataset.api ?? "");
  const timeZone = calendar.dataset.timeZone ?? "UTC";
  const dialog = document.querySelector<HTMLDialogElement>("#move");
  const note = document.querySelector<HTMLElement>("#calendar-note");

  const getEntry = (postId: string) => calendar.querySelector<HTMLAnchorElement>(`a.entry[href$="/posts/${postId}"]`);
  const getPostId = (entry: HTMLAnchorElement) => entry.pathname.split("/").at(-1) ?? "";

  async function saveTime(postId: string, at: Date): Promise<void> {
    const body = { scheduled_at: toClockTime(at, timeZone) };
    await call("PATCH /posts/{postId}", { params: { postId }, body });
    await refresh();
  }

  async function move(entry: HTMLAnchorElement, at: Date): Promise<void> {
    const [postId, before] = [getPostId(entry), entry.dataset.at ?? ""];
    if (at.toISOString() === before) return;
    await saveTime(postId, at);
    // The focus stays on the post, wherever it is now.
    getEntry(postId)?.focus();
    const change = describeClockChange(toWallClock(at, timeZone), at, timeZone);
    showToast(`Moved to ${formatInstant(at, timeZone)}. ${change ?? ""}`.trim(), {
      undo: () => void saveTime(postId, new Date(before)).then(() => getEntry(postId)?.focus(), showProblem),
    });
  }

  const showProblem = (error: Error) => showToast(error.message, { kind: "problem" });

  /** The same address again: only the days are replaced. */
  async function refresh(): Promise<void> {
    const response = await fetch(location.href);
    const next = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("#calendar");
    if (!response.ok || !next) return location.reload();
    calendar.replaceChildren(...document.adoptNode(next).childNodes);
    enable();
  }

  function toDropped(entry: HTMLAnchorElement, { date = "", hour }: DOMStringMap): Date {
    const at = new Date(entry.dataset.at ?? "");
    if (hour === undefined) return moveToDay(at, date, timeZone);
    const wallClock = `${date}T${hour}${toWallClock(at, timeZone).slice(13)}`;
    return toEditedInstant(wallClock, at, timeZone) ?? at;
  }

  function enable(): void {
    for (const element of calendar.querySelectorAll<HTMLAnchorElement>("a[data-at]")) {
      draggable({ element });
      element.parentElement?.classList.add("movable");
      element.after(buildMoveButton(element));
    }
    for (const element of calendar.querySelectorAll<HTMLElement>("[data-date]")) {
      dropTargetForElements({
        element,
        onDragEnter: () => element.classList.add("over"),
        onDragLeave: () => element.classList.remove("over"),
        onDrop({ source }) {
          element.classList.remove("over");
          const entry = source.element as HTMLAnchorElement;
          void move(entry, toDropped(entry, element.dataset)).catch(showProblem);
        },
      });
    }
  }

  /** For keyboards and for touch. */
  function buildMoveButton(entry: HTMLAnchorElement): HTMLElement {
    const name = `Move ${entry.querySelector(".title")?.textContent ?? "the post"}`;
    const button = createElement("button", { type: "button", className: "move-button", ariaLabel: name }, "⇄");
    button.addEventListener("click", () => {
      if (dialog) openDialog(dialog, entry);
    });
    return button;
  }

  function openDialog(dialog: HTMLDialogElement, entry: HTMLAnchorElement): void {
    const find = <Of extends HTMLElement>(selector: string) => dialog.querySelector<Of>(selector) as Of;
    const [input, problem] = [find<HTMLInputElement>("#move-at"), find("#move-problem")];
    const stored = new Date(entry.dataset.at ?? "");
    input.step = "any";
    input.value = toWallClock(stored, timeZone);
    find("#move-post").textContent = entry.querySelector(".title")?.textContent ?? "";
    problem.textContent = "";
    const showNote = () => {
      const at = toInstant(input.value, timeZone);
      find("#move-note").textContent = (at && describeClockChange(input.value, at, timeZone)) ?? "";
    };
    showNote();
    input.oninput = showNote;
    for (const button of dialog.querySelectorAll<HTMLButtonElement>("[data-days]")) {
      button.onclick = () => {
        const at = toEditedInstant(input.value, stored, timeZone) ?? stored;
        const day = addDays(toDay(at, timeZone), Number(button.dataset.days));
        input.value = toWallClock(moveToDay(at, day, timeZone), timeZone);
        showNote();
      };
    }
    find<HTMLButtonElement>("[data-close]").onclick = () => dialog.close();
    find<HTMLFormElement>("form").onsubmit = (event) => {
      event.preventDefault();
      const at = toEditedInstant(input.value, stored, timeZone);
      if (!at) {
        problem.textContent = "Enter a date and a time that exist.";
        return;
      }
      move(entry, at).then(
        () => {
          dialog.close();
          getEntry(getPostId(entry))?.focus();
          if (note) note.textContent = "The post is moved.";
        },
        (error: Error) => {
          problem.textContent = error.message;
        },
      );
    };
    dialog.showModal();
  }

  enable();
}
