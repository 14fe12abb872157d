// Every `code` of an entry of `fields`, of a problem and of a warning.

/** Codes of a request that breaks its schema; the first ten are Zod's. */
export const SCHEMA_CODES = [
  ...(["invalid_type", "invalid_value", "invalid_format", "invalid_key", "invalid_element"] as const),
  ...(["invalid_union", "too_small", "too_big", "not_multiple_of", "custom"] as const),
  ...(["unknown_field", "repeated", "contradiction", "invalid_instant", "invalid_identifier"] as const),
  ...(["invalid_local_time", "invalid_time_zone"] as const),
  ...(["duplicate_provider", "duplicate_account", "too_large", "malformed_text"] as const),
  ...(["nested_too_deep", "too_many_fields", "too_many_values"] as const),
] as const;
export type SchemaCode = (typeof SCHEMA_CODES)[number];

/** Codes of a file or a text that breaks the rules of a network. */
export const RULE_CODES = [
  ...(["content_kind_unsupported", "platform_unavailable", "caption_too_long", "text_blank"] as const),
  ...(["too_many_images", "media_type_unsupported", "media_too_large", "image_too_large"] as const),
  ...(["image_shape_unsupported", "video_too_long", "video_too_short", "video_size_unsupported"] as const),
  ...(["video_codec_unsupported"] as const),
  ...([
    "frame_rate_unsupported",
    "gif_not_alone",
    "community_closed",
    "carousel_needs_jpeg",
    "carousel_shapes",
  ] as const),
  ...([
    "story_single_media",
    "story_too_long",
    "cover_outside_video",
    "cover_not_allowed",
    "setting_not_allowed",
  ] as const),
  ...(["too_many_hashtags", "too_many_mentions", "too_many_links", "title_too_long"] as const),
  ...(["description_too_long", "board_id_missing", "board_id_malformed", "post_mode_not_allowed"] as const),
  ...(["branded_content_private", "invalidTitle", "invalidDescription", "invalidTags", "invalidPublishAt"] as const),
  ...(["mention_may_be_rejected", "quote_may_be_rejected", "video_needs_premium"] as const),
  ...(["alt_text_too_long", "first_comment_too_long", "first_comment_unsupported", "permission_missing"] as const),
  ...(["thread_unsupported", "link_with_media", "alt_text_ignored", "cover_ignored", "link_ignored"] as const),
  ...(["caption_ignored", "frame_rate_low", "audio_codec_unusual", "video_length_unclear"] as const),
  ...(["image_may_be_rejected", "many_hashtags", "many_cashtags", "setting_ignored"] as const),
  ...([
    "caption_may_be_too_long",
    "many_links",
    "brackets_replaced",
    "link_card_unavailable",
    "links_shortened",
    "title_shortened",
  ] as const),
] as const;
export type RuleCode = (typeof RULE_CODES)[number];

/** Codes of a post that breaks rules of this service. */
export const POST_CODES = [
  ...(["unknown_accounts", "in_the_past", "time_gap", "time_overlap", "no_slots", "media_unreachable"] as const),
  ...(["invalid_music_url", "tiktok_not_allowed", "provider_absent", "unknown_sandbox_outcome"] as const),
] as const;

export type FieldCode = SchemaCode | RuleCode | (typeof POST_CODES)[number];

/** Codes of warnings about an accepted post. */
export const WARNING_CODES = [
  ...(["music_not_attached", "finish_in_app", "facts_unknown", "reconnect_before", "daily_uploads_planned"] as const),
  ...(["alt_text_ignored", "cover_ignored", "link_ignored", "caption_ignored"] as const),
  ...(["mention_may_be_rejected", "quote_may_be_rejected", "video_needs_premium"] as const),
  ...(["frame_rate_low", "audio_codec_unusual", "video_length_unclear"] as const),
  ...(["image_may_be_rejected", "many_hashtags", "many_cashtags", "setting_ignored"] as const),
  ...([
    "caption_may_be_too_long",
    "many_links",
    "brackets_replaced",
    "link_card_unavailable",
    "links_shortened",
    "title_shortened",
  ] as const),
  ...(["duplicate_text", "posts_within_minute"] as const),
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];
