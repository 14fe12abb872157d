// Places of slides that the server is making.
import { createElement } from "../shared/element.ts";

export function buildWaitingSlides(label: string, count: number, shape: string): HTMLElement {
  const places = createElement("ol", { className: "gallery", ariaHidden: "true" });
  for (let at = 0; at < count; at++) {
    const place = createElement("div", { className: "skeleton slide" });
    place.style.aspectRatio = shape.replace(":", " / ");
    places.append(createElement("li", {}, place));
  }
  return createElement("div", { className: "writing" }, createElement("progress", { ariaLabel: label }), places);
}
