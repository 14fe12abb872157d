// The part of a request to generate a slideshow that describes each slide: its kind, its background and its texts.
import * as z from "zod";
import { Id, WebUrl } from "./common.ts";
import { TextElement } from "./slide.ts";

const MAX_GENERATED_SLIDES = 10;
export const DEFAULT_GENERATED_SLIDES = 5;

/** A caller may name more slides than a generated slideshow has; these are rejected with the number that it has. */
const SlideIndex = z.string().regex(/^([12]?\d|3[0-4])$/, "Must be the index of a slide, 0 to 34.");
export const SlideCount = z.int().min(1).max(MAX_GENERATED_SLIDES);

/** Fields by slide index. */
const bySlide = <Value extends z.ZodType>(value: Value) => z.record(SlideIndex, value);

export const PackAssignments = bySlide(Id);

const { content, x, y, id, font_size, width } = TextElement.shape;

export const SlideConfig = z
  .strictObject({
    title_slide: z.boolean().default(true),
    call_to_action: z.boolean().default(false),
    total_slides: SlideCount.optional(),
    slide_types: z
      .array(z.enum(["image_pack", "custom_image"]))
      .min(1)
      .max(MAX_GENERATED_SLIDES)
      .optional(),
    custom_images: bySlide(
      z.strictObject({
        image_url: WebUrl,
        image_id: z.string().min(1).max(128).optional(),
        image_name: z.string().max(255).optional(),
      }),
    ).default({}),
    slide_texts: bySlide(z.string().trim().min(1, "Must not be blank.").max(500)).default({}),
    slide_text_elements: bySlide(
      z.array(z.strictObject({ content, x, y, id, font_size, width })).min(1).max(20),
    ).default({}),
    pinned_images: bySlide(WebUrl).default({}),
    pack_assignments: PackAssignments.default({}),
  })
  .meta({ id: "SlideConfig" });
export type SlideConfig = z.output<typeof SlideConfig>;

interface Generated {
  slide_count?: number | undefined;
  pack_id?: string | null | undefined;
  slide_config: SlideConfig;
}

/** The number of slides; `total_slides` takes precedence, because clients send a default `slide_count` beside it. */
export function countSlides({ slide_count, slide_config }: Generated): number {
  return slide_config.total_slides ?? slide_count ?? slide_config.slide_types?.length ?? DEFAULT_GENERATED_SLIDES;
}

const INDEXED = ["custom_images", "slide_texts", "slide_text_elements", "pinned_images", "pack_assignments"] as const;

/** Reports each part of `slide_config` that contradicts another one. */
export function validateSlideConfig(body: Generated, context: z.RefinementCtx): void {
  const { pack_id, slide_config: config } = body;
  const report = (path: (string | number)[], message: string) =>
    context.addIssue({ code: "custom", path: ["slide_config", ...path], message });
  const { slide_types } = config;
  const count = countSlides(body);
  if (slide_types && slide_types.length !== count) {
    report(["slide_types"], `Must have ${count} entries, one for each slide, but has ${slide_types.length}.`);
  }
  for (const field of INDEXED) {
    for (const index of Object.keys(config[field])) {
      if (Number(index) < count) continue;
      report([field, index], `Must be an index below the number of slides, which is ${count}.`);
    }
  }
  for (const [index, type] of (slide_types ?? []).entries()) {
    if (type === "custom_image") {
      if (!config.custom_images[index]) report(["custom_images", index], "Required for a custom_image slide.");
      for (const field of ["pinned_images", "pack_assignments"] as const) {
        if (config[field][index]) report([field, index], "Only an image_pack slide can have one.");
      }
    } else {
      if (config.custom_images[index]) report(["custom_images", index], "Only a custom_image slide can have one.");
      const hasImage = pack_id || config.pack_assignments[index] || config.pinned_images[index];
      if (!hasImage) report(["slide_types", index], "Needs pack_id, or a pack of its own in pack_assignments.");
    }
  }
}
