// What a published video lacks of what was asked for: its visibility or its thumbnail.
import { pickString } from "../http.ts";
import type { Content, PublishWarning } from "../platform.ts";
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
 * Settings of the channel can make uploads private. Until 2026-11-02 all videos of a project without an audit were:
 * https://developers.google.com/youtube/v3/revision_history, read 2026-11-28.
 */
function findHiddenVideo(content: Content, video: unknown): PublishWarning[] {
  const [asked, got] = [getPrivacy(content), pickString(video, "status", "privacyStatus") ?? ""];
  if (!VISIBILITIES.includes(got) || VISIBILITIES.indexOf(got) >= VISIBILITIES.indexOf(asked)) return [];
  const message = `The video was to be ${asked}, but YouTube has made it ${got}. Check its visibility and the settings of the channel in YouTube Studio.`;
  return [{ code: "visibility_reduced", message }];
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
