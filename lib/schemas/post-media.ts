// The media of a post in a request.
import * as z from "zod";
import type { PostMedia as StoredMedia } from "../shared/post-media.ts";
import { cleanText } from "../shared/post-text.ts";
import { WebUrl } from "./common.ts";
import { MediaHints, mediaHints, sizeHints } from "./media-hints.ts";

/** The most that any network accepts; each account has its own limit. */
const MAX_ALT_TEXT = 5_000;
const AltText = z.string().overwrite(cleanText).min(1, "Must not be empty; null is none.").max(MAX_ALT_TEXT);

const SentMedia = z.discriminatedUnion(
  "type",
  [
    z.strictObject({
      type: z.literal("video"),
      url: WebUrl,
      alt_text: AltText.nullish(),
      cover_url: WebUrl.nullish(),
      cover_timestamp_ms: z.int().min(0).nullish(),
      ...mediaHints,
      ...sizeHints,
      metadata: MediaHints,
    }),
    z.strictObject({
      type: z.literal("slideshow"),
      urls: z.array(WebUrl).min(1).max(35),
      alt_texts: z.array(AltText.nullable()).max(35).nullish(),
      cover_index: z.int().min(0).nullish(),
      ...mediaHints,
      metadata: MediaHints,
    }),
    z.strictObject({
      type: z.literal("carousel"),
      items: z
        .array(z.strictObject({ type: z.enum(["image", "video"]), url: WebUrl, alt_text: AltText.nullish() }))
        .min(2, "Must have at least 2 items.")
        .max(20, "Must have at most 20 items."),
    }),
  ],
  { error: "Must be video, slideshow or carousel; a single image is a slideshow with one URL." },
);

export const PostMedia = SentMedia.superRefine(rejectContradictions).transform(normalizeMedia).meta({
  id: "PostMedia",
  description:
    "A video, a slideshow of 1 to 35 image URLs (a single image is a slideshow of one), or a carousel of 2 to 20 images and videos. The hints are optional, for URLs that are not verified files; `duration`, `duration_sec`, `size` and `mime` are aliases.",
});

function rejectContradictions(media: z.output<typeof SentMedia>, context: z.RefinementCtx): void {
  const reject = (field: string, message: string, code: string) =>
    context.addIssue({ code: "custom", path: [field], message, params: { code } });
  if (media.type === "video" && media.cover_url != null && media.cover_timestamp_ms != null) {
    reject("cover_timestamp_ms", "A video has one cover. Send cover_url or cover_timestamp_ms.", "contradiction");
  }
  if (media.type !== "slideshow") return;
  const { urls, alt_texts: texts, cover_index: cover } = media;
  if (texts && texts.length !== urls.length) {
    const message = `Has ${texts.length} entries, but urls has ${urls.length}. Send one for each image, null for none.`;
    reject("alt_texts", message, "contradiction");
  }
  if (cover != null && cover >= urls.length) {
    reject("cover_index", `There is no image ${cover}: the last one is ${urls.length - 1}.`, "too_big");
  }
}

/** Moves hints out of `metadata` and gives each its canonical name, so that equal media are stored as equal objects. */
function normalizeMedia(media: z.output<typeof SentMedia>): StoredMedia {
  if (media.type === "carousel") {
    return { type: media.type, items: media.items.map((item) => omitEmpty(item)) };
  }
  const sent = { ...media.metadata, ...media };
  return {
    ...(media.type === "video"
      ? {
          ...{ type: media.type, url: media.url },
          ...omitEmpty({
            ...{ alt_text: media.alt_text, cover_url: media.cover_url ?? undefined },
            cover_timestamp_ms: media.cover_timestamp_ms ?? undefined,
          }),
        }
      : {
          ...{ type: media.type, urls: media.urls },
          ...omitEmpty({ alt_texts: media.alt_texts, cover_index: media.cover_index ?? undefined }),
        }),
    ...omitEmpty({
      duration_seconds: sent.duration_seconds ?? sent.duration_sec ?? sent.duration,
      bytes: sent.bytes ?? sent.size,
      width: sent.width,
      height: sent.height,
      mime_type: sent.mime_type ?? sent.mime,
    }),
  };
}

/** Without fields that are undefined or null, which say the same as absent ones. */
function omitEmpty<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Fields;
}
