// Kinds of publishing work: each has a queue of its own, so that slow work does not hold fast work back.

/** `posts`: text and images; `uploads`: videos; `confirmations`: checks of what a network has accepted. */
export const WORK_KINDS = ["posts", "uploads", "confirmations"] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

/** The kind of a delivery that has not begun. */
export function toWorkKind(media: { type: string } | null | undefined): WorkKind {
  return media?.type === "video" ? "uploads" : "posts";
}
