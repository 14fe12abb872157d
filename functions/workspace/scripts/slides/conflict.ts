// Two windows changed one slideshow: the person decides which version stays.
import { createElement } from "../shared/element.ts";
import type { Content } from "./content.ts";
import { previewSlide } from "./preview.ts";

type Choice = "mine" | "theirs" | "copy";

/** Null if the dialog is closed without a choice. */
export function askAboutConflict({ mine, theirs }: { mine: Content; theirs: Content }): Promise<Choice | null> {
  const title = createElement("h2", { id: "conflict-title" }, "This slideshow was changed in another window");
  const text = createElement(
    "p",
    {},
    "Your last changes are not saved yet, and somebody else, or you in another window, saved others. Nothing is lost until you choose.",
  );
  const dialog = createElement("dialog", { className: "large" }, title, text);
  dialog.setAttribute("aria-labelledby", title.id);
  const versions = createElement("div", { className: "versions" });
  const at = Math.max(
    0,
    mine.slides.findIndex((slide, index) => JSON.stringify(slide) !== JSON.stringify(theirs.slides[index])),
  );
  for (const [label, content] of [
    ["Your version", mine],
    ["The other version", theirs],
  ] as const) {
    const host = createElement("div", { className: "slide" });
    const { slides } = content;
    const caption = `${label}: ${slides.length} ${slides.length === 1 ? "slide" : "slides"}, “${content.title}”`;
    versions.append(createElement("figure", {}, host, createElement("figcaption", {}, caption)));
    const slide = slides[Math.min(at, slides.length - 1)];
    if (slide) previewSlide(host, slide, content.settings).catch(() => undefined);
  }
  const row = createElement("div", { className: "row" });
  let choice: Choice | null = null;
  for (const [value, label] of [
    ["mine", "Keep mine"],
    ["theirs", "Take the other one"],
    ["copy", "Keep both: mine becomes a copy"],
  ] as const) {
    const button = createElement("button", { type: "button" }, label);
    button.addEventListener("click", () => {
      choice = value;
      dialog.close();
    });
    row.append(button);
  }
  dialog.append(versions, row);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(choice);
    });
  });
}
