// What a post consists of, as capabilities name it.

export const CONTENT_KINDS = ["text_only", "single_image", "multi_image", "single_video"] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];
