// A scheduled post is dragged to another day, and keeps its time of day. Its own page moves it without dragging.
import "./shared/temporal.ts";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { moveToDay } from "../../../lib/shared/time-zone.ts";
import { createCaller } from "./shared/api.ts";

const grid = document.querySelector<HTMLElement>(".calendar");
const call = createCaller(grid?.dataset.api ?? "");

async function movePost(post: HTMLAnchorElement, date: string): Promise<void> {
  const at = moveToDay(new Date(post.dataset.at ?? ""), date, grid?.dataset.timeZone ?? "UTC");
  const postId = post.pathname.split("/").at(-1) ?? "";
  await call("PATCH /posts/{postId}", { params: { postId }, body: { scheduled_at: at.toISOString() } });
}

for (const element of document.querySelectorAll<HTMLAnchorElement>(".calendar a[data-at]")) draggable({ element });
for (const element of document.querySelectorAll<HTMLElement>(".calendar .day")) {
  dropTargetForElements({
    element,
    onDragEnter: () => element.classList.add("over"),
    onDragLeave: () => element.classList.remove("over"),
    async onDrop({ source }) {
      element.classList.remove("over");
      try {
        await movePost(source.element as HTMLAnchorElement, element.dataset.date ?? "");
        location.reload();
      } catch (error) {
        const note = document.querySelector("#calendar-note");
        if (note) note.textContent = (error as Error).message;
      }
    },
  });
}
