// Pictures of a post are put in order by dragging; buttons beside them do the same.
import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";

export function enableDragging(list: HTMLElement, move: (from: number, to: number) => void): void {
  for (const element of list.querySelectorAll<HTMLElement>("li[data-url]")) {
    if (element.dataset.draggable) continue;
    element.dataset.draggable = "true";
    const getPlace = (item: Element) => [...list.children].indexOf(item);
    combine(
      draggable({ element }),
      dropTargetForElements({
        element,
        onDragEnter: () => element.classList.add("over"),
        onDragLeave: () => element.classList.remove("over"),
        onDrop({ source }) {
          element.classList.remove("over");
          move(getPlace(source.element), getPlace(element));
        },
      }),
    );
  }
}
