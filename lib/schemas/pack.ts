// Image packs: named sets of images for slide backgrounds.
import * as z from "zod";
import { toSingleLine } from "../shared/single-line.ts";
import { Id, Instant, nameSchema, SearchText, WebUrl } from "./common.ts";
import { pageFields, paginationFields } from "./pagination.ts";

const Name = nameSchema(120);

const isPublic = z.boolean();

export const PackCreate = z.strictObject({ name: Name, is_public: isPublic.default(false) }).meta({ id: "PackCreate" });

export const PackPatch = z
  .strictObject({ name: Name.optional(), is_public: isPublic.optional() })
  .refine((patch) => Object.keys(patch).length > 0, "Send at least one field to change.")
  .meta({ id: "PackPatch" });
export type PackPatch = z.output<typeof PackPatch>;

export const PackQuery = z.strictObject({
  search: SearchText.optional(),
  include_public: z
    .enum(["true", "false"])
    .default("true")
    .transform((text) => text === "true"),
  ...paginationFields({ max: 100, defaultLimit: 20 }),
});
export type PackQuery = z.output<typeof PackQuery>;

export const PackImageCreate = z
  .strictObject({
    image_url: WebUrl,
    file_name: z.string().overwrite(toSingleLine).min(1, "Must not be blank.").max(255).optional(),
  })
  .meta({ id: "PackImageCreate" });
export type PackImageCreate = z.output<typeof PackImageCreate>;

export const PackImage = z
  .object({
    id: Id,
    url: z.string(),
    file_name: z.string(),
    content_type: z.string(),
    width: z.int(),
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
    images: z.array(PackImage),
  })
  .meta({ id: "Pack" });
export type Pack = z.input<typeof Pack>;

const PackListed = Pack.extend({ preview_image_url: z.string().nullable() }).meta({ id: "PackListed" });

export const PackList = z.object({
  packs: z.array(PackListed),
  ...pageFields,
});

export const PackDeleted = z.object({ id: Id, deleted: z.literal(true) });
