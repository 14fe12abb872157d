// Folders and their items.
import * as z from "zod";
import { Id, Instant } from "./common.ts";
import { File } from "./file.ts";
import { cursorField, offsetFields, pageFields, paginationFields } from "./pagination.ts";
import { SlideshowListed } from "./slideshow.ts";

const PAGE_SIZE = { max: 100, defaultLimit: 50 };

const MediaType = z.enum(["upload", "slideshow", "ai_image", "ai_video"]);
export type MediaType = z.output<typeof MediaType>;

const ItemType = z.enum(["file", "slideshow"]);

/** Normalized, so that names that look the same are equal. */
const Name = z.string().trim().normalize("NFC").min(1, "Must not be blank.").max(255);

export const FolderCreate = z
  .strictObject({
    name: Name,
    media_type: MediaType,
    parent_folder_id: Id.nullish(),
  })
  .meta({ id: "FolderCreate" });

export const FolderMove = z
  .strictObject({
    parent_folder_id: z.guid("Must be the UUID of a folder, or null for the root.").toLowerCase().nullable(),
  })
  .meta({ id: "FolderMove" });

export const FolderQuery = z.strictObject({
  media_type: MediaType.optional(),
  parent_folder_id: z
    .union([z.guid("Must be the UUID of a folder, or root.").toLowerCase(), z.literal("root")])
    .optional(),
  ...paginationFields(PAGE_SIZE),
});
export type FolderQuery = z.output<typeof FolderQuery>;

/** Items are sorted by id alone. */
export const FolderItemsQuery = z.strictObject({
  ...offsetFields(PAGE_SIZE),
  cursor: cursorField(z.tuple([z.guid()]).transform(([id]) => id)).optional(),
});

export const FolderItemIds = z
  .strictObject({
    item_ids: z.array(Id).min(1, "Send at least one item.").max(200, "Must have at most 200 items."),
  })
  .meta({ id: "FolderItemIds" });

const Preview = z.object({
  id: Id,
  url: z.string(),
  content_type: z.string().nullable(),
});

export const Folder = z
  .object({
    id: Id,
    name: z.string(),
    media_type: MediaType,
    parent_folder_id: Id.nullable(),
    path: z.string(),
    file_count: z.int(),
    subfolder_count: z.int(),
    preview_files: z.array(Preview),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Folder" });
export type Folder = z.input<typeof Folder>;

export const FolderList = z.object({
  folders: z.array(Folder),
  ...pageFields,
});

export const FolderAncestors = z.object({
  ancestors: z.array(
    z.object({
      id: Id,
      name: z.string(),
      parent_folder_id: Id.nullable(),
      depth: z.int(),
    }),
  ),
});

const addedAtField = { added_at: Instant };

const FolderFile = File.extend({ content_type: z.string(), created_at: Instant, ...addedAtField }).meta({
  id: "FolderFile",
});

const FolderSlideshow = SlideshowListed.extend(addedAtField).meta({ id: "FolderSlideshow" });

export const FolderItems = z.object({
  media_type: MediaType,
  item_type: ItemType,
  items: z.array(z.union([FolderFile, FolderSlideshow])),
  ...pageFields,
});
export type FolderFile = z.input<typeof FolderFile>;
export type FolderSlideshow = z.input<typeof FolderSlideshow>;

export const FolderItemsAdded = z.object({
  folder_id: Id,
  item_type: ItemType,
  added_count: z.int(),
});

export const FolderItemsRemoved = z.object({
  folder_id: Id,
  item_type: ItemType,
  removed_count: z.int(),
});

export const FolderDeleted = z.object({ id: Id, deleted: z.literal(true) });
