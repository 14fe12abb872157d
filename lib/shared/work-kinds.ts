// Kinds of publishing work: each has a queue of its own, so that slow work does not hold fast work back.

import { listPostMedia, type MediaOfPost } from "./post-content.ts";

/** `posts`: text and images; `uploads`: videos; `confirmations`: checks of what a network has accepted. */
export const WORK_KINDS = ["posts", "uploads", "confirmations"] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

/** The kind of a delivery that has not begun: `getWorkKind` of the queries has the same rule. */
export function toWorkKind(post: MediaOfPost): WorkKind {
  return listPostMedia(post).some(({ type }) => type === "video") ? "uploads" : "posts";
}
