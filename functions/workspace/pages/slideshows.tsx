// Slideshows: the list, a new one, and one with its slides.
import type { Page } from "../page.ts";
import { downloadImage, duplicate, remove, render, saveAsTemplate } from "../slideshows/actions.ts";
import { showSlideshow } from "../slideshows/editor-page.tsx";
import { showSlideshows } from "../slideshows/list-page.tsx";
import { createFromPictures, createFromTemplate, generateFromIdea, showNewSlideshow } from "../slideshows/new-page.tsx";

const LIST = "/slideshows";
const ONE = "/slideshows/:slideshowId";

/** `new` comes before the ids. */
export const slideshowPages: Page[] = [
  { id: "slideshows.show", method: "GET", path: LIST, role: "viewer", handle: showSlideshows },
  { id: "slideshows.new", method: "GET", path: `${LIST}/new`, role: "editor", handle: (c) => showNewSlideshow(c) },
  { id: "slideshows.generate", method: "POST", path: `${LIST}/new`, role: "editor", handle: generateFromIdea },
  {
    id: "slideshows.create-from-template",
    method: "POST",
    path: `${LIST}/from-template`,
    role: "editor",
    handle: createFromTemplate,
  },
  {
    id: "slideshows.create-from-pictures",
    method: "POST",
    path: `${LIST}/from-pictures`,
    role: "editor",
    handle: createFromPictures,
  },
  { id: "slideshows.show-one", method: "GET", path: ONE, role: "viewer", handle: showSlideshow },
  { id: "slideshows.render", method: "POST", path: `${ONE}/render`, role: "editor", handle: render },
  { id: "slideshows.duplicate", method: "POST", path: `${ONE}/duplicate`, role: "editor", handle: duplicate },
  { id: "slideshows.delete", method: "POST", path: `${ONE}/delete`, role: "editor", handle: remove },
  {
    id: "slideshows.save-as-template",
    method: "POST",
    path: `${ONE}/template`,
    role: "editor",
    handle: saveAsTemplate,
  },
  { id: "slideshows.download", method: "GET", path: `${ONE}/images/:number`, role: "viewer", handle: downloadImage },
];
