// Lengths of the network settings that the API accepts; each network's rules.ts names their source.

export const TIKTOK_FIELDS = {
  photoTitle: 90,
  photoDescription: 4_000,
  videoTitle: 2_200,
  photos: 35,
} as const;

export const PINTEREST_FIELDS = {
  title: 100,
  // With the tags that are appended to it.
  description: 800,
  link: 2_048,
} as const;

export const YOUTUBE_FIELDS = {
  title: 100,
  descriptionBytes: 5_000,
  // Each is a call after the upload; YouTube names no limit.
  playlists: 10,
  licenses: ["youtube", "creativeCommon"],
} as const;

/** https://developers.facebook.com/docs/threads/reference/publishing, read 2026-11-28. */
export const THREADS_FIELDS = {
  replyControl: ["everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"],
} as const;

export const INSTAGRAM_FIELDS = {
  collaborators: 3,
  userTags: 20,
  // Instagram names no limit.
  audioName: 100,
} as const;

export const FACEBOOK_FIELDS = {
  postTypes: ["post", "reel", "story"],
  // "Must be less than 255 characters": https://developers.facebook.com/docs/marketing-api/reference/ad-account/advideos/,
  // read 2026-11-28. The pages of videos and reels of a page name no number.
  title: 254,
} as const;

/** `langs` of https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json, read 2026-11-28. */
export const BLUESKY_FIELDS = {
  languages: 3,
  replyControl: ["everyone", "nobody", "mentioned", "following"],
} as const;
