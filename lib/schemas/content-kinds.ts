// The kinds of content of a post, as capabilities name them.

export const CONTENT_KINDS = ["text_only", "single_image", "multi_image", "single_video", "mixed_carousel"] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** The fields of a published post that some network can change. */
export const EDITABLE_FIELDS = ["caption", "title"] as const;
export type EditableField = (typeof EDITABLE_FIELDS)[number];
