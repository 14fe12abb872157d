// Lays out the texts of generated slides in the rendering Worker.
import { selectFonts } from "./font-selection.ts";
import type { FontStore } from "./font-store.ts";
import type { RenderEngine } from "./renderer.ts";
import { layOutSlide, type SlideLayout } from "./slide-layout.ts";
import { createTextLayouter } from "./text-layout.ts";
import type { LayoutRequest } from "./worker-protocol.ts";

/** In the order of the slides. The texts are from a model, so characters that no font has are left out without an error. */
export async function layOutSlides(
  { slides, settings }: LayoutRequest,
  engine: RenderEngine,
  fonts: FontStore,
): Promise<SlideLayout[]> {
  // Heading and body of each slide in turn; `drawable.texts` has the same order.
  const contents = slides.flatMap(({ heading, body }) => [heading, body]);
  const drawable = selectFonts(contents, await fonts.index());
  return engine.withMeasure({ ...drawable, faces: await fonts.load(drawable.faces) }, async (measure) => {
    const layouter = createTextLayouter(measure);
    const layouts: SlideLayout[] = [];
    for (const at of slides.keys()) {
      const [heading = "", body = ""] = drawable.texts.slice(at * 2);
      layouts.push(await layOutSlide({ heading, body }, settings, drawable.language, layouter));
    }
    return layouts;
  });
}
