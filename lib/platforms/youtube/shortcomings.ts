// What a published video lacks of what was asked for: its visibility or its thumbnail.
import { pickString } from "../http.ts";
import { type Content, OPERATOR_ACTS, type PublishWarning } from "../platform.ts";
import { getPrivacy, getThumbnailUrl } from "./content.ts";

/** From hidden to shown. */
const VISIBILITIES = ["private", "unlisted", "public"];

/** `video` is the resource that YouTube returned. */
export function findShortcomings(
  content: Content,
  handle: { thumbnail?: string; thumbnailError?: string },
  video: unknown,
): PublishWarning[] {
  return [...findHiddenVideo(content, video), ...findMissingThumbnail(content, handle)];
}

/**
 * Videos of a project that Google has not audited are locked as private:
 * https://developers.google.com/youtube/v3/docs/videos/insert, read 2026-11-28.
 */
function findHiddenVideo(content: Content, video: unknown): PublishWarning[] {
  const [asked, got] = [getPrivacy(content), pickString(video, "status", "privacyStatus") ?? ""];
  if (!VISIBILITIES.includes(got) || VISIBILITIES.indexOf(got) >= VISIBILITIES.indexOf(asked)) return [];
  const code = "visibility_reduced";
  const what = `The video was to be ${asked}, but YouTube has made it ${got}.`;
  if (got !== "private") return [{ code, message: `${what} Check its visibility in YouTube Studio.` }];
  const message = `${what} It does so with all videos of a service whose project Google has not audited. ${OPERATOR_ACTS} Until then upload the video in YouTube Studio to show it to others.`;
  return [{ code, message, operator: true }];
}

function findMissingThumbnail(
  content: Content,
  { thumbnail, thumbnailError }: { thumbnail?: string; thumbnailError?: string },
): PublishWarning[] {
  if (getThumbnailUrl(content) === null || thumbnail === "set") return [];
  const why = thumbnailError ? `: ${thumbnailError}` : ".";
  const message = `The video is published without your thumbnail (settings.youtube.thumbnail)${why} Set it in YouTube Studio: a JPEG or PNG of at most 50 MB; own thumbnails need a channel with a verified phone number.`;
  return [{ code: "thumbnail_not_set", message }];
}
