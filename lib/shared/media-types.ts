// The MIME types that can be uploaded.
export const MEDIA_TYPES = [
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "video/mp4",
  "video/quicktime",
  "video/webm",
] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];
