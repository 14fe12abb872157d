// Slideshows: request bodies and responses.
import * as z from "zod";
import { Id, Instant, paginationFields, SearchText, WebUrl } from "./common.ts";
import { AspectRatio, Slide } from "./slide.ts";

export const MAX_SLIDES = 35;
const MAX_GENERATED_SLIDES = 10;

const Status = z.enum(["draft", "rendered"]);
export const SlideshowType = z.enum(["educational", "personal"]);
const SlideshowTitle = z.string().trim().normalize("NFC").min(1, "Must not be blank.").max(255);

const SlideIndex = z.string().regex(/^([12]?\d|3[0-4])$/, "Must be the index of a slide, 0 to 34.");

const AdvancedSettings = z
  .strictObject({
    font_size: z
      .union(
        [z.number().min(8).max(200), z.enum(["default", "small"])],
        "Must be a number from 8 to 200, default or small.",
      )
      .optional()
      .describe(
        "Pixels on a slide 1080 wide; default is 48 for titles and 40 for other texts, small is 40 and 33; generated texts have sizes of their own, 84 and 54 or 64 and 42, and shrink to fit.",
      ),
    text_preset: z.string().min(1).max(64).optional().describe("For texts without a style_preset."),
    text_width: z.string().min(1).max(64).optional().describe("For texts without a width."),
  })
  .meta({ id: "AdvancedSettings" });

const PackAssignments = z.record(SlideIndex, Id).describe("The pack for the background of each slide, by slide index.");

const SlideshowSettings = z
  .strictObject({
    image_pack_id: Id.nullish().describe("Null detaches the pack."),
    aspect_ratio: AspectRatio.optional(),
    slideshow_type: SlideshowType.optional().describe(
      "Alias of the slideshow's slideshow_type, which takes precedence.",
    ),
    advanced_settings: AdvancedSettings.optional(),
    pack_assignments: PackAssignments.nullish(),
  })
  .meta({ id: "SlideshowSettings" });

const inputFields = {
  title: SlideshowTitle.optional(),
  slideshow_type: SlideshowType.optional(),
  product_id: Id.nullish(),
  settings: SlideshowSettings.optional(),
};

export const SlideshowCreate = z
  .strictObject({
    ...inputFields,
    slides: z.array(Slide).min(1, "Send at least one slide.").max(MAX_SLIDES).optional(),
    template_id: Id.optional().describe("Creates the slides from a template instead of `slides`, and counts one use."),
  })
  .refine(({ slides, template_id }) => (slides === undefined) !== (template_id === undefined), {
    path: ["slides"],
    message: "Send slides or template_id, but not both.",
  })
  .meta({ id: "SlideshowCreate" });
export type SlideshowCreate = z.output<typeof SlideshowCreate>;

export const SlideshowPatch = z
  .strictObject({
    ...inputFields,
    status: Status.optional(),
    product_id: Id.nullish().describe("Null detaches the product."),
    settings: SlideshowSettings.optional().describe("Merged with the stored settings."),
    slides: z.array(Slide).max(MAX_SLIDES).optional().describe("Replaces every slide."),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .meta({ id: "SlideshowPatch" });
export type SlideshowPatch = z.output<typeof SlideshowPatch>;

const SlideConfig = z
  .strictObject({
    title_slide: z.boolean().default(true).describe("The first slide has a title only."),
    call_to_action: z.boolean().default(false).describe("The last slide asks the viewer to do something."),
    pinned_images: z.record(SlideIndex, WebUrl).default({}).describe("The background of each slide, by slide index."),
    pack_assignments: PackAssignments.default({}),
  })
  .meta({ id: "SlideConfig" });

const LANGUAGE = /^([a-z]{2,8}(-[a-z0-9]{1,8})*|same_as_prompt)$/i;

export const SlideshowGenerate = z
  .strictObject({
    prompt: z.string().trim().min(1, "Must not be empty.").max(2000).optional(),
    product_id: Id.nullish().describe("The subject of the slides, with or without a prompt."),
    pack_id: Id.nullish().describe("The pack for the backgrounds; the same request selects the same images."),
    slide_count: z.int().min(1).max(MAX_GENERATED_SLIDES).default(5),
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
      context.addIssue({ code: "custom", path: ["prompt"], message: "Required unless skip_ai or product_id is sent." });
    }
    for (const field of ["pinned_images", "pack_assignments"] as const) {
      for (const index of Object.keys(body.slide_config[field])) {
        if (Number(index) < body.slide_count) continue;
        const message = `Must be an index below slide_count, which is ${body.slide_count}.`;
        context.addIssue({ code: "custom", path: ["slide_config", field, index], message });
      }
    }
  })
  .meta({ id: "SlideshowGenerate" });
export type SlideshowGenerate = z.output<typeof SlideshowGenerate>;

export const SlideshowQuery = z.strictObject({
  status: Status.optional(),
  search: SearchText.optional().describe("Part of the title, case-insensitive."),
  ...paginationFields({ max: 100, defaultLimit: 20 }),
});
export type SlideshowQuery = z.output<typeof SlideshowQuery>;

const SettingsOutput = z
  .object({
    image_pack_id: Id.optional(),
    aspect_ratio: AspectRatio,
    slideshow_type: SlideshowType,
    advanced_settings: AdvancedSettings,
    pack_assignments: PackAssignments.nullable(),
  })
  .meta({ id: "SlideshowSettingsShown" });

const SlideOutput = Slide.extend({ index: z.int(), rendered_image_url: z.string().nullable() }).meta({
  id: "SlideShown",
});

const coreFields = {
  id: Id,
  title: z.string(),
  status: Status,
  slideshow_type: SlideshowType,
  product_id: Id.nullable(),
  slide_count: z.int(),
  settings: SettingsOutput,
};

export const SlideshowListed = z
  .object({
    ...coreFields,
    preview_image_url: z.string().nullable(),
    last_rendered_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "SlideshowListed" });

export const Slideshow = SlideshowListed.extend({
  slides: z.array(SlideOutput),
  original_prompt: z.string().nullable(),
}).meta({ id: "Slideshow" });
export type Slideshow = z.input<typeof Slideshow>;

/** Response of an update, with these fields only. */
export const SlideshowPatched = z.object(coreFields);

export const SlideshowList = z.object({
  slideshows: z.array(SlideshowListed),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const SlideshowDeleted = z.object({ id: Id, deleted: z.literal(true) });
