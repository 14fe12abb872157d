// What a picture shows, as one hash: two slides with the same one look the same, to the last pixel.
import { createHash } from "node:crypto";
import stringify from "safe-stable-stringify";
import type { BareSlide } from "../schemas/slide.ts";
import { type Picture, picturesOf, sceneOf } from "./scene.ts";
import { type DrawnSettings, drawingOf } from "./settings.ts";

/** Goes up when the same scene comes out another way: with another renderer, fonts, or making of texts and pictures. */
const DRAWING = "1";

const BLANK: Picture = { width: 0, height: 0, data: new Uint8Array(), premultiplied: false };

/** Taken from the scene itself, so that whatever moves a pixel is in it and nothing else. `versions` by URL. */
export function printOf(slide: BareSlide, settings: DrawnSettings, versions: ReadonlyMap<string, string>): string {
  const wanted = picturesOf(slide, settings);
  const texts = slide.text_elements.map(({ content }) => content);
  const scene = sceneOf(
    slide,
    settings,
    wanted.map(() => BLANK),
    { texts, families: [], language: "en" },
  );
  const images = wanted.map(({ url }) => versions.get(url) ?? url);
  const { canvas } = drawingOf(settings);
  return createHash("sha256")
    .update(stringify([DRAWING, canvas, images, scene]) ?? "")
    .digest("hex");
}
