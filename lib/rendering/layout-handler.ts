// Lays out the texts of generated slides in the rendering Worker.
import { selectFonts } from "./font-selection.ts";
import type { FontStore } from "./font-store.ts";
import type { RenderEngine } from "./renderer.ts";
import { layOutSlide, type SlideLayout } from "./slide-layout.ts";
import { createTextLayouter } from "./text-layout.ts";
import type { LayoutRequest } from "./worker-protocol.ts";

/** In the order of the slides. Characters that no font has are left out, as the texts were written by a model. */
export async function layOutSlides(
  { slides, settings }: LayoutRequest,
  engine: RenderEngine,
  fonts: FontStore,
): Promise<SlideLayout[]> {
  const contents = slides.flatMap(({ heading, body }) => [heading, body]);
  const text = selectFonts(contents, await fonts.index());
  return engine.withMeasure({ ...text, faces: await fonts.load(text.faces) }, async (measure) => {
    const layouter = createTextLayouter(measure);
    const layouts: SlideLayout[] = [];
    for (const at of slides.keys()) {
      const [heading = "", body = ""] = text.texts.slice(at * 2);
      layouts.push(await layOutSlide({ heading, body }, settings, text.language, layouter));
    }
    return layouts;
  });
}
