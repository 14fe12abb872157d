// A scheduled post is dragged to another day or hour, or moved by a dialog, and keeps its time of day where only the day changes.
// Every move can be undone for a moment.
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import type { ClockTime } from "../../../lib/shared/schedule.ts";
import { formatInstant } from "../../../lib/shared/shown-instant.ts";
import { createCaller } from "./shared/api.ts";
import { addDays, fetchClockTime, fetchTimeNote } from "./shared/clock.ts";
import { createElement, createFinder } from "./shared/element.ts";
import { showThumbnails } from "./shared/thumbnails.ts";
import { showToast } from "./shared/toast.ts";

const MORNING = "07";

const calendar = document.querySelector<HTMLElement>("#calendar");
if (calendar) startCalendar(calendar);

function startCalendar(calendar: HTMLElement): void {
  const { base = "" } = calendar.dataset;
  const call = createCaller(`${base}/api`);
  const timeZone = calendar.dataset.timeZone ?? "UTC";
  const dialog = document.querySelector<HTMLDialogElement>("#move");
  const note = document.querySelector<HTMLElement>("#calendar-note");

  const getEntry = (postId: string) => calendar.querySelector<HTMLAnchorElement>(`a.entry[href$="/posts/${postId}"]`);
  const getPostId = (entry: HTMLAnchorElement) => entry.pathname.split("/").at(-1) ?? "";

  async function saveTime(postId: string, time: ClockTime): Promise<void> {
    await call("PATCH /posts/{postId}", { params: { postId }, body: { scheduled_at: time } });
    await refresh();
  }

  /** To a time of the workspace's clock. */
  async function move(entry: HTMLAnchorElement, local: string): Promise<void> {
    const { at = "", wall } = entry.dataset;
    if (local === wall) return;
    const postId = getPostId(entry);
    const before = await fetchClockTime(base, new Date(at));
    await saveTime(postId, { local, time_zone: timeZone });
    // The focus stays on the post, wherever it is now.
    const moved = getEntry(postId);
    moved?.focus();
    const shown = new Date(`${moved?.dataset.wall ?? local}Z`);
    showToast(`Moved to ${formatInstant(shown, "UTC")}. ${(await fetchTimeNote(base, { local }))?.text ?? ""}`.trim(), {
      undo: () => void saveTime(postId, before).then(() => getEntry(postId)?.focus(), showProblem),
    });
  }

  const showProblem = (error: Error) => showToast(error.message, { kind: "problem" });

  const getHours = () => calendar.querySelector<HTMLElement>(".calendar.hours");

  /** Days begin with the morning, or with an earlier hour that has something. */
  function showMorning(): void {
    const hours = getHours();
    const rows = [...(hours?.querySelectorAll<HTMLElement>(".hour") ?? [])];
    const isShown = ({ dataset: { hour = "" }, classList }: HTMLElement) =>
      hour === MORNING || (hour < MORNING && !classList.contains("free"));
    const tops = rows.filter(isShown).map((row) => row.offsetTop - (row.parentElement?.offsetTop ?? 0));
    if (tops.length > 0) hours?.scrollTo({ top: Math.min(...tops) });
  }

  /** The same address again: only the days are replaced. */
  async function refresh(): Promise<void> {
    const response = await fetch(location.href);
    const next = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("#calendar");
    if (!response.ok || !next) return location.reload();
    const scrolled = getHours()?.scrollTop ?? 0;
    calendar.replaceChildren(...document.adoptNode(next).childNodes);
    getHours()?.scrollTo({ top: scrolled });
    enable();
  }

  /** A day keeps the time of day, an hour the minutes. */
  function toDropped({ dataset: { wall = "" } }: HTMLAnchorElement, { date = "", hour }: DOMStringMap): string {
    return hour === undefined ? `${date}${wall.slice(10)}` : `${date}T${hour}${wall.slice(13)}`;
  }

  function enable(): void {
    showThumbnails(calendar);
    for (const entry of calendar.querySelectorAll<HTMLAnchorElement>("a[data-at]")) {
      entry.parentElement?.classList.add("movable");
      entry.after(buildMoveButton(entry));
    }
  }

  const known = new WeakSet<Element>();

  /** Hundreds of posts and hours are made ready when the first is touched, which takes no time of the first paint. */
  function enableDragging({ target }: Event): void {
    const element = target instanceof Element ? target.closest<HTMLAnchorElement>("a[data-at]") : null;
    if (!element || known.has(element)) return;
    known.add(element);
    draggable({ element });
    for (const place of calendar.querySelectorAll<HTMLElement>("[data-date]")) {
      if (known.has(place)) continue;
      known.add(place);
      dropTargetForElements({
        element: place,
        onDragEnter: () => place.classList.add("over"),
        onDragLeave: () => place.classList.remove("over"),
        onDrop({ source }) {
          place.classList.remove("over");
          const entry = source.element as HTMLAnchorElement;
          void move(entry, toDropped(entry, place.dataset)).catch(showProblem);
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
    const find = createFinder(dialog);
    const [input, problem] = [find<HTMLInputElement>("#move-at"), find("#move-problem")];
    input.step = "any";
    input.value = entry.dataset.wall ?? "";
    find("#move-post").textContent = entry.querySelector(".title")?.textContent ?? "";
    problem.textContent = "";
    const showNote = async () => {
      const { value } = input;
      const { at = "", wall } = entry.dataset;
      const isSame = value === wall;
      const time = isSame ? await fetchClockTime(base, new Date(at)).catch(() => null) : { local: value };
      const note = time && (await fetchTimeNote(base, time));
      if (value === input.value) find("#move-note").textContent = note?.text ?? "";
    };
    void showNote();
    input.oninput = showNote;
    for (const button of dialog.querySelectorAll<HTMLButtonElement>("[data-days]")) {
      button.onclick = () => {
        const from = input.value || (entry.dataset.wall ?? "");
        input.value = `${addDays(from.slice(0, 10), Number(button.dataset.days))}${from.slice(10)}`;
        void showNote();
      };
    }
    find<HTMLButtonElement>("[data-close]").onclick = () => dialog.close();
    find<HTMLFormElement>("form").onsubmit = (event) => {
      event.preventDefault();
      move(entry, input.value).then(
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

  calendar.addEventListener("pointerdown", enableDragging);
  showMorning();
  // After the first paint.
  requestAnimationFrame(() => setTimeout(enable));
}
