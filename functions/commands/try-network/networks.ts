// Variables, post and deletion of `npm run admin -- try-network` for each network.
import { FACEBOOK } from "../../../lib/platforms/facebook/rules.ts";
import type { NetworkRequest } from "../../../lib/platforms/http.ts";
import { getVersionHeaders } from "../../../lib/platforms/linkedin/api.ts";
import type { Content, Job, Media, MediaFile } from "../../../lib/platforms/platform.ts";
import type { Platform } from "../../../lib/shared/platforms.ts";

export type Env = Readonly<Record<string, string | undefined>>;

interface Variable {
  name: string;
  /** Its meaning, and where to get it. */
  from: string;
  secret?: boolean;
  optional?: boolean;
}

type RemoveRequest = Pick<NetworkRequest, "method" | "url"> & Partial<NetworkRequest>;

export interface Trial {
  variables: readonly Variable[];
  /** The variable with the network's id of the account; Bluesky finds it by signing in. */
  accountVariable: string | null;
  /** The audience of the post while it exists. */
  visibility: string;
  content(env: Env): Content;
  /** The request that deletes a post; absent where the API has none. */
  remove?(job: Job, postId: string): RemoveRequest;
}

/** Served from this repository; networks that fetch media themselves need a public URL. */
export const LOCAL_VIDEO_URL = "https://media.try-network.example/clip.mp4";

const CAPTION = "A test of our publishing software. It will be deleted.";
const TOKEN = (name: string, from: string): Variable => ({ name, from: `an access token: ${from}`, secret: true });

const text: Content = { caption: CAPTION, media: null, musicUrl: null, settings: {} };

function file(url: string, mimeType: string): MediaFile {
  return { url, mimeType, bytes: null, durationMs: null, width: null, height: null };
}
const clip: Media = { type: "video", video: file(LOCAL_VIDEO_URL, "video/mp4") };
const image = (url = ""): Media => ({ type: "slideshow", images: [file(url, "image/jpeg")] });
const publicImage = (name: string): Variable => ({
  name,
  from: "the public URL of a JPEG that the network can fetch",
});
const encode = encodeURIComponent;

export const TRIALS: Record<Platform, Trial> = {
  bluesky: {
    variables: [
      { name: "BLUESKY_IDENTIFIER", from: "the handle or DID of the account" },
      {
        name: "BLUESKY_PASSWORD",
        from: "an app password: Settings, Privacy and security, App passwords",
        secret: true,
      },
      { name: "BLUESKY_SERVICE", from: "the server to sign in at; https://bsky.social by default", optional: true },
      { name: "BLUESKY_DIRECTORY", from: "the directory of identities, for servers of one's own", optional: true },
    ],
    accountVariable: null,
    visibility: "everybody until it is deleted: Bluesky has no private posts",
    content: () => text,
    remove: (job, postId) => {
      const [repo = "", collection = "", rkey = ""] = postId.replace("at://", "").split("/");
      const url = `${job.network.baseUrl}/xrpc/com.atproto.repo.deleteRecord`;
      return { method: "POST", url, bearer: job.connection.accessToken, json: { repo, collection, rkey } };
    },
  },
  tiktok: {
    variables: [
      TOKEN("TIKTOK_ACCESS_TOKEN", "OAuth with the scope video.publish, https://developers.tiktok.com/apps"),
      { name: "TIKTOK_OPEN_ID", from: "open_id, which comes with the access token" },
    ],
    accountVariable: "TIKTOK_OPEN_ID",
    visibility: "only the account itself (SELF_ONLY)",
    content: () => ({ ...text, media: clip, settings: { privacy_level: "SELF_ONLY" } }),
  },
  instagram: {
    variables: [
      TOKEN("INSTAGRAM_ACCESS_TOKEN", "the app dashboard, Instagram, API setup, https://developers.facebook.com/apps"),
      { name: "INSTAGRAM_USER_ID", from: "user_id of GET https://graph.instagram.com/me?fields=user_id" },
      publicImage("INSTAGRAM_IMAGE_URL"),
    ],
    accountVariable: "INSTAGRAM_USER_ID",
    visibility: "the followers of the account: use a private test account",
    content: (env) => ({ ...text, media: image(env.INSTAGRAM_IMAGE_URL) }),
  },
  threads: {
    variables: [
      TOKEN("THREADS_ACCESS_TOKEN", "the app dashboard, with threads_content_publish and threads_delete"),
      { name: "THREADS_USER_ID", from: "id of GET https://graph.threads.net/v1.0/me" },
    ],
    accountVariable: "THREADS_USER_ID",
    visibility: "everybody until it is deleted, unless the profile is private",
    content: () => text,
    // https://developers.facebook.com/docs/threads/posts/delete-posts
    remove: (job, postId) => ({
      method: "DELETE",
      url: `${job.network.baseUrl}/v1.0/${encode(postId)}`,
      query: { access_token: job.connection.accessToken },
    }),
  },
  facebook: {
    variables: [
      TOKEN("FACEBOOK_ACCESS_TOKEN", "the Page's token of GET https://graph.facebook.com/me/accounts"),
      { name: "FACEBOOK_PAGE_ID", from: "the Page's id of the same response" },
    ],
    accountVariable: "FACEBOOK_PAGE_ID",
    visibility: "everybody until it is deleted: use an unpublished test Page",
    content: () => text,
    // https://developers.facebook.com/docs/graph-api/reference/post
    remove: (job, postId) => ({
      method: "DELETE",
      url: `${job.network.baseUrl}/${FACEBOOK.version}/${encode(postId)}`,
      query: { access_token: job.connection.accessToken },
    }),
  },
  youtube: {
    variables: [
      TOKEN("YOUTUBE_ACCESS_TOKEN", "OAuth with the scope https://www.googleapis.com/auth/youtube"),
      { name: "YOUTUBE_CHANNEL_ID", from: "https://www.youtube.com/account_advanced" },
    ],
    accountVariable: "YOUTUBE_CHANNEL_ID",
    visibility: "only the channel's owner (private)",
    content: () => ({ ...text, media: clip, settings: { privacy: "private" } }),
    // https://developers.google.com/youtube/v3/docs/videos/delete
    remove: (job, postId) => ({
      method: "DELETE",
      url: `${job.network.baseUrl}/youtube/v3/videos`,
      query: { id: postId },
      bearer: job.connection.accessToken,
    }),
  },
  linkedin: {
    variables: [
      TOKEN("LINKEDIN_ACCESS_TOKEN", "https://www.linkedin.com/developers/tools/oauth, scope w_member_social"),
      {
        name: "LINKEDIN_AUTHOR",
        from: "sub of GET https://api.linkedin.com/v2/userinfo, or the id of an organization",
      },
    ],
    accountVariable: "LINKEDIN_AUTHOR",
    visibility: "the member's connections until it is deleted; everybody, if the author is an organization",
    // Posts of organizations are always public.
    content: ({ LINKEDIN_AUTHOR = "" }) =>
      /^\d+$|organization/.test(LINKEDIN_AUTHOR) ? text : { ...text, settings: { visibility: "CONNECTIONS" } },
    // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api
    remove: (job, postId) => ({
      method: "DELETE",
      url: `${job.network.baseUrl}/rest/posts/${encode(postId)}`,
      bearer: job.connection.accessToken,
      headers: { ...getVersionHeaders(job.network), "x-restli-method": "DELETE" },
    }),
  },
  twitter: {
    variables: [
      TOKEN("TWITTER_ACCESS_TOKEN", "OAuth 2.0 with tweet.read, tweet.write and users.read, https://developer.x.com"),
      { name: "TWITTER_USER_ID", from: "data.id of GET https://api.x.com/2/users/me" },
    ],
    accountVariable: "TWITTER_USER_ID",
    visibility: "everybody until it is deleted, unless the account's posts are protected",
    content: () => text,
    // https://docs.x.com/x-api/posts/delete-post
    remove: (job, postId) => ({
      method: "DELETE",
      url: `${job.network.baseUrl}/2/tweets/${encode(postId)}`,
      bearer: job.connection.accessToken,
    }),
  },
  pinterest: {
    variables: [
      TOKEN("PINTEREST_ACCESS_TOKEN", "https://developers.pinterest.com/apps, with pins:write and boards:read"),
      { name: "PINTEREST_USERNAME", from: "username of GET https://api.pinterest.com/v5/user_account" },
      { name: "PINTEREST_BOARD_ID", from: "id of a secret board in GET https://api.pinterest.com/v5/boards" },
      publicImage("PINTEREST_IMAGE_URL"),
    ],
    accountVariable: "PINTEREST_USERNAME",
    visibility: "whoever sees the board: use a secret one",
    content: (env) => ({
      ...text,
      media: image(env.PINTEREST_IMAGE_URL),
      settings: { board_id: env.PINTEREST_BOARD_ID ?? "" },
    }),
    // https://developers.pinterest.com/docs/api/v5/pins-delete
    remove: (job, postId) => ({
      method: "DELETE",
      url: `${job.network.baseUrl}/v5/pins/${encode(postId)}`,
      bearer: job.connection.accessToken,
    }),
  },
};
