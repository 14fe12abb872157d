// Reports which networks accept a file as it is, by the same rules that validate posts.
import { getCapabilities } from "../platforms/capabilities.ts";
import { drivers } from "../platforms/index.ts";
import type { Content } from "../platforms/platform.ts";
import { describeWrongDuration, findLimitViolations } from "../platforms/violations.ts";
import type { PlatformFit } from "../schemas/file.ts";
import { PLATFORM_DETAILS, PLATFORMS, type Platform } from "../shared/platforms.ts";
import { type KnownFile, toMediaFile } from "./load-references.ts";

export function getPlatformFit(file: KnownFile): PlatformFit {
  const media = toMediaFile(file);
  const alone: Content = {
    caption: "",
    media: media.mimeType?.startsWith("video/")
      ? { type: "video", video: media }
      : { type: "slideshow", images: [media] },
    musicUrl: null,
    settings: {},
  };
  const reports = PLATFORMS.map((platform) => [platform, checkPlatform(platform, alone)] as const);
  return Object.fromEntries(reports) as PlatformFit;
}

/** Warnings about an accepted video that concern every network; undefined when there are none. */
export function findFileWarnings(file: KnownFile) {
  const { wrongDurationMs, durationMs } = toMediaFile(file);
  return wrongDurationMs && durationMs ? [describeWrongDuration(wrongDurationMs, durationMs)] : undefined;
}

/** Applies the limits of connected accounts; hosted accounts have stricter limits of this service. */
function checkPlatform(platform: Platform, alone: Content): PlatformFit[Platform] {
  const capabilities = getCapabilities(platform, "byo");
  const limits = drivers[platform].limits?.(alone, capabilities) ?? capabilities;
  const problems = findLimitViolations(alone, limits, PLATFORM_DETAILS[platform].name);
  return {
    ok: problems.length === 0,
    problems: problems.map(({ code, message, limit, actual }) => ({ code, message, limit, actual })),
  };
}
