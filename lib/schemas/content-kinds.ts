// The kinds of content of a post, as capabilities name them.

export const CONTENT_KINDS = ["text_only", "single_image", "multi_image", "single_video", "mixed_carousel"] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];
