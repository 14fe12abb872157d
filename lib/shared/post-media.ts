// The media of a post, as a request is parsed and as its row stores it.

/** Facts that the caller states about a URL; the facts of a verified file are used instead of them. */
export type MediaHints = {
  duration_seconds?: number | undefined;
  bytes?: number | undefined;
  width?: number | undefined;
  height?: number | undefined;
  mime_type?: string | undefined;
};

/** Of a video one of the two, of a slideshow the index of an image. */
export type MediaCover = {
  cover_url?: string | undefined;
  cover_timestamp_ms?: number | undefined;
  cover_index?: number | undefined;
};

export type CarouselItem = { type: "image" | "video"; url: string; alt_text?: string | null | undefined };

export type PostMedia = MediaHints &
  MediaCover &
  (
    | { type: "video"; url: string; alt_text?: string | null | undefined }
    | { type: "slideshow"; urls: string[]; alt_texts?: (string | null)[] | null | undefined }
    | { type: "carousel"; items: CarouselItem[] }
  );

/** The videos and images that readers see, in their order, without a cover. */
export function listShownFiles(media: PostMedia): { url: string; kind: "image" | "video" }[] {
  if (media.type === "video") return [{ url: media.url, kind: "video" }];
  if (media.type === "slideshow") return media.urls.map((url) => ({ url, kind: "image" }));
  return media.items.map(({ url, type }) => ({ url, kind: type }));
}

/** Media as a request has them; hints that only some kinds have fields for are in `metadata`. */
export function toRequestMedia(media: PostMedia) {
  const { duration_seconds, bytes, width, height, mime_type, ...own } = media;
  const metadata = { duration_seconds, bytes, width, height, mime_type };
  return Object.values(metadata).some((hint) => hint !== undefined) ? { ...own, metadata } : own;
}

/** The alternative text of each shown file, in their order. */
export function listAltTexts(media: PostMedia): (string | null)[] {
  if (media.type === "video") return [media.alt_text ?? null];
  if (media.type === "slideshow") return media.urls.map((_, at) => media.alt_texts?.[at] ?? null);
  return media.items.map((item) => item.alt_text ?? null);
}

/** A file among the media of a post. */
export interface PlacedFile {
  url: string;
  kind: "image" | "video";
  /** The request names the file here: `media.urls.2`, `accounts.1.media.url`. */
  path: string;
  /** What the caller stated about it. */
  hints: MediaHints | null;
}

/** The files of media that a request has at `path`, each as often as it is named. */
export function listMediaFiles(media: PostMedia | null | undefined, path = "media"): PlacedFile[] {
  if (!media) return [];
  const place = (kind: PlacedFile["kind"], url: string, field: string, hints: MediaHints | null): PlacedFile => ({
    ...{ url, kind, hints },
    path: `${path}.${field}`,
  });
  const cover = media.cover_url === undefined ? [] : [place("image", media.cover_url, "cover_url", null)];
  if (media.type === "video") return [place("video", media.url, "url", media), ...cover];
  if (media.type === "slideshow") return media.urls.map((url, at) => place("image", url, `urls.${at}`, media));
  return media.items.map(({ type, url }, at) => place(type, url, `items.${at}.url`, null));
}
