// Turns a post into the fields of Threads' media containers.

import { pickString } from "../http.ts";
import type { Containers, Fields } from "../meta-containers.ts";
import type { Content, Violation } from "../platform.ts";
import { holdTo } from "../violations.ts";
import { capabilities, THREADS } from "./rules.ts";

export function containersOf(content: Content): Containers {
  holdTo(content, capabilities, "Threads", violationsOf(content));
  const { media } = content;
  if (!media) return { single: { ...shared(content), media_type: "TEXT" } };
  if (media.type === "video") {
    return { single: { ...shared(content), media_type: "VIDEO", video_url: media.video.url } };
  }
  const [first] = media.images;
  if (first && media.images.length === 1) {
    return { single: { ...shared(content), media_type: "IMAGE", image_url: first.url } };
  }
  return {
    children: media.images.map((image) => ({ media_type: "IMAGE", image_url: image.url, is_carousel_item: "true" })),
    parent: { ...shared(content), media_type: "CAROUSEL" },
  };
}

/** What Threads refuses beyond its capabilities. */
export function violationsOf({ caption }: Content): Violation[] {
  const actual = linksIn(caption).size;
  const limit = THREADS.links;
  if (actual <= limit) return [];
  const message = `Threads takes ${limit} different links in a post, this one has ${actual}. Remove some.`;
  return [{ path: "caption", code: "too_many_links", message, limit, actual }];
}

/** Different links as Threads counts them: one that comes twice is one. */
export function linksIn(text: string): Set<string> {
  const found = text.match(/\b(?:https?:\/\/|www\.)[^\s<>"]+/giu) ?? [];
  return new Set(found.map((link) => link.replace(/[.,;:!?'")\]}]+$/u, "")));
}

function shared({ caption, settings }: Content): Fields {
  return {
    text: caption,
    reply_control: pickString(settings, "reply_control") ?? undefined,
    topic_tag: pickString(settings, "topic_tag") ?? undefined,
  };
}
