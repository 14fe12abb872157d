// The media of one account, chosen from the files of the workspace. The hidden field has them as a request does.
import type { RequestMedia } from "../../compose/kept-content.ts";
import { createElement } from "../shared/element.ts";
import type { Library } from "./library.ts";
import { buildMedia, isVideoType, type Media } from "./media-body.ts";

export function showOwnMedia(box: HTMLElement, field: HTMLInputElement, library: Library): void {
  const media = field.value ? (JSON.parse(field.value) as RequestMedia) : null;
  const items = media ? listItems(media) : [];

  function write(): void {
    const built = buildMedia(items, media, null);
    field.value = built ? JSON.stringify(built) : "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function add(one: Media): boolean {
    const fits = isVideoType(one.type) ? items.length === 0 : !items.some(({ type }) => isVideoType(type));
    if (!fits) return false;
    items.push(one);
    write();
    return true;
  }

  const choose = createElement("button", { type: "button" }, "Choose from the files of the workspace");
  choose.addEventListener("click", () => library.open(add));
  const list = items.map((one, at) => {
    const remove = createElement(
      "button",
      { type: "button", className: "quiet", ariaLabel: `Remove: ${one.name}` },
      "Remove",
    );
    remove.addEventListener("click", () => {
      items.splice(at, 1);
      write();
    });
    return createElement("li", {}, createElement("span", {}, one.name), remove);
  });
  const hint = createElement("p", { className: "hint" }, "None yet: until then it publishes the media above.");
  box.replaceChildren(
    ...(list.length > 0 ? [createElement("ol", { className: "uploads" }, ...list)] : [hint]),
    createElement("p", { className: "row" }, choose),
  );
}

function listItems(media: RequestMedia): Media[] {
  const toItem = (type: string, url: string, alt?: string | null): Media => ({
    ...{ name: url.split("/").at(-1) ?? "", type, url },
    ...(alt ? { alt } : {}),
  });
  if (media.type === "video") return [toItem("video/mp4", media.url, media.alt_text)];
  if (media.type === "slideshow") return media.urls.map((url, at) => toItem("image/jpeg", url, media.alt_texts?.[at]));
  return media.items.map(({ type, url, alt_text }) =>
    toItem(type === "video" ? "video/mp4" : "image/jpeg", url, alt_text),
  );
}
