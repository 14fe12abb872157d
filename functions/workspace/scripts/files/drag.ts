// Files and folders are dragged onto folders, and onto the names of the folders above. The Move button does the same.
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";

const started = new WeakSet<Element>();

/** Elements that are replaced later are started again; those that were are left alone. */
export function startDragging(root: HTMLElement, onDrop: (card: HTMLElement, to: string | null) => void): void {
  if (!root.dataset.editable) return;
  const start = (element: HTMLElement) => {
    const isNew = !started.has(element);
    started.add(element);
    return isNew;
  };
  for (const element of root.querySelectorAll<HTMLElement>(".file")) {
    if (!start(element)) continue;
    draggable({ element });
    if (element.dataset.folder) acceptCards(element, element.dataset.folder);
  }
  for (const element of root.querySelectorAll<HTMLElement>("[data-drop]"))
    if (start(element)) acceptCards(element, element.dataset.drop || null);

  function acceptCards(element: HTMLElement, to: string | null): void {
    dropTargetForElements({
      element,
      canDrop: ({ source }) => source.element !== element,
      onDragEnter: () => element.classList.add("over"),
      onDragLeave: () => element.classList.remove("over"),
      onDrop({ source }) {
        element.classList.remove("over");
        onDrop(source.element as HTMLElement, to);
      },
    });
  }
}
