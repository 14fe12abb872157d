// Which networks a file may go to as it is: the report beside every file, by the same rules that posts are checked with.
import { capabilitiesOf } from "../platforms/capabilities.ts";
import { drivers } from "../platforms/index.ts";
import { type Content, type MediaFile, PLATFORMS, type Platform } from "../platforms/platform.ts";
import { limitViolations } from "../platforms/violations.ts";
import type { FileRow } from "../queries/files.ts";
import type { Fit } from "../schemas/file.ts";
import { pictureIn } from "./resolve.ts";

const NAMES: Record<Platform, string> = {
  tiktok: "TikTok",
  instagram: "Instagram",
  youtube: "YouTube",
  twitter: "X",
  pinterest: "Pinterest",
  threads: "Threads",
  linkedin: "LinkedIn",
  facebook: "Facebook",
  bluesky: "Bluesky",
};

export function fitOf(file: FileRow): Fit {
  const alone: Content = { caption: "", media: mediaOf(file), musicUrl: null, settings: {} };
  const reports = PLATFORMS.map((platform) => [platform, reportOn(platform, alone)] as const);
  return Object.fromEntries(reports) as Fit;
}

function mediaOf({ kind, url, contentType, size, durationMs, width, height, details }: FileRow): Content["media"] {
  const facts = { url, mimeType: contentType, bytes: size, durationMs, width, height };
  const file: MediaFile = { ...facts, ...pictureIn(details) };
  return kind === "video" ? { type: "video", video: file } : { type: "slideshow", images: [file] };
}

/** What customers connect themselves; the tighter limits of hosted accounts are this service's own. */
function reportOn(platform: Platform, alone: Content): Fit[Platform] {
  const able = capabilitiesOf(platform, "byo");
  if (!able) {
    const message = `Publishing to ${NAMES[platform]} is not available yet.`;
    return { ok: false, problems: [{ code: "platform_unavailable", message }] };
  }
  const limits = drivers[platform]?.limits?.(alone, able) ?? able;
  const problems = limitViolations(alone, limits, NAMES[platform]);
  return {
    ok: problems.length === 0,
    problems: problems.map(({ code, message, limit, actual }) => ({ code, message, limit, actual })),
  };
}
