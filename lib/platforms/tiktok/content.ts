// Converts a post to the fields of TikTok's init requests.

import { findTikTokConflicts } from "../../schemas/tiktok-conflicts.ts";
import { pickNumber, pickString } from "../http.ts";
import type { Content, Job, MediaFile, Violation, Warning } from "../platform.ts";
import type { Creator } from "./creator-info.ts";

/** Finds violations beyond the capabilities. */
export function findViolations(content: Content): Violation[] {
  return [...findTikTokConflicts(content), ...findCoverViolations(content)];
}

function findCoverViolations({ media, settings, cover }: Content): Violation[] {
  const actual = cover?.index ?? pickNumber(settings, "photo_cover_index");
  if (media?.type !== "slideshow" || actual === null || actual < media.images.length) return [];
  const limit = media.images.length - 1;
  const path = cover?.index === undefined ? "tiktok.photo_cover_index" : "media.cover_index";
  const message = `The cover must be at most ${limit}: the first image is 0.`;
  return [{ path, code: "cover_not_allowed", message, limit, actual }];
}

/**
 * Settings that TikTok has for the other kind of media: https://developers.tiktok.com/doc/content-posting-api-reference-direct-post
 * and https://developers.tiktok.com/doc/content-posting-api-reference-photo-post, read 2026-11-30.
 */
export function findWarnings({ media, settings }: Content): Warning[] {
  const [names, where] =
    media?.type === "video"
      ? [["description", "auto_add_music"], "slideshows"]
      : [["disable_duet", "disable_stitch", "is_aigc"], "videos"];
  return names.flatMap((name) => {
    const message = `TikTok has ${name} for ${where} only. The post is published without it.`;
    return settings[name] ? [{ path: `tiktok.${name}`, code: "setting_ignored", message }] : [];
  });
}

export function getPrivacyLevel(job: Job): string {
  return getTextSetting(job, "privacy_level") ?? "PUBLIC_TO_EVERYONE";
}

export function isInboxDraft(job: Job): boolean {
  return job.content.settings.post_mode === "MEDIA_UPLOAD" && job.content.media?.type === "slideshow";
}

function getTextSetting(job: Job, name: string): string | undefined {
  return pickString(job.content.settings, name) ?? undefined;
}

function getFlagSetting(job: Job, name: string): boolean {
  return job.content.settings[name] === true;
}

export function buildVideoInfo(job: Job, creator: Creator) {
  return {
    title: getTextSetting(job, "title") ?? job.content.caption,
    privacy_level: getPrivacyLevel(job),
    disable_comment: getFlagSetting(job, "disable_comment") || creator.commentsDisabled,
    disable_duet: getFlagSetting(job, "disable_duet") || creator.duetDisabled,
    disable_stitch: getFlagSetting(job, "disable_stitch") || creator.stitchDisabled,
    video_cover_timestamp_ms:
      job.content.cover?.timestampMs ?? pickNumber(job.content.settings, "video_cover_timestamp_ms") ?? undefined,
    ...buildBrandFlags(job),
  };
}

function buildBrandFlags(job: Job) {
  return {
    brand_organic_toggle: getFlagSetting(job, "is_your_brand") || isOwnBrandOnly(job),
    brand_content_toggle: getFlagSetting(job, "is_branded_content"),
    // Only videos have the field.
    ...(job.content.media?.type === "video" && getFlagSetting(job, "is_aigc") ? { is_aigc: true } : {}),
  };
}

/** Commercial content that is not branded content promotes the creator's own brand. */
function isOwnBrandOnly(job: Job): boolean {
  return getFlagSetting(job, "is_commercial") && !getFlagSetting(job, "is_branded_content");
}

export function buildPhotoPost(job: Job, commentsOff: boolean, images: readonly MediaFile[]) {
  const text = {
    title: getTextSetting(job, "title"),
    description: getTextSetting(job, "description") ?? job.content.caption,
  };
  const direct = {
    privacy_level: getPrivacyLevel(job),
    disable_comment: getFlagSetting(job, "disable_comment") || commentsOff,
    auto_add_music: getFlagSetting(job, "auto_add_music"),
    ...buildBrandFlags(job),
  };
  return {
    media_type: "PHOTO",
    post_mode: isInboxDraft(job) ? "MEDIA_UPLOAD" : "DIRECT_POST",
    post_info: isInboxDraft(job) ? text : { ...text, ...direct },
    source_info: {
      source: "PULL_FROM_URL",
      photo_images: images.map((image) => image.url),
      photo_cover_index: job.content.cover?.index ?? pickNumber(job.content.settings, "photo_cover_index") ?? 0,
    },
  };
}
