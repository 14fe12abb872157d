// The scene of a slide, whose texts are laid out as soon as the renderer can measure them.
import type { BareSlide } from "../schemas/slide.ts";
import type { FontSelection } from "./font-selection.ts";
import type { Scene } from "./renderer.ts";
import { buildScene, type DecodedImage } from "./scene.ts";
import { type RenderSettings, resolveRenderOptions } from "./settings.ts";
import { buildTextBlocks } from "./text-blocks.ts";
import { createTextLayouter } from "./text-layout.ts";
import { buildTextNodes } from "./text-nodes.ts";

export function createMeasuredScene(
  slide: BareSlide,
  settings: RenderSettings,
  images: DecodedImage[],
  text: Pick<FontSelection, "texts" | "families" | "language">,
): Scene {
  return async (measure) => {
    const layouter = createTextLayouter(measure);
    const nodes = [];
    for (const block of buildTextBlocks(slide, resolveRenderOptions(settings), text)) {
      nodes.push(...buildTextNodes(await layouter.layOut(block)));
    }
    return buildScene(slide, settings, images, { families: text.families, nodes });
  };
}
