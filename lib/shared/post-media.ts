// The media of a post, as a request is parsed and as its row stores it.

/** Facts that the caller states about a URL; the facts of a verified file are used instead of them. */
export type MediaHints = {
  duration_seconds?: number | undefined;
  bytes?: number | undefined;
  width?: number | undefined;
  height?: number | undefined;
  mime_type?: string | undefined;
};

export type PostMedia = MediaHints & ({ type: "video"; url: string } | { type: "slideshow"; urls: string[] });

/** The different URLs of the media. */
export function listMediaUrls(media: PostMedia | null | undefined): string[] {
  if (!media) return [];
  return [...new Set(media.type === "video" ? [media.url] : media.urls)];
}
