// Slideshows: what a caller sends, and what every read answers.
import * as z from "zod";
import { Id, Instant, paging, SearchText, WebUrl } from "./common.ts";
import { AspectRatio, Slide } from "./slide.ts";

export const SLIDES_AT_MOST = 35;
const GENERATED_AT_MOST = 10;

const Status = z.enum(["draft", "rendered"]);
export const SlideshowType = z.enum(["educational", "personal"]);
const SlideshowTitle = z.string().trim().normalize("NFC").min(1, "Must not be blank.").max(255);

const SlideIndex = z.string().regex(/^([12]?\d|3[0-4])$/, "Must be the index of a slide, 0 to 34.");

const AdvancedSettings = z
  .strictObject({
    font_size: z
      .union(
        [z.number().min(8).max(200), z.enum(["default", "small"])],
        "Must be a number of 8 to 200, default or small.",
      )
      .optional()
      .describe("Pixels on a slide 1080 wide; default is 48 for titles and 40 for the rest, small 40 and 33."),
    text_preset: z.string().min(1).max(64).optional().describe("Of texts without a style_preset of their own."),
    text_width: z.string().min(1).max(64).optional().describe("Of texts without a width of their own."),
  })
  .meta({ id: "AdvancedSettings" });

const PackAssignments = z
  .record(SlideIndex, Id)
  .describe("The pack that the background of a slide comes from, by the slide's index.");

const SlideshowSettings = z
  .strictObject({
    image_pack_id: Id.nullish().describe("Null detaches the pack."),
    aspect_ratio: AspectRatio.optional(),
    slideshow_type: SlideshowType.optional().describe(
      "The same as the slideshow's own, which wins when both are sent.",
    ),
    advanced_settings: AdvancedSettings.optional(),
    pack_assignments: PackAssignments.nullish(),
  })
  .meta({ id: "SlideshowSettings" });

const fields = {
  title: SlideshowTitle.optional(),
  slideshow_type: SlideshowType.optional(),
  product_id: Id.nullish(),
  settings: SlideshowSettings.optional(),
};

export const SlideshowCreate = z
  .strictObject({
    ...fields,
    slides: z.array(Slide).min(1, "Send at least one slide.").max(SLIDES_AT_MOST).optional(),
    template_id: Id.optional().describe("Makes the slides from a template, in place of `slides`, and counts one use."),
  })
  .refine(({ slides, template_id }) => (slides === undefined) !== (template_id === undefined), {
    path: ["slides"],
    message: "Send slides or template_id, one of the two.",
  })
  .meta({ id: "SlideshowCreate" });
export type SlideshowCreate = z.output<typeof SlideshowCreate>;

export const SlideshowPatch = z
  .strictObject({
    ...fields,
    status: Status.optional(),
    product_id: Id.nullish().describe("Null detaches the product."),
    settings: SlideshowSettings.optional().describe("Merged with what is stored."),
    slides: z.array(Slide).max(SLIDES_AT_MOST).optional().describe("Replaces every slide."),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Name at least one field to change.")
  .meta({ id: "SlideshowPatch" });
export type SlideshowPatch = z.output<typeof SlideshowPatch>;

const SlideConfig = z
  .strictObject({
    title_slide: z.boolean().default(true).describe("The first slide holds a title alone."),
    call_to_action: z.boolean().default(false).describe("The last slide asks the viewer to do something."),
    pinned_images: z.record(SlideIndex, WebUrl).default({}).describe("The background of a slide, by its index."),
    pack_assignments: PackAssignments.default({}),
  })
  .meta({ id: "SlideConfig" });

const LANGUAGE = /^([a-z]{2,8}(-[a-z0-9]{1,8})*|same_as_prompt)$/i;

export const SlideshowGenerate = z
  .strictObject({
    prompt: z.string().trim().min(1, "Must not be empty.").max(2000).optional(),
    product_id: Id.nullish().describe("What the slides are about, alone or beside the prompt."),
    pack_id: Id.nullish().describe("Where the backgrounds come from: the same request gets the same pictures."),
    slide_count: z.int().min(1).max(GENERATED_AT_MOST).default(5),
    slideshow_type: SlideshowType.default("educational"),
    aspect_ratio: AspectRatio.optional(),
    language: z
      .string()
      .regex(LANGUAGE, "Must be a language code such as en or pt-BR, or same_as_prompt.")
      .default("same_as_prompt"),
    advanced_settings: AdvancedSettings.optional(),
    skip_ai: z.boolean().default(false).describe("Backgrounds only, with an empty text on each slide."),
    slide_config: SlideConfig.prefault({}),
  })
  .superRefine((body, context) => {
    if (body.prompt === undefined && !body.skip_ai && !body.product_id) {
      context.addIssue({ code: "custom", path: ["prompt"], message: "Needed, unless skip_ai or product_id is sent." });
    }
    for (const field of ["pinned_images", "pack_assignments"] as const) {
      for (const index of Object.keys(body.slide_config[field])) {
        if (Number(index) < body.slide_count) continue;
        const message = `There are ${body.slide_count} slides, counted from 0.`;
        context.addIssue({ code: "custom", path: ["slide_config", field, index], message });
      }
    }
  })
  .meta({ id: "SlideshowGenerate" });
export type SlideshowGenerate = z.output<typeof SlideshowGenerate>;

export const SlideshowQuery = z.strictObject({
  status: Status.optional(),
  search: SearchText.optional().describe("Part of the title, whatever the case."),
  ...paging({ most: 100, usual: 20 }),
});
export type SlideshowQuery = z.output<typeof SlideshowQuery>;

const ShownSettings = z
  .object({
    image_pack_id: Id.optional(),
    aspect_ratio: AspectRatio,
    slideshow_type: SlideshowType,
    advanced_settings: AdvancedSettings,
    pack_assignments: PackAssignments.nullable(),
  })
  .meta({ id: "SlideshowSettingsShown" });

const ShownSlide = Slide.extend({ index: z.int(), rendered_image_url: z.string().nullable() }).meta({
  id: "SlideShown",
});

const core = {
  id: Id,
  title: z.string(),
  status: Status,
  slideshow_type: SlideshowType,
  product_id: Id.nullable(),
  slide_count: z.int(),
  settings: ShownSettings,
};

export const SlideshowListed = z
  .object({
    ...core,
    preview_image_url: z.string().nullable(),
    last_rendered_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "SlideshowListed" });

export const Slideshow = SlideshowListed.extend({
  slides: z.array(ShownSlide),
  original_prompt: z.string().nullable(),
}).meta({ id: "Slideshow" });
export type Slideshow = z.input<typeof Slideshow>;

/** The answer of an update: these fields and no others. */
export const SlideshowPatched = z.object(core);

export const SlideshowList = z.object({
  slideshows: z.array(SlideshowListed),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const SlideshowDeleted = z.object({ id: Id, deleted: z.literal(true) });
