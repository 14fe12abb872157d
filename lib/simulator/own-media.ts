// The media of a post as a simulated network reads it: our own files are read, everything else is taken as its URL says.
import type { FetchedMedia, MediaKind } from "./networks/context.ts";
import { fetchMedia } from "./networks/fetch-media.ts";

const TYPES: Readonly<Record<string, string>> = {
  ...{ jpg: "image/jpeg", jpeg: "image/jpeg", png: "image/png", webp: "image/webp", gif: "image/gif" },
  ...{ mp4: "video/mp4", m4v: "video/x-m4v", mov: "video/quicktime", webm: "video/webm" },
};
const USUAL: Readonly<Record<MediaKind, string>> = { image: "image/jpeg", video: "video/mp4" };

interface MediaSource {
  fetch: typeof fetch;
  mediaOrigins: readonly string[];
}

/** The simulator calls no host of others. The API has read such a file when it accepted the post. */
export async function fetchOwnMedia(source: MediaSource, url: string, kind: MediaKind): Promise<FetchedMedia> {
  if (!URL.canParse(url)) return { ok: false, type: "", bytes: 0 };
  const { origin, pathname } = new URL(url);
  if (source.mediaOrigins.includes(origin)) return fetchMedia(source.fetch, url);
  const extension = /\.(\w+)$/.exec(pathname)?.[1]?.toLowerCase() ?? "";
  return { ok: true, type: TYPES[extension] ?? USUAL[kind], bytes: 1 };
}
