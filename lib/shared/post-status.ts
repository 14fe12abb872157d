// The states of a post and of its deliveries.

export const POST_STATUSES = [
  "draft",
  "pending",
  "scheduled",
  "posted",
  "failed",
  "partial",
  "retry",
  "deleted",
  "void",
] as const;
export type PostStatus = (typeof POST_STATUSES)[number];
/** `partial`: the post is out, and a reply of its thread failed. */
export type DeliveryStatus = PostStatus;
