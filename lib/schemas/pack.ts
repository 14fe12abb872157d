// Image packs: named sets of pictures for the backgrounds of slides.
import * as z from "zod";
import { Id, Instant, paging, SearchText, WebUrl } from "./common.ts";

const NAME_AT_MOST = 120;

const Name = z
  .string()
  .trim()
  .normalize("NFC")
  .min(1, "Must not be blank.")
  .refine((name) => [...name].length <= NAME_AT_MOST, `At most ${NAME_AT_MOST} characters.`)
  .meta({ maxLength: NAME_AT_MOST, description: "Trimmed." });

const isPublic = z.boolean().describe("Every key may read a public pack; only its own scope may change it.");

export const PackCreate = z.strictObject({ name: Name, is_public: isPublic.default(false) }).meta({ id: "PackCreate" });

export const PackPatch = z
  .strictObject({ name: Name.optional(), is_public: isPublic.optional() })
  .refine((patch) => Object.keys(patch).length > 0, "Name at least one field to change.")
  .meta({ id: "PackPatch" });
export type PackPatch = z.output<typeof PackPatch>;

export const PackQuery = z.strictObject({
  search: SearchText.optional().describe("Part of the name, whatever the case."),
  include_public: z
    .enum(["true", "false"])
    .default("true")
    .transform((text) => text === "true")
    .describe("Whether public packs of others are listed too."),
  ...paging({ most: 100, usual: 20 }),
});
export type PackQuery = z.output<typeof PackQuery>;

export const PackImageCreate = z
  .strictObject({
    image_url: WebUrl.describe("A JPEG, PNG, WebP or GIF of at most 20 MiB. The pack keeps this URL, not a copy."),
    file_name: z
      .string()
      .trim()
      .min(1, "Must not be blank.")
      .max(255)
      .optional()
      .describe("The last part of the URL unless given."),
  })
  .meta({ id: "PackImageCreate" });
export type PackImageCreate = z.output<typeof PackImageCreate>;

export const PackImage = z
  .object({
    id: Id,
    url: z.string().describe("As it was given: the picture has to stay reachable there."),
    file_name: z.string(),
    content_type: z.string(),
    width: z.int().describe("Pixels, as shown."),
    height: z.int(),
    created_at: Instant,
  })
  .meta({ id: "PackImage" });
export type PackImage = z.input<typeof PackImage>;

export const Pack = z
  .object({
    id: Id,
    name: z.string(),
    image_count: z.int(),
    is_public: z.boolean(),
    created_at: Instant,
    images: z.array(PackImage).describe("In the order of adding. All of them; in a list the first 10."),
  })
  .meta({ id: "Pack" });
export type Pack = z.input<typeof Pack>;

export const PackList = z.object({
  packs: z.array(Pack).describe("Newest created first."),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const PackDeleted = z.object({ id: Id, deleted: z.literal(true) });
