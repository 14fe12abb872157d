// Converts a post to the fields of Threads' media containers.

import { pickString } from "../http.ts";
import type { Containers, Fields } from "../meta-containers.ts";
import type { Content, Violation } from "../platform.ts";
import { assertWithinLimits } from "../violations.ts";
import { capabilities, THREADS } from "./rules.ts";

export function buildContainers(content: Content): Containers {
  assertWithinLimits(content, capabilities, "Threads", findViolations(content));
  const { media } = content;
  if (!media) return { single: { ...buildSharedFields(content), media_type: "TEXT" } };
  if (media.type === "video") {
    return { single: { ...buildSharedFields(content), media_type: "VIDEO", video_url: media.video.url } };
  }
  const [first] = media.images;
  if (first && media.images.length === 1) {
    return { single: { ...buildSharedFields(content), media_type: "IMAGE", image_url: first.url } };
  }
  return {
    children: media.images.map((image) => ({ media_type: "IMAGE", image_url: image.url, is_carousel_item: "true" })),
    parent: { ...buildSharedFields(content), media_type: "CAROUSEL" },
  };
}

/** Finds violations of rules that `capabilities` does not describe: the number of links. */
export function findViolations({ caption }: Content): Violation[] {
  const actual = findLinks(caption).size;
  const limit = THREADS.links;
  if (actual <= limit) return [];
  const message = `The caption has ${actual} different links, but Threads allows at most ${limit}. Remove some.`;
  return [{ path: "caption", code: "too_many_links", message, limit, actual }];
}

/** Returns the distinct links, without trailing punctuation. */
export function findLinks(text: string): Set<string> {
  const found = text.match(/\b(?:https?:\/\/|www\.)[^\s<>"]+/giu) ?? [];
  return new Set(found.map((link) => link.replace(/[.,;:!?'")\]}]+$/u, "")));
}

function buildSharedFields({ caption, settings }: Content): Fields {
  return {
    text: caption,
    reply_control: pickString(settings, "reply_control") ?? undefined,
    topic_tag: pickString(settings, "topic_tag") ?? undefined,
  };
}
