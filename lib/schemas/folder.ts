// Folders and their items.
import * as z from "zod";
import { Id, Instant, paginationFields } from "./common.ts";
import { File } from "./file.ts";
import { SlideshowListed } from "./slideshow.ts";

const pageFields = paginationFields({ max: 100, defaultLimit: 50 });

const MediaType = z.enum(["upload", "slideshow", "ai_image", "ai_video"]);
export type MediaType = z.output<typeof MediaType>;

const ItemType = z
  .enum(["file", "slideshow"])
  .describe(
    "`slideshow` in folders of media_type slideshow, otherwise `file`: uploads, or generated files of that type.",
  );

/** Normalized, so that names that look the same are equal. */
const Name = z.string().trim().normalize("NFC").min(1, "Must not be blank.").max(255);

export const FolderCreate = z
  .strictObject({
    name: Name.describe("Trimmed. Unique among siblings, case-insensitive."),
    media_type: MediaType,
    parent_folder_id: Id.nullish().describe("A folder of the same media_type; null or absent is the root."),
  })
  .meta({ id: "FolderCreate" });

export const FolderMove = z
  .strictObject({
    parent_folder_id: z
      .uuid("Must be the UUID of a folder, or null for the root.")
      .toLowerCase()
      .nullable()
      .describe("The folder to move under; null is the root."),
  })
  .meta({ id: "FolderMove" });

export const FolderQuery = z.strictObject({
  media_type: MediaType.optional(),
  parent_folder_id: z
    .union([z.uuid("Must be the UUID of a folder, or root.").toLowerCase(), z.literal("root")])
    .optional()
    .describe(
      "Only direct subfolders of this folder; `root` for folders without a parent. Default: folders of every level.",
    ),
  ...pageFields,
});
export type FolderQuery = z.output<typeof FolderQuery>;

export const FolderItemsQuery = z.strictObject(pageFields);

export const FolderItemIds = z
  .strictObject({
    item_ids: z.array(Id).min(1, "Send at least one item.").max(200, "Must have at most 200 items."),
  })
  .meta({ id: "FolderItemIds" });

const Preview = z.object({
  id: Id,
  url: z.string(),
  content_type: z.string().nullable().describe("Null if the preview of a slideshow is not a file of this service."),
});

export const Folder = z
  .object({
    id: Id,
    name: z.string(),
    media_type: MediaType,
    parent_folder_id: Id.nullable(),
    path: z.string().describe("The names from the root down to this folder, such as /Campaigns/May."),
    file_count: z.int().describe("Items directly in this folder, including slideshows."),
    subfolder_count: z.int().describe("Folders directly under this one."),
    preview_files: z
      .array(Preview)
      .describe("Previews of the newest items, at most 4; for a slideshow its preview image."),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Folder" });
export type Folder = z.input<typeof Folder>;

export const FolderList = z.object({
  folders: z.array(Folder).describe("Newest first."),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const FolderAncestors = z.object({
  ancestors: z
    .array(
      z.object({
        id: Id,
        name: z.string(),
        parent_folder_id: Id.nullable(),
        depth: z.int().describe("1 at the root."),
      }),
    )
    .describe("From the root to the parent, without the folder itself."),
});

const addedAtField = { added_at: Instant.describe("When it was added to the folder.") };

const FolderFile = File.extend(addedAtField).meta({ id: "FolderFile" });

const FolderSlideshow = SlideshowListed.extend(addedAtField).meta({ id: "FolderSlideshow" });

export const FolderItems = z.object({
  media_type: MediaType,
  item_type: ItemType,
  items: z
    .array(z.union([FolderFile, FolderSlideshow]))
    .describe("Files or slideshows, as in their own lists; newest id first."),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type FolderFile = z.input<typeof FolderFile>;
export type FolderSlideshow = z.input<typeof FolderSlideshow>;

export const FolderItemsAdded = z.object({
  folder_id: Id,
  item_type: ItemType,
  added_count: z.int().describe("Excludes items that were already in the folder."),
});

export const FolderItemsRemoved = z.object({
  folder_id: Id,
  item_type: ItemType,
  removed_count: z.int().describe("Excludes items that were not in the folder."),
});

export const FolderDeleted = z.object({ id: Id, deleted: z.literal(true) });
