// Uploads and the files they become.
import * as z from "zod";
import { MEDIA_TYPES } from "../media/types.ts";
import { PLATFORMS } from "../platforms/platform.ts";
import { Id, Instant, oneMeaning, paging } from "./common.ts";

const MAX_IMAGE_BYTES = 20 * 1024 ** 2;
const MAX_VIDEO_BYTES = 5 * 1024 ** 3;

export function maxBytes(contentType: string): number {
  return contentType.startsWith("image/") ? MAX_IMAGE_BYTES : MAX_VIDEO_BYTES;
}

const what = {
  contentType: z.enum(MEDIA_TYPES).describe("What the bytes are. They are held to it once they have arrived."),
  filename: z
    .string()
    .min(1)
    .max(255)
    .regex(/^(?!\.+$)[^/\\]+$/, "Must be a name without a path.")
    .optional()
    .describe("Ends the CDN URL; made from the id when left out."),
};
const Bytes = z.int().positive();

export const UploadStart = z
  .strictObject({
    ...what,
    size: Bytes.optional().describe("Bytes: images up to 20 MiB, videos up to 5 GiB. Checked against what arrives."),
    bytes: Bytes.optional().describe("Another name of size."),
  })
  .superRefine(({ contentType, size, bytes }, context) => {
    holdToLimit(context, contentType, size === undefined ? "bytes" : "size", size ?? bytes);
  })
  .superRefine(oneMeaning("size", "bytes"))
  .meta({ id: "UploadStart" });

export const MultipartStart = z
  .strictObject({ ...what, size: Bytes.describe("Bytes of the whole file: images up to 20 MiB, videos up to 5 GiB.") })
  .superRefine(({ contentType, size }, context) => holdToLimit(context, contentType, "size", size))
  .meta({ id: "MultipartStart" });

function holdToLimit(context: z.RefinementCtx, contentType: string, field: string, size: number | undefined): void {
  const most = maxBytes(contentType);
  if (size === undefined || size <= most) return;
  const message = `A file of type ${contentType} may have at most ${most} bytes, this has ${size}.`;
  context.addIssue({ code: "custom", path: [field], message, params: { code: "too_large" } });
}

export const UploadStarted = z.object({
  id: Id,
  uploadUrl: z.string().describe("PUT the bytes here, with `headers`."),
  method: z.literal("PUT"),
  headers: z.record(z.string(), z.string()),
  contentType: z.string(),
  filename: z.string(),
  expiresIn: z.int().describe("Seconds that uploadUrl is good for."),
});

const PartUrl = z
  .object({
    partNumber: z.int().describe("From 1, in the order of the file."),
    url: z.string().describe("PUT this part's bytes here, without an Authorization header; good until `expiresAt`."),
    size: z.int().describe("How many bytes the part has; its URL takes exactly so many."),
  })
  .meta({ id: "PartUrl" });

export const PartUrls = z.object({ parts: z.array(PartUrl) });

export const MultipartStarted = PartUrls.extend({
  id: Id.describe("Of the upload, and of the file that it becomes."),
  partSize: z.int().describe("Bytes of every part but the last."),
  partCount: z.int(),
  parts: z.array(PartUrl).describe("The first 100; ask for the others with POST /files/multipart/{uploadId}/parts."),
  expiresAt: Instant.describe("The upload has to be completed by then."),
});

export const PARTS_PER_ANSWER = 100;

export const PartNumbers = z
  .strictObject({ partNumbers: z.array(z.int().min(1)).min(1).max(PARTS_PER_ANSWER) })
  .meta({ id: "PartNumbers" });

const ETag = z
  .string()
  .max(1_024)
  .regex(/^(?:W\/)?(?:"[^"\s]+"|[^"\s]+)$/, 'Must be the ETag header of the part\'s PUT, such as "9b2cf5" or 9b2cf5.')
  .transform((etag) => etag.replace(/^W\/(?=")/, "").replaceAll('"', ""))
  .meta({ type: "string", description: "The ETag header that the part's PUT answered with, quoted or not." });

export const MultipartComplete = z
  .strictObject({
    parts: z
      .array(z.strictObject({ partNumber: z.int().min(1), etag: ETag }))
      .min(1, "List every part of the upload.")
      .max(10_000)
      .describe("Every part once, in any order."),
  })
  .meta({ id: "MultipartComplete" });
export type CompletedPart = z.output<typeof MultipartComplete>["parts"][number];

export const MultipartAborted = z.object({ id: Id, aborted: z.literal(true) });

export const File = z
  .object({
    id: Id,
    url: z.string().describe("CDN URL."),
    contentType: z.string(),
    filename: z.string(),
    size: z.int().describe("Bytes."),
    createdAt: Instant,
  })
  .meta({ id: "File" });

const Attestation = z
  .object({
    sha256: z.string(),
    sizeBytes: z.int(),
    durationMs: z.int(),
    width: z.int(),
    height: z.int(),
    hasVideoStream: z.boolean(),
    hasAudioStream: z.boolean(),
  })
  .meta({ id: "Attestation" });

const FitProblem = z.object({
  code: z.string(),
  message: z.string(),
  limit: z.number().optional().describe("What the network takes: bytes, seconds, or width by height."),
  actual: z.union([z.number(), z.string()]).optional().describe("What the file has."),
});

export const Fit = z
  .record(z.enum(PLATFORMS), z.object({ ok: z.boolean(), problems: z.array(FitProblem) }))
  .meta({ id: "Fit", description: "Per network: may a post have this file as it is, and what speaks against it." });
export type Fit = z.output<typeof Fit>;

export const Finalized = z.object({
  file: File,
  attestation: Attestation.optional().describe("Videos only."),
  fit: Fit,
});

/** A file by itself, and beside its fields all that its finalize answered. */
export const FileRead = File.extend(Finalized.shape);

export const FileQuery = z.strictObject({
  ...paging({ most: 100, usual: 50 }),
  type: z.enum(["image", "video"]).optional(),
  folder_id: Id.optional().describe("Only files in this folder."),
});

export const FileList = z.object({
  files: z.array(File),
  total: z.int().describe("Of all pages."),
  limit: z.int(),
  offset: z.int(),
});

export const FileDeleted = z.object({ id: Id, deleted: z.literal(true) });
