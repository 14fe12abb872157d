// The parts of a thread: fields that write into the hidden one, which is what is read and saved.
import type { PostBody } from "../../compose/kept-content.ts";
import { createElement } from "../shared/element.ts";

type Part = NonNullable<PostBody["thread"]>[number];

/** As the API has it. */
const MAX_PARTS = 24;

/** Shows the parts of the hidden field; `adds` begins another one. */
export function showThread(form: HTMLFormElement, adds = false): void {
  const field = form.querySelector<HTMLInputElement>("#thread") as HTMLInputElement;
  const list = form.querySelector<HTMLElement>("#thread-parts") as HTMLElement;
  const add = form.querySelector<HTMLButtonElement>("#thread-add") as HTMLButtonElement;
  const parts: Part[] = field.value ? JSON.parse(field.value) : [];
  if (adds && parts.length < MAX_PARTS) parts.push({ caption: "" });

  function write(): void {
    field.value = parts.length > 0 ? JSON.stringify(parts) : "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function build(part: Part, at: number): HTMLElement {
    const text = createElement("textarea", { rows: 3, value: part.caption, ariaLabel: `Part ${at + 2} of the thread` });
    text.addEventListener("input", () => {
      part.caption = text.value;
      write();
    });
    const remove = createElement("button", { type: "button", className: "quiet" }, "Remove");
    remove.ariaLabel = `Remove part ${at + 2}`;
    remove.addEventListener("click", () => {
      parts.splice(at, 1);
      write();
      showThread(form);
      add.focus();
    });
    const media = part.media ? [createElement("span", { className: "hint" }, "Its media stay as they are.")] : [];
    return createElement("li", {}, text, createElement("p", { className: "row" }, remove, ...media));
  }

  list.replaceChildren(...parts.map(build));
  add.disabled = parts.length >= MAX_PARTS;
  if (!adds) return;
  write();
  list.querySelector<HTMLElement>("li:last-child textarea")?.focus();
}
