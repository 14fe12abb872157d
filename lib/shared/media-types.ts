// The MIME types that can be uploaded, the other names under which browsers and servers send them, and file endings.
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

/** The type of an upload whose bytes decide what it is. */
export const UNKNOWN_TYPE = "application/octet-stream";
export type DeclaredType = MediaType | typeof UNKNOWN_TYPE;

/** Other names, most of them not registered, as browsers, phones and servers send them. */
const ALIASES: Record<string, MediaType> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/jfif": "image/jpeg",
  "image/x-png": "image/png",
  "image/apng": "image/png",
  "image/vnd.mozilla.apng": "image/png",
  "image/x-webp": "image/webp",
  "video/3gpp": "video/mp4",
  "video/3gp": "video/mp4",
  "video/3gpp2": "video/mp4",
  "video/mov": "video/quicktime",
  "video/x-quicktime": "video/quicktime",
  "video/x-m4v": "video/mp4",
  "video/m4v": "video/mp4",
  "video/x-mp4": "video/mp4",
  "application/mp4": "video/mp4",
};
/** Names that say nothing. */
const UNKNOWN_NAMES = ["", UNKNOWN_TYPE, "binary/octet-stream", "application/x-binary", "application/unknown"];

/** The first ending is the usual one. */
const ENDINGS: Record<MediaType, readonly string[]> = {
  "image/jpeg": ["jpg", "jpeg", "jpe", "jfif", "pjpeg"],
  "image/png": ["png"],
  "image/webp": ["webp"],
  "image/gif": ["gif"],
  "video/mp4": ["mp4", "m4v"],
  "video/quicktime": ["mov", "qt"],
  "video/webm": ["webm"],
};
const UNSUPPORTED_PICTURES = ["heic", "heif", "avif", "tiff", "tif", "bmp", "svg", "jxl", "psd", "dng", "raw"];

/** The registered name of a type, whatever its case and parameters; null for a type that cannot be uploaded. */
export function findMediaType(name: string): MediaType | null {
  const bare = toBareType(name);
  return MEDIA_TYPES.find((type) => type === bare) ?? ALIASES[bare] ?? null;
}

/** The type that a name declares, or that nothing is declared. Null for a type that cannot be uploaded. */
export function findDeclaredType(name: string): DeclaredType | null {
  return UNKNOWN_NAMES.includes(toBareType(name)) ? UNKNOWN_TYPE : findMediaType(name);
}

/**
 * The type that a name declares, or that the ending of the file suggests where nothing is declared: the bytes may be
 * something else then. Null for a type that cannot be uploaded.
 */
export function findLikelyType(name: string, filename: string): DeclaredType | null {
  const declared = findDeclaredType(name);
  if (declared !== UNKNOWN_TYPE) return declared;
  const ending = getEnding(filename);
  if (UNSUPPORTED_PICTURES.includes(ending)) return null;
  return MEDIA_TYPES.find((type) => ENDINGS[type].includes(ending)) ?? UNKNOWN_TYPE;
}

/** The name with the usual ending of its type, unless it has an ending of that type. */
export function withEndingOf(filename: string, type: MediaType): string {
  const ending = getEnding(filename);
  if (ENDINGS[type].includes(ending)) return filename;
  const isMedia = Object.values(ENDINGS).some((endings) => endings.includes(ending));
  return `${isMedia ? filename.slice(0, -ending.length - 1) : filename}.${ENDINGS[type][0]}`;
}

/** What to do about a file of a kind, such as `image/heic`, `an AVI video` or an ending. */
export function describeCure(kind: string): string {
  const isPicture = kind.includes("image") || kind.split(" ").some((part) => UNSUPPORTED_PICTURES.includes(part));
  if (isPicture) return "Export the picture as JPEG or PNG.";
  return /video|stream/i.test(kind) ? "Export the video as MP4." : "Use JPEG, PNG, WebP, GIF, MP4, MOV or WebM.";
}

const toBareType = (name: string) => (name.split(";")[0] ?? "").trim().toLowerCase();

export const getEnding = (filename: string) => /\.([^.]+)$/.exec(filename.trim())?.[1]?.toLowerCase() ?? "";
