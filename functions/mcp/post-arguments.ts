// Arguments of the tools for posts: what their schemas leave out, shorten and say.

const PROVIDER_FIELDS = "Fields are in settings_schema of get_account_rules.";
export const AS_PREPARED = { description: "As in prepare_post; null clears it." };
const OWN_MEDIA = { type: ["object", "null"], description: "As media." };
export const TIME =
  'UTC instant such as 2030-01-15T18:00:00Z, {"local": "2030-01-15T18:00", "time_zone": "Europe/Berlin"}, or "next_slot".';
export const IDS_OF_ACCOUNTS = "Of the post; all without it.";

/** The arguments that tools which store a post have beside the schema of their endpoint. */
export const POST_FIELDS = {
  omitted: ["metadata", "duration_seconds", "duration_sec", "duration", "width", "height", "mime_type", "mime"].concat([
    "bytes",
    "size",
  ]),
  replaced: {
    settings: { type: "object", description: `By network, such as {"youtube": {"title": "..."}}. ${PROVIDER_FIELDS}` },
    tiktok: { type: ["object", "null"], description: PROVIDER_FIELDS },
    pinterest: { type: ["object", "null"], description: PROVIDER_FIELDS },
    "accounts.media": OWN_MEDIA,
    "thread.media": OWN_MEDIA,
    scheduled_at: { description: `${TIME} Absent: at once when committed.` },
  },
  described: {
    caption: "Limits differ by network: caption_limit of an account.",
    accounts: "From list_accounts; each may have a caption, media or first_comment of its own.",
    media: "URLs must be files of this service: upload or import first. A single image is a slideshow with one URL.",
    thread: "Replies below the post, in order.",
    link: "Shown as a card; null is none.",
    external_id: "Your id; preparing it again returns the same draft.",
  },
} as const;
