// Uploads and the files they become.
import * as z from "zod";
import { MEDIA_TYPES } from "../media/verify.ts";
import { Id, Instant } from "./common.ts";

const MAX_IMAGE_BYTES = 20 * 1024 ** 2;
const MAX_VIDEO_BYTES = 5 * 1024 ** 3;

export function maxBytes(contentType: string): number {
  return contentType.startsWith("image/") ? MAX_IMAGE_BYTES : MAX_VIDEO_BYTES;
}

export const UploadStart = z
  .strictObject({
    contentType: z.enum(MEDIA_TYPES),
    filename: z
      .string()
      .min(1)
      .max(255)
      .regex(/^(?!\.+$)[^/\\]+$/, "Must be a name without a path.")
      .optional(),
    size: z.int().positive().optional().describe("Bytes. Checked against what arrives."),
    bytes: z.int().positive().optional().describe("Another name of size."),
  })
  .superRefine(({ contentType, size, bytes }, context) => {
    const most = maxBytes(contentType);
    const given = size ?? bytes;
    if (given === undefined || given <= most) return;
    const message = `A file of type ${contentType} may have at most ${most} bytes, this has ${given}.`;
    context.addIssue({
      code: "custom",
      path: [size === undefined ? "bytes" : "size"],
      message,
      params: { code: "too_large" },
    });
  })
  .meta({ id: "UploadStart" });

export const UploadStarted = z.object({
  id: Id,
  uploadUrl: z.string().describe("PUT the bytes here, with `headers`."),
  method: z.literal("PUT"),
  headers: z.record(z.string(), z.string()),
  contentType: z.string(),
  filename: z.string(),
  expiresIn: z.int().describe("Seconds."),
});

const File = z
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

export const Finalized = z.object({ file: File, attestation: Attestation.optional().describe("Videos only.") });
