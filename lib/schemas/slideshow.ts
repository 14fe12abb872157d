// Slideshows: request bodies and responses.
import * as z from "zod";
import { objectWithAliases } from "./aliases.ts";
import { Id, Instant, InstantInput, SearchText } from "./common.ts";
import { pageFields, paginationFields } from "./pagination.ts";
import { AspectRatio, Slide } from "./slide.ts";
import {
  DEFAULT_GENERATED_SLIDES,
  PackAssignments,
  SlideConfig,
  SlideCount,
  validateSlideConfig,
} from "./slide-config.ts";

export const MAX_SLIDES = 35;

const Status = z.enum(["draft", "rendered"]);
export const SlideshowType = z.enum(["educational", "personal"]);
const SlideshowTitle = z.string().trim().normalize("NFC").min(1, "Must not be blank.").max(255);

const advancedFields = {
  font_size: z
    .union(
      [z.number().min(8).max(200), z.enum(["default", "small"])],
      "Must be a number from 8 to 200, default or small.",
    )
    .optional(),
  text_preset: z.string().min(1).max(64).optional(),
  text_width: z.string().min(1).max(64).optional(),
};

const AdvancedSettings = objectWithAliases(advancedFields, {
  fontSize: "font_size",
  textPreset: "text_preset",
  textWidth: "text_width",
}).meta({ id: "AdvancedSettings" });

const SlideshowSettings = objectWithAliases(
  {
    image_pack_id: Id.nullish(),
    aspect_ratio: AspectRatio.optional(),
    slideshow_type: SlideshowType.optional(),
    advanced_settings: AdvancedSettings.optional(),
    pack_assignments: PackAssignments.nullish(),
  },
  {
    imagePackId: "image_pack_id",
    aspectRatio: "aspect_ratio",
    slideshowType: "slideshow_type",
    advancedSettings: "advanced_settings",
    packAssignments: "pack_assignments",
  },
).meta({ id: "SlideshowSettings" });

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
    template_id: Id.optional(),
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
    expected_updated_at: InstantInput.optional(),
    status: Status.optional(),
    product_id: Id.nullish(),
    settings: SlideshowSettings.optional(),
    slides: z.array(Slide).max(MAX_SLIDES).optional(),
  })
  .refine(({ expected_updated_at: _, ...patch }) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .meta({ id: "SlideshowPatch" });
export type SlideshowPatch = z.output<typeof SlideshowPatch>;

/** Of every registered language: https://www.rfc-editor.org/rfc/rfc5646#section-4.4.1, read 2026-11-30. */
export const MAX_LANGUAGE_LENGTH = 35;

const LANGUAGE = /^([a-z]{2,8}(-[a-z0-9]{1,8})*|same_as_prompt)$/i;

export const SlideshowGenerate = z
  .strictObject({
    prompt: z.string().trim().min(1, "Must not be empty.").max(2000).optional(),
    product_id: Id.nullish(),
    pack_id: Id.nullish(),
    slide_count: SlideCount.optional().meta({ default: DEFAULT_GENERATED_SLIDES }),
    slideshow_type: SlideshowType.default("educational"),
    aspect_ratio: AspectRatio.optional(),
    language: z
      .string()
      .regex(LANGUAGE, "Must be a language code such as en or pt-BR, or same_as_prompt.")
      .max(MAX_LANGUAGE_LENGTH)
      .default("same_as_prompt"),
    advanced_settings: AdvancedSettings.optional(),
    skip_ai: z.boolean().default(false),
    slide_config: SlideConfig.prefault({}),
  })
  .superRefine((body, context) => {
    if (body.prompt === undefined && !body.skip_ai && !body.product_id) {
      context.addIssue({ code: "custom", path: ["prompt"], message: "Required unless skip_ai or product_id is sent." });
    }
    validateSlideConfig(body, context);
  })
  .meta({ id: "SlideshowGenerate" });
export type SlideshowGenerate = z.output<typeof SlideshowGenerate>;

export const SlideshowQuery = z.strictObject({
  status: Status.optional(),
  search: SearchText.optional(),
  ...paginationFields({ max: 100, defaultLimit: 20 }),
});
export type SlideshowQuery = z.output<typeof SlideshowQuery>;

const SettingsOutput = z
  .object({
    image_pack_id: Id.optional(),
    aspect_ratio: AspectRatio,
    slideshow_type: SlideshowType,
    advanced_settings: z.object(advancedFields).meta({ id: "AdvancedSettingsShown" }),
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

const readFields = {
  ...coreFields,
  preview_image_url: z.string().nullable(),
  last_rendered_at: Instant.nullable(),
  created_at: Instant,
  updated_at: Instant,
};

export const SlideshowListed = z
  .object({ ...readFields, has_rendered_slide: z.boolean() })
  .meta({ id: "SlideshowListed" });

export const Slideshow = z
  .object({ ...readFields, slides: z.array(SlideOutput), original_prompt: z.string().nullable() })
  .meta({ id: "Slideshow" });
export type Slideshow = z.input<typeof Slideshow>;

/** Response of an update, with these fields only; `updated_at` is there for requests that name the version they change. */
export const SlideshowPatched = z.object({ ...coreFields, updated_at: Instant.optional() });

export const SlideshowList = z.object({
  slideshows: z.array(SlideshowListed),
  ...pageFields,
});

export const SlideshowDeleted = z.object({ id: Id, deleted: z.literal(true) });
