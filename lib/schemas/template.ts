// Templates, from which slideshows are created. Their content is a config, version 1.
import * as z from "zod";
import { BoundInput, Id, Instant, nameSchema, SearchText, WebUrl } from "./common.ts";
import { pageFields, paginationFields } from "./pagination.ts";
import { AspectRatio } from "./slide.ts";
import { MAX_LANGUAGE_LENGTH, MAX_SLIDES, SlideshowType } from "./slideshow.ts";

export const MAX_TEMPLATE_NAME_LENGTH = 100;
export const MAX_ELEMENTS = 10;
export const MAX_CONTENT_LENGTH = 500;
export const MAX_PROMPT_LENGTH = 2000;

/** Ids in a config are chosen by the caller: UUIDs of any version. */
const CallerId = z.guid();
const Percent = z.number().min(0).max(100);
const StyleName = z.string().min(1).max(64);

const ConfigElement = z.object({
  id: CallerId,
  content: z.string().max(MAX_CONTENT_LENGTH),
  x: Percent,
  y: Percent,
  fontSize: z.number().min(8).max(200).optional(),
  width: Percent.optional(),
});

const slideFields = { id: CallerId, textElements: z.array(ConfigElement).max(MAX_ELEMENTS).default([]) };

const ConfigSlide = z.discriminatedUnion(
  "type",
  [
    z.object({
      type: z.literal("pack"),
      ...slideFields,
      pinnedImageUrl: WebUrl.nullable(),
    }),
    z.object({
      type: z.literal("custom"),
      ...slideFields,
      image: z.object({ id: z.string().min(1).max(128), url: WebUrl, name: z.string().max(255) }),
    }),
  ],
  { error: "Must be pack or custom." },
);

/** Built twice, because fields with defaults are optional in requests and always present in responses. */
const configV1 = () =>
  z
    .object({
      version: z.literal(1, { error: "Must be 1." }),
      structure: z.object({
        slides: z.array(ConfigSlide).min(1, "Must have at least one slide.").max(MAX_SLIDES),
        packAssignments: z.record(z.string().max(128), CallerId).optional(),
      }),
      content: z.object({
        mode: z.enum(["ai", "manual"]),
        prompt: z.string().max(MAX_PROMPT_LENGTH).optional(),
        productId: CallerId.nullable(),
        language: z
          .string()
          .regex(/^[A-Za-z]+([-_][A-Za-z0-9]+)*$/, "Must be a language code such as en or pt-BR, or same_as_prompt.")
          .max(MAX_LANGUAGE_LENGTH)
          .default("same_as_prompt"),
        slideshowType: SlideshowType,
      }),
      visuals: z.object({
        packId: CallerId.nullable(),
        aspectRatio: AspectRatio,
        textSettings: z.object({
          fontSize: StyleName,
          preset: StyleName,
          width: StyleName,
        }),
      }),
    })
    .superRefine(({ structure: { slides, packAssignments } }, context) => {
      for (const slide of Object.keys(packAssignments ?? {})) {
        if (slides.some(({ id }, index) => slide === String(index) || slide === id)) continue;
        const message = "Must be the id of a slide, or its index starting at 0.";
        context.addIssue({ code: "custom", path: ["structure", "packAssignments", slide], message });
      }
    });

export const TemplateConfig = configV1().meta({
  id: "TemplateConfig",
  description: "Config v1. Unknown keys are dropped.",
});
export type TemplateConfig = z.output<typeof TemplateConfig>;
export type ConfigSlide = z.output<typeof ConfigSlide>;

const Name = nameSchema(MAX_TEMPLATE_NAME_LENGTH);

const Description = z.string().max(500);

const Visibility = z.enum(["private", "workspace"], {
  error: "Must be private or workspace; public templates cannot be created through the API.",
});

export const TemplateCreate = z
  .strictObject({
    name: Name,
    description: Description.nullish(),
    visibility: Visibility.default("private"),
    config: TemplateConfig,
  })
  .meta({ id: "TemplateCreate" });

export const TemplatePatch = z
  .strictObject({
    name: Name.optional(),
    description: Description.nullish(),
    visibility: Visibility.optional(),
    config: TemplateConfig.optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .meta({ id: "TemplatePatch" });
export type TemplatePatch = z.output<typeof TemplatePatch>;

export const TemplateFromSlideshow = z
  .strictObject({
    name: Name.optional(),
    description: Description.nullish(),
    visibility: Visibility.default("private"),
    preserve_text: z.boolean().default(true),
  })
  .meta({ id: "TemplateFromSlideshow" });
export type TemplateFromSlideshow = z.output<typeof TemplateFromSlideshow>;

export const TemplateQuery = z.strictObject({
  search: SearchText.optional(),
  created_since: BoundInput.optional(),
  created_until: BoundInput.optional(),
  ...paginationFields({ max: 100, defaultLimit: 20 }),
});
export type TemplateQuery = z.output<typeof TemplateQuery>;

export const Template = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    visibility: z.enum(["private", "workspace", "public"]),
    preview_url: z.string().nullable(),
    use_count: z.int(),
    last_used_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
    is_owner: z.boolean(),
    config: configV1().meta({ id: "TemplateConfigShown", description: "Config v1." }),
  })
  .meta({ id: "Template" });
export type Template = z.input<typeof Template>;

export const TemplateList = z.object({
  templates: z.array(Template),
  ...pageFields,
});

export const TemplateDeleted = z.object({ id: Id, deleted: z.literal(true) });
