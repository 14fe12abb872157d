// The hash of a slide's rendering: slides with the same hash render to the same pixels.
import { createHash } from "node:crypto";
import stringify from "safe-stable-stringify";
import type { BareSlide } from "../schemas/slide.ts";
import { buildScene, type DecodedImage, listImages } from "./scene.ts";
import { type RenderSettings, resolveRenderOptions } from "./settings.ts";
import { buildTextBlocks } from "./text-blocks.ts";

/** Increment when the same scene renders differently, such as after a change of renderer, fonts or image decoding. */
const RENDER_VERSION = "3";

const EMPTY_IMAGE: DecodedImage = { width: 0, height: 0, data: new Uint8Array(), premultiplied: false };

/** Hashes the scene and the texts before they are laid out, so that the hash covers exactly what affects pixels. `versions` maps image URLs to versions. */
export function computeRenderHash(
  slide: BareSlide,
  settings: RenderSettings,
  versions: ReadonlyMap<string, string>,
): string {
  const requests = listImages(slide, settings);
  const options = resolveRenderOptions(settings);
  const images = requests.map(() => EMPTY_IMAGE);
  const scene = buildScene(slide, settings, images, { families: [], nodes: [] });
  const texts = slide.text_elements.map(({ content }) => content);
  const blocks = buildTextBlocks(slide, options, { texts, language: "en" });
  const versionsOfImages = requests.map(({ url }) => versions.get(url) ?? url);
  return createHash("sha256")
    .update(stringify([RENDER_VERSION, options.canvas, versionsOfImages, scene, blocks]) ?? "")
    .digest("hex");
}
