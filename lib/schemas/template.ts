// Templates: what a slideshow is made again from. Config v1 is the shape of what they keep.
import * as z from "zod";
import { BoundIn, Id, Instant, paging, SearchText, WebUrl } from "./common.ts";
import { AspectRatio } from "./slide.ts";
import { SLIDES_AT_MOST, SlideshowType } from "./slideshow.ts";

export const TEMPLATE_NAME_AT_MOST = 100;
export const ELEMENTS_AT_MOST = 10;
export const CONTENT_AT_MOST = 500;
export const PROMPT_AT_MOST = 2000;

/** Ids inside a config are the caller's own: of the form of a UUID, whatever its version. */
const OwnId = z.guid();
const Percent = z.number().min(0).max(100);
const Look = z.string().min(1).max(64);

const ConfigElement = z.object({
  id: OwnId,
  content: z.string().max(CONTENT_AT_MOST),
  x: Percent.describe("Percent of the slide's width."),
  y: Percent.describe("Percent of the slide's height."),
  fontSize: z.number().min(8).max(200).describe("Pixels on a slide 1080 wide."),
  width: Percent.describe("Percent of the slide's width."),
});

const everySlide = { id: OwnId, textElements: z.array(ConfigElement).max(ELEMENTS_AT_MOST) };

const ConfigSlide = z.discriminatedUnion(
  "type",
  [
    z.object({
      type: z.literal("pack"),
      ...everySlide,
      pinnedImageUrl: WebUrl.nullable()
        .default(null)
        .describe("Always this picture; null takes one of the slide's pack."),
    }),
    z.object({
      type: z.literal("custom"),
      ...everySlide,
      image: z.object({ id: z.string().min(1).max(128), url: WebUrl, name: z.string().max(255) }),
    }),
  ],
  { error: "Must be pack or custom." },
);

/** Made twice, because a request may leave out what an answer always has. */
const configV1 = () =>
  z
    .object({
      version: z.literal(1, { error: "Must be 1." }),
      structure: z.object({
        slides: z.array(ConfigSlide).min(1, "Needs at least one slide.").max(SLIDES_AT_MOST),
        packAssignments: z
          .record(z.string(), OwnId)
          .optional()
          .describe("The pack that a slide's picture comes from, by the slide's index or id."),
      }),
      content: z.object({
        mode: z.enum(["ai", "manual"]),
        prompt: z.string().max(PROMPT_AT_MOST).optional(),
        productId: OwnId.nullable().default(null),
        language: z
          .string()
          .regex(/^[A-Za-z]+([-_][A-Za-z0-9]+)*$/, "Must be a language code such as en or pt-BR, or same_as_prompt.")
          .max(35)
          .default("same_as_prompt"),
        slideshowType: SlideshowType,
      }),
      visuals: z.object({
        packId: OwnId.nullable().default(null).describe("Where slides without an assignment take their picture from."),
        aspectRatio: AspectRatio,
        textSettings: z.object({
          fontSize: Look.describe("default, small, or a number of pixels."),
          preset: Look,
          width: Look,
        }),
      }),
    })
    .superRefine(({ structure: { slides, packAssignments } }, context) => {
      for (const slide of Object.keys(packAssignments ?? {})) {
        if (slides.some(({ id }, index) => slide === String(index) || slide === id)) continue;
        const message = "Names no slide: the key is the index of a slide, counted from 0, or its id.";
        context.addIssue({ code: "custom", path: ["structure", "packAssignments", slide], message });
      }
    });

export const TemplateConfig = configV1().meta({
  id: "TemplateConfig",
  description: "Config v1. Unknown keys are dropped.",
});
export type TemplateConfig = z.output<typeof TemplateConfig>;
export type ConfigSlide = z.output<typeof ConfigSlide>;

/** One spelling per name; an emoji counts as one character, as everywhere in JSON Schema. */
const Name = z
  .string()
  .trim()
  .normalize("NFC")
  .min(1, "Must not be blank.")
  .refine((name) => [...name].length <= TEMPLATE_NAME_AT_MOST, `At most ${TEMPLATE_NAME_AT_MOST} characters.`)
  .meta({ maxLength: TEMPLATE_NAME_AT_MOST, description: "Trimmed. Unique among the templates of the key's scope." });

const Description = z.string().max(500);

const Visibility = z
  .enum(["private", "workspace"], {
    error: "Must be private or workspace; public templates are not made through the API.",
  })
  .describe("`workspace` needs the key of a workspace.");

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
    description: Description.nullish().describe("Null clears it."),
    visibility: Visibility.optional(),
    config: TemplateConfig.optional().describe("Replaces the whole config."),
  })
  .refine((patch) => Object.keys(patch).length > 0, "Name at least one field to change.")
  .meta({ id: "TemplatePatch" });
export type TemplatePatch = z.output<typeof TemplatePatch>;

export const TemplateFromSlideshow = z
  .strictObject({
    name: Name.optional().describe("The slideshow's title unless given, with a number where that is taken."),
    description: Description.nullish(),
    visibility: Visibility.default("private"),
    preserve_text: z
      .boolean()
      .default(true)
      .describe("False keeps where texts stand and how large they are, not their words."),
  })
  .meta({ id: "TemplateFromSlideshow" });
export type TemplateFromSlideshow = z.output<typeof TemplateFromSlideshow>;

export const TemplateQuery = z.strictObject({
  search: SearchText.optional().describe("Part of the name, whatever the case."),
  created_since: BoundIn.optional().describe("Created at this instant or later."),
  created_until: BoundIn.optional().describe("Created at this instant or before."),
  ...paging({ most: 100, usual: 20 }),
});
export type TemplateQuery = z.output<typeof TemplateQuery>;

export const Template = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    visibility: z.enum(["private", "workspace", "public"]),
    preview_url: z.string().nullable(),
    use_count: z.int().describe("How many slideshows were made from it."),
    last_used_at: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant,
    is_owner: z
      .boolean()
      .describe("Whether it belongs to the key's workspace or, of a personal key, to its owner: who may change it."),
    config: configV1().meta({ id: "TemplateConfigShown", description: "Config v1." }),
  })
  .meta({ id: "Template" });
export type Template = z.input<typeof Template>;

export const TemplateList = z.object({
  templates: z.array(Template).describe("Newest created first."),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const TemplateDeleted = z.object({ id: Id, deleted: z.literal(true) });
