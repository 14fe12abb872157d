// Turns a post into the fields that TikTok's init calls take.
import { pickNumber, pickString } from "../http.ts";
import type { Job, Media } from "../platform.ts";

export interface Creator {
  username: string | null;
  commentsOff: boolean;
  duetOff: boolean;
  stitchOff: boolean;
}

export function privacy(job: Job): string {
  return textSetting(job, "privacy_level") ?? "PUBLIC_TO_EVERYONE";
}

export function asDraft(job: Job): boolean {
  return job.content.settings.post_mode === "MEDIA_UPLOAD" && job.content.media?.type === "slideshow";
}

function textSetting(job: Job, name: string): string | undefined {
  return pickString(job.content.settings, name) ?? undefined;
}

function flagSetting(job: Job, name: string): boolean {
  return job.content.settings[name] === true;
}

export function videoInfo(job: Job, creator: Creator) {
  return {
    title: textSetting(job, "title") ?? job.content.caption,
    privacy_level: privacy(job),
    disable_comment: flagSetting(job, "disable_comment") || creator.commentsOff,
    disable_duet: flagSetting(job, "disable_duet") || creator.duetOff,
    disable_stitch: flagSetting(job, "disable_stitch") || creator.stitchOff,
    video_cover_timestamp_ms: pickNumber(job.content.settings, "video_cover_timestamp_ms") ?? undefined,
    ...brand(job),
  };
}

function brand(job: Job) {
  return {
    brand_organic_toggle: flagSetting(job, "is_your_brand") || onlyCommercial(job),
    brand_content_toggle: flagSetting(job, "is_branded_content"),
  };
}

/** Commercial without naming whose brand is the poster's own. */
function onlyCommercial(job: Job): boolean {
  return flagSetting(job, "is_commercial") && !flagSetting(job, "is_branded_content");
}

export function photoPost(job: Job, commentsOff: boolean, media: Media & { type: "slideshow" }) {
  const words = {
    title: textSetting(job, "title"),
    description: textSetting(job, "description") ?? job.content.caption,
  };
  const direct = {
    privacy_level: privacy(job),
    disable_comment: flagSetting(job, "disable_comment") || commentsOff,
    auto_add_music: flagSetting(job, "auto_add_music"),
    ...brand(job),
  };
  return {
    media_type: "PHOTO",
    post_mode: asDraft(job) ? "MEDIA_UPLOAD" : "DIRECT_POST",
    post_info: asDraft(job) ? words : { ...words, ...direct },
    source_info: {
      source: "PULL_FROM_URL",
      photo_images: media.images.map((image) => image.url),
      photo_cover_index: 0,
    },
  };
}
