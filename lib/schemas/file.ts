// Uploads and the files they become.
import * as z from "zod";
import { describeCure, findDeclaredType, findLikelyType, getEnding, MEDIA_TYPES } from "../shared/media-types.ts";
import { PLATFORMS } from "../shared/platforms.ts";
import { toSingleLine } from "../shared/single-line.ts";
import { Id, Instant, rejectContradiction } from "./common.ts";
import { MediaHints, mediaHints } from "./media-hints.ts";
import { pageFields, paginationFields } from "./pagination.ts";

const MAX_IMAGE_BYTES = 20 * 1024 ** 2;
const MAX_VIDEO_BYTES = 5 * 1024 ** 3;

/** Of an upload that declares no size, whose URL cannot enforce one; larger files are better sent in parts anyway. */
export const MAX_UNSIZED_BYTES = 100 * 1024 ** 2;

export function getMaxBytes(contentType: string): number {
  return contentType.startsWith("image/") ? MAX_IMAGE_BYTES : MAX_VIDEO_BYTES;
}

const uploadFields = {
  contentType: z.string().max(255),
  filename: z
    .string()
    .min(1)
    .max(255)
    .regex(/^(?!\.+$)[^/\\]+$/, "Must be a file name without a path.")
    .transform((name) => toSingleLine(name) || undefined)
    .optional(),
  ...mediaHints,
  metadata: MediaHints,
};
const Bytes = z.int().positive();

export const UploadStart = z
  .strictObject({
    ...uploadFields,
    size: Bytes.optional(),
    bytes: Bytes.optional(),
  })
  .transform(resolveType)
  .superRefine(({ contentType, size, bytes }, context) => {
    validateSize(context, contentType, size === undefined ? "bytes" : "size", size ?? bytes);
  })
  .superRefine(rejectContradiction("size", "bytes"))
  .meta({ id: "UploadStart" });

export const MultipartStart = z
  .strictObject({
    ...uploadFields,
    size: Bytes,
  })
  .transform(resolveType)
  .superRefine(({ contentType, size }, context) => validateSize(context, contentType, "size", size))
  .meta({ id: "MultipartStart" });

/**
 * Browsers know many files by other names, or not at all. The ending of the file name suggests a type then, which the
 * limits and the URL of the upload need; its bytes decide.
 */
function resolveType<Upload extends { contentType: string; filename?: string | undefined }>(
  upload: Upload,
  context: z.RefinementCtx,
) {
  const declaredType = findDeclaredType(upload.contentType);
  const contentType = findLikelyType(upload.contentType, upload.filename ?? "");
  if (declaredType && contentType) return { ...upload, contentType, declaredType };
  const cure = describeCure(`${upload.contentType} ${getEnding(upload.filename ?? "")}`);
  const message = `Must be one of ${MEDIA_TYPES.join(", ")}. ${cure}`;
  context.addIssue({ code: "custom", path: ["contentType"], message });
  return z.NEVER;
}

function validateSize(context: z.RefinementCtx, contentType: string, field: string, size: number | undefined): void {
  const max = getMaxBytes(contentType);
  if (size === undefined || size <= max) return;
  const message = `Must be at most ${max} bytes for ${contentType}, but is ${size}.`;
  context.addIssue({ code: "custom", path: [field], message, params: { code: "too_large" } });
}

export const UploadStarted = z.object({
  id: Id,
  uploadUrl: z.string(),
  method: z.literal("PUT"),
  headers: z.record(z.string(), z.string()),
  contentType: z.string(),
  filename: z.string(),
  expiresIn: z.int(),
});

const PartUrl = z
  .object({
    partNumber: z.int(),
    url: z.string(),
    size: z.int(),
  })
  .meta({ id: "PartUrl" });

export const PartUrls = z.object({ parts: z.array(PartUrl) });

export const MultipartStarted = PartUrls.extend({
  id: Id,
  partSize: z.int(),
  partCount: z.int(),
  parts: z.array(PartUrl),
  expiresAt: Instant,
});

export const MAX_PARTS_PER_RESPONSE = 100;

export const PartNumbers = z
  .strictObject({ partNumbers: z.array(z.int().min(1)).min(1).max(MAX_PARTS_PER_RESPONSE) })
  .meta({ id: "PartNumbers" });

const ETag = z
  .string()
  .max(1_024)
  .regex(/^(?:W\/)?(?:"[^"\s]+"|[^"\s]+)$/, 'Must be the ETag header of the part\'s PUT, such as "9b2cf5" or 9b2cf5.')
  .transform((etag) => etag.replace(/^W\/(?=")/, "").replaceAll('"', ""))
  .meta({ type: "string" });

export const MultipartComplete = z
  .strictObject({
    parts: z
      .array(z.strictObject({ partNumber: z.int().min(1), etag: ETag }))
      .min(1, "Send every part of the upload.")
      .max(10_000),
  })
  .meta({ id: "MultipartComplete" });
export type CompletedPart = z.output<typeof MultipartComplete>["parts"][number];

export const MultipartAborted = z.object({ id: Id, aborted: z.literal(true) });

export const File = z
  .object({
    id: Id,
    url: z.string(),
    contentType: z.string(),
    filename: z.string(),
    size: z.int(),
    context: z.enum(["ai-studio", "media-upload"]),
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
    mirrored: z.literal(true).optional(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Attestation" });

const PlatformFitProblem = z.object({
  code: z.string(),
  message: z.string(),
  limit: z.number().optional(),
  actual: z.union([z.number(), z.string()]).optional(),
});

export const PlatformFit = z
  .record(z.enum(PLATFORMS), z.object({ ok: z.boolean(), problems: z.array(PlatformFitProblem) }))
  .meta({ id: "Fit", description: "Per network: whether a post can use this file as it is, and the problems if not." });
export type PlatformFit = z.output<typeof PlatformFit>;

export const Finalized = z.object({
  file: File,
  attestation: Attestation.optional(),
  fit: PlatformFit,
});

/** The fields of a file, and everything that finalizing it returned. */
export const FileDetails = File.extend(Finalized.shape);

const FILE_CONTEXTS = ["ai-studio", "media-upload", "all"] as const;
export type FileContext = (typeof FILE_CONTEXTS)[number];

/** A comma-separated list of contexts, as other APIs of this kind take it. */
const FileContexts = z
  .string()
  .max(100)
  .transform((text) => text.split(",").map((part) => part.trim()))
  .pipe(z.array(z.enum(FILE_CONTEXTS, { error: `Must be ${FILE_CONTEXTS.join(", ")}, or a comma-separated list.` })))
  .meta({ type: "string" });

export const FileQuery = z.strictObject({
  ...paginationFields({ max: 100, defaultLimit: 50 }),
  context: FileContexts.optional(),
  type: z.enum(["image", "video"]).optional(),
  folder_id: Id.optional(),
});

export const FileList = z.object({
  files: z.array(File),
  ...pageFields,
});

export const FileDeleted = z.object({ id: Id, deleted: z.literal(true) });
