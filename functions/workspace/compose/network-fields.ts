// The settings of each network that the composer has fields for, by their names in the API. TikTok's are in tiktok.tsx.
import type { Platform } from "../../../lib/shared/platforms.ts";

export type FieldKind =
  /** Left out of the post when it is empty. */
  | "text"
  | "long"
  | "url"
  /** Separated by commas. */
  | "labels"
  /** Ids, separated by commas. */
  | "ids"
  | "choice"
  /** Sent as `yes` or `no`. */
  | "answer"
  /** Left out of the post unless it differs from the state it starts with. */
  | "flag"
  /** The URL of an uploaded picture. */
  | "picture";

export interface NetworkField {
  name: string;
  label: string;
  kind: FieldKind;
  hint?: string;
  placeholder?: string;
  /** Values with their words; the first is what the network does without a setting. */
  options?: readonly (readonly [value: string, text: string])[];
  isOn?: boolean;
  /** A script offers the choices by name; if the network does not respond, the person types an id. */
  choices?: "boards" | "board_sections" | "playlists";
  /** The field of the same network that the choices depend on; without choices there is no field. */
  of?: string;
  /** Shown only with a video, or only with images. */
  media?: "video" | "images";
}

export interface NetworkFields {
  /** The name of the settings in the API. */
  provider: string;
  platform: Platform;
  fields: readonly NetworkField[];
}

export const NETWORK_FIELDS: readonly NetworkFields[] = [
  {
    provider: "instagram",
    platform: "instagram",
    fields: [
      {
        name: "post_type",
        label: "Kind",
        kind: "choice",
        options: [
          ["", "Post or reel"],
          ["story", "Story"],
        ],
      },
      { name: "collaborators", label: "Collaborators", kind: "labels", hint: "Up to three usernames, with commas." },
      { name: "share_to_feed", label: "Show the reel in the feed too", kind: "flag", isOn: true, media: "video" },
    ],
  },
  {
    provider: "youtube",
    platform: "youtube",
    fields: [
      { name: "title", label: "Title", kind: "text", placeholder: "The first line of the caption" },
      { name: "description", label: "Description", kind: "long", placeholder: "The caption" },
      {
        name: "privacy",
        label: "Visibility",
        kind: "choice",
        options: [
          ["public", "Public"],
          ["unlisted", "Unlisted"],
          ["private", "Private"],
        ],
      },
      {
        name: "categoryId",
        label: "Category",
        kind: "choice",
        // The ids of YouTube for videos: https://developers.google.com/youtube/v3/docs/videoCategories/list, read 2026-11-28.
        options: [
          ["", "People & Blogs"],
          ["2", "Autos & Vehicles"],
          ["23", "Comedy"],
          ["27", "Education"],
          ["24", "Entertainment"],
          ["1", "Film & Animation"],
          ["20", "Gaming"],
          ["26", "Howto & Style"],
          ["10", "Music"],
          ["25", "News & Politics"],
          ["29", "Nonprofits & Activism"],
          ["15", "Pets & Animals"],
          ["28", "Science & Technology"],
          ["17", "Sports"],
          ["19", "Travel & Events"],
        ],
      },
      { name: "tags", label: "Tags", kind: "labels", hint: "Words with commas between them." },
      { name: "playlist_ids", label: "Playlists", kind: "ids", choices: "playlists" },
      { name: "thumbnail", label: "Thumbnail", kind: "picture" },
      { name: "selfDeclaredMadeForKids", label: "Made for kids", kind: "answer" },
      { name: "containsSyntheticMedia", label: "Altered or generated content", kind: "flag" },
    ],
  },
  {
    provider: "facebook",
    platform: "facebook",
    fields: [
      {
        name: "post_type",
        label: "Kind",
        kind: "choice",
        options: [
          ["", "Post"],
          ["reel", "Reel"],
          ["story", "Story"],
        ],
      },
      { name: "title", label: "Title", kind: "text", media: "video" },
      { name: "url", label: "Link", kind: "url", hint: "Facebook shows the page as a card, in a post without media." },
    ],
  },
  {
    provider: "linkedin",
    platform: "linkedin",
    fields: [
      {
        name: "visibility",
        label: "Who can see it",
        kind: "choice",
        options: [
          ["", "Everyone"],
          ["CONNECTIONS", "Connections only"],
        ],
      },
      {
        name: "post_as_images_carousel",
        label: "Images as a document to page through",
        kind: "flag",
        media: "images",
      },
      { name: "carousel_name", label: "Name of the document", kind: "text", media: "images" },
    ],
  },
  {
    provider: "threads",
    platform: "threads",
    fields: [
      {
        name: "reply_control",
        label: "Who can reply",
        kind: "choice",
        options: [
          ["", "Everyone"],
          ["accounts_you_follow", "Profiles you follow"],
          ["followers_only", "Followers"],
          ["mentioned_only", "Mentioned profiles"],
          ["parent_post_author_only", "Only the author of the post before"],
        ],
      },
      { name: "topic_tag", label: "Topic", kind: "text", hint: "One topic, without . and &." },
    ],
  },
  {
    provider: "x",
    platform: "twitter",
    fields: [
      {
        name: "who_can_reply_post",
        label: "Who can reply",
        kind: "choice",
        options: [
          ["", "Everyone"],
          ["following", "Accounts you follow"],
          ["mentionedUsers", "Mentioned accounts"],
          ["subscribers", "Subscribers"],
          ["verified", "Verified accounts"],
        ],
      },
      { name: "made_with_ai", label: "Made with AI", kind: "flag" },
      { name: "paid_partnership", label: "Paid partnership", kind: "flag" },
    ],
  },
  {
    provider: "pinterest",
    platform: "pinterest",
    fields: [
      {
        name: "board_id",
        label: "Board",
        kind: "text",
        choices: "boards",
      },
      {
        name: "board_section_id",
        label: "Section of the board",
        kind: "text",
        choices: "board_sections",
        of: "board_id",
      },
      { name: "title", label: "Title", kind: "text" },
      { name: "link", label: "Link", kind: "url" },
    ],
  },
];
