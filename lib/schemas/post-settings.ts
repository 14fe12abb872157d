// Network settings of a post: the `tiktok` and `pinterest` objects, and the providers under `settings`.
import * as z from "zod";
import { cleanLine, cleanText } from "../shared/post-text.ts";
import { InstantInput, rejectContradiction, WebUrl } from "./common.ts";
import {
  BLUESKY_FIELDS,
  FACEBOOK_FIELDS,
  INSTAGRAM_FIELDS,
  PINTEREST_FIELDS,
  THREADS_FIELDS,
  TIKTOK_FIELDS,
  YOUTUBE_FIELDS,
} from "./post-limits.ts";

const notBlank = (most: number) => z.string().overwrite(cleanLine).max(most).regex(/\S/, "Must not be blank.");

const digits = (message: string) => z.string().max(128).regex(/^\d+$/, message);

export const TikTokSettings = z
  .strictObject({
    title: z.string().overwrite(cleanText).max(TIKTOK_FIELDS.videoTitle).optional(),
    description: z.string().overwrite(cleanText).max(TIKTOK_FIELDS.photoDescription).optional(),
    post_mode: z.enum(["DIRECT_POST", "MEDIA_UPLOAD"]).optional(),
    privacy_level: z
      .enum(["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"])
      .optional(),
    disable_comment: z.boolean().optional(),
    disable_duet: z.boolean().optional(),
    disable_stitch: z.boolean().optional(),
    auto_add_music: z.boolean().optional(),
    is_commercial: z.boolean().optional(),
    is_your_brand: z.boolean().optional(),
    is_branded_content: z.boolean().optional(),
    user_consent: z.boolean().optional(),
    video_cover_timestamp_ms: z.int().min(0).optional(),
    photo_cover_index: z
      .int()
      .min(0)
      .max(TIKTOK_FIELDS.photos - 1)
      .optional(),
    is_aigc: z.boolean().optional(),
  })
  .meta({ id: "TikTokSettings" });

export const PinterestSettings = z
  .strictObject({
    board_id: z.string().min(1).max(128).optional(),
    board_section_id: digits("Must be the id of a section, which consists of digits.").optional(),
    title: notBlank(PINTEREST_FIELDS.title).optional(),
    link: WebUrl.optional(),
    tags: z.array(z.string().overwrite(cleanLine).min(1).max(100)).max(30).optional(),
  })
  .meta({ id: "PinterestSettings" });

const Label = z.strictObject({
  value: z.string().max(100).optional(),
  label: z.string().overwrite(cleanLine).min(1).max(100),
});

/** Pairs of fields with one meaning, of which a request may send either: to replace one is to remove the other. */
export const FIELD_ALIASES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  youtube: [
    ["privacy", "type"],
    ["selfDeclaredMadeForKids", "madeForKids"],
  ],
};

const YouTube = z
  .strictObject({
    title: notBlank(YOUTUBE_FIELDS.title).optional(),
    description: z.string().overwrite(cleanText).max(YOUTUBE_FIELDS.descriptionBytes).optional(),
    privacy: z.enum(["public", "private", "unlisted"]).optional(),
    type: z.enum(["public", "private", "unlisted"]).optional(),
    tags: z.array(Label).max(100).optional(),
    categoryId: z
      .string()
      .regex(/^\d{1,3}$/, "Must be a YouTube category number, such as 22.")
      .optional(),
    selfDeclaredMadeForKids: z.enum(["yes", "no"]).optional(),
    madeForKids: z.boolean().optional(),
    thumbnail: z.strictObject({ path: WebUrl }).optional(),
    containsSyntheticMedia: z.boolean().optional(),
    playlist_ids: z
      .array(
        z
          .string()
          .max(128)
          .regex(/^[\w-]+$/, "Must be the id of a playlist, as its address has it after list=."),
      )
      .max(YOUTUBE_FIELDS.playlists)
      .optional(),
    notify_subscribers: z.boolean().optional(),
    license: z.enum(YOUTUBE_FIELDS.licenses).optional(),
    embeddable: z.boolean().optional(),
    publishAt: InstantInput.transform((instant) => instant.toISOString()).optional(),
  })
  .superRefine(rejectContradiction("privacy", "type"))
  .superRefine(
    rejectContradiction("selfDeclaredMadeForKids", "madeForKids", (value) => value === true || value === "yes"),
  );

const X = z.strictObject({
  who_can_reply_post: z.enum(["everyone", "following", "mentionedUsers", "subscribers", "verified"]).optional(),
  community: z
    .string()
    .regex(/^https:\/\/(x|twitter)\.com\/i\/communities\/\d+\/?$/, "Must be the URL of an X community.")
    .optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
});

const Instagram = z.strictObject({
  post_type: z.enum(["post", "story"]).optional(),
  is_trial_reel: z.boolean().optional(),
  graduation_strategy: z.enum(["MANUAL", "SS_PERFORMANCE"]).optional(),
  collaborators: z.array(Label).max(INSTAGRAM_FIELDS.collaborators).optional(),
  cover_url: WebUrl.optional(),
  thumb_offset_ms: z.int().min(0).optional(),
  share_to_feed: z.boolean().optional(),
  user_tags: z
    .array(
      z.strictObject({
        username: z.string().overwrite(cleanLine).min(1).max(100),
        x: z.number().min(0).max(1),
        y: z.number().min(0).max(1),
      }),
    )
    .max(INSTAGRAM_FIELDS.userTags)
    .optional(),
  location_id: digits("Must be the id of a Facebook page with a location, which consists of digits.").optional(),
  audio_name: notBlank(INSTAGRAM_FIELDS.audioName).optional(),
  is_ai_generated: z.boolean().optional(),
});

const Threads = z.strictObject({
  reply_control: z.enum(THREADS_FIELDS.replyControl).optional(),
  topic_tag: z
    .string()
    .overwrite(cleanLine)
    .min(1)
    .max(50)
    .regex(/^[^.&]+$/, "Must not contain . or &.")
    .optional(),
});

const Facebook = z.strictObject({
  post_type: z.enum(FACEBOOK_FIELDS.postTypes).optional(),
  title: notBlank(FACEBOOK_FIELDS.title).optional(),
  url: WebUrl.optional(),
});

const LinkedIn = z.strictObject({
  post_as_images_carousel: z.boolean().optional(),
  carousel_name: notBlank(100).optional(),
  visibility: z.enum(["PUBLIC", "CONNECTIONS"]).optional(),
});

const Bluesky = z.strictObject({
  languages: z
    .array(z.string().max(35).refine(isLanguageTag, "Must be a language tag of BCP 47, such as en or pt-BR."))
    .max(BLUESKY_FIELDS.languages)
    .optional(),
  reply_control: z.enum(BLUESKY_FIELDS.replyControl).optional(),
});

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Provider aliases and their canonical names, which are stored. */
const ALIASES: Record<string, string> = {
  twitter: "x",
  "instagram-standalone": "instagram",
  "linkedin-page": "linkedin",
};

const Providers = z.strictObject({
  x: X.optional(),
  twitter: X.optional(),
  youtube: YouTube.optional(),
  instagram: Instagram.optional(),
  "instagram-standalone": Instagram.optional(),
  threads: Threads.optional(),
  facebook: Facebook.optional(),
  linkedin: LinkedIn.optional(),
  "linkedin-page": LinkedIn.optional(),
  bluesky: Bluesky.optional(),
});

function normalizeProviders<Value>(given: object, context: z.RefinementCtx): Record<string, Value> {
  const settings: Record<string, Value> = {};
  for (const [name, value] of Object.entries(given)) {
    const provider = ALIASES[name] ?? name;
    if (provider in settings) {
      const message = `Sets ${provider}, which is also sent under its alias. Send only one of them.`;
      context.addIssue({ code: "custom", path: [name], message, params: { code: "duplicate_provider" } });
    }
    settings[provider] = value;
  }
  return settings;
}

type Settings = Record<string, unknown>;

/** Settings per provider under its canonical name; unknown providers and keys are rejected. */
export const PostSettings = Providers.transform(normalizeProviders<Settings>);

/** Like `PostSettings`, but null removes a provider, and a provider keeps the fields that are not sent. */
export const PostSettingsPatch = z
  .strictObject(
    Object.fromEntries(Object.entries(Providers.shape).map(([name, provider]) => [name, provider.nullable()])),
  )
  .transform(normalizeProviders<Settings | null>);
