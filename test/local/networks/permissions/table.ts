// Which permissions each call of the fakes needs: network x operation -> permission, and the page of the operation. Where that
// page names no permission, as that of Facebook's published_posts, the row follows from what the permission is for.
import type { Platform } from "../../../../lib/shared/platforms.ts";

/** What a call is for: accounts are connected and posts published with the least that `connect` and `publish` name. */
type Use = "connect" | "publish" | "reconcile" | "analytics" | "options" | "takedown" | "comments";

interface PermissionRow {
  use: Use;
  /** The fake's calls; LinkedIn's end with whom the token acts for. */
  calls: readonly string[];
  /** Sets of permissions, of which one is enough; the first is the least. */
  anyOf: readonly (readonly string[])[];
  source: string;
}

/** `needs`: permissions separated by spaces, alternatives by `|`. */
function row(use: Use, calls: readonly string[], needs: string, source: string): PermissionRow {
  return { use, calls, anyOf: needs.split("|").map((set) => set.trim().split(" ")), source };
}

const TIKTOK = "https://developers.tiktok.com/doc";
const IG = "https://developers.facebook.com/documentation/instagram-platform";
const IG_USER = `${IG}/instagram-graph-api/reference/ig-user`;
const THREADS = "https://developers.facebook.com/documentation/threads";
const GRAPH = "https://developers.facebook.com/docs/graph-api/reference";
const FB_PORTFOLIO = "https://github.com/trypostit/trypost/pull/301";
const FB_COMMENTS = "https://developers.facebook.com/documentation/pages-api/comments-mentions";
const FB_VIDEO = "https://developers.facebook.com/documentation/video-api/guides/publishing.md";
const YT = "https://developers.google.com/youtube/v3/docs";
const X_MAP = "https://docs.x.com/fundamentals/authentication/guides/v2-authentication-mapping";
const X_API = "https://github.com/xdevplatform/docs/blob/main/openapi.json";
const PINTEREST = "https://github.com/pinterest/api-description/blob/main/v5/openapi.json";
const LINKEDIN = "https://learn.microsoft.com/en-us/linkedin";
const SHARES = `${LINKEDIN}/marketing/community-management/shares`;
const ROLES = `${LINKEDIN}/marketing/community-management/organizations/organization-access-control-by-role`;
const MEMBER_STATISTICS = `${LINKEDIN}/marketing/community-management/members/post-statistics`;
const SHARE_STATISTICS = `${LINKEDIN}/marketing/community-management/organizations/share-statistics`;
const LOOKUP = `${LINKEDIN}/marketing/community-management/organizations/organization-lookup-api`;

const yt = (...names: string[]) => names.map((name) => `https://www.googleapis.com/auth/${name}`).join(" | ");
const YT_DISCOVERY = "https://www.googleapis.com/discovery/v1/apis/youtube/v3/rest";
const YT_UPLOAD = yt("youtube.upload", "youtube", "youtube.force-ssl", "youtubepartner");
const YT_EDIT = yt("youtube.force-ssl", "youtube", "youtubepartner");
const YT_READ = yt("youtube.readonly", "youtube", "youtube.force-ssl", "youtubepartner");
const IG_POST = "instagram_business_basic instagram_business_content_publish";
const THREADS_POST = "threads_basic threads_content_publish";
const FB_POST = "pages_manage_posts pages_read_engagement";
const BLUESKY_SCOPES = "https://atproto.com/specs/oauth#authorization-scopes";

export const PERMISSIONS: Readonly<Record<Platform, readonly PermissionRow[]>> = {
  tiktok: [
    row("connect", ["user/info"], "user.info.basic", `${TIKTOK}/tiktok-api-v2-get-user-info`),
    row(
      "publish",
      ["creator_info/query"],
      "video.publish",
      `${TIKTOK}/content-posting-api-reference-query-creator-info`,
    ),
    row("publish", ["video/init"], "video.publish", `${TIKTOK}/content-posting-api-reference-direct-post`),
    row("publish", ["content/init"], "video.publish", `${TIKTOK}/content-posting-api-reference-photo-post`),
    row("publish", ["content/init draft"], "video.upload", `${TIKTOK}/content-posting-api-reference-photo-post`),
    row(
      "publish",
      ["status/fetch"],
      "video.publish | video.upload",
      `${TIKTOK}/content-posting-api-reference-get-video-status`,
    ),
    row("analytics", ["video/list"], "video.list", `${TIKTOK}/tiktok-api-v2-video-list`),
  ],
  instagram: [
    row("connect", ["me"], "instagram_business_basic", `${IG}/instagram-api-with-instagram-login/get-started`),
    row("connect", ["refresh_access_token"], "instagram_business_basic", `${IG}/reference/refresh_access_token`),
    row("publish", ["content_publishing_limit"], IG_POST, `${IG_USER}/content_publishing_limit`),
    row("publish", ["media"], IG_POST, `${IG_USER}/media`),
    row("publish", ["media_publish"], IG_POST, `${IG_USER}/media_publish`),
    row("publish", ["container", "permalink"], "instagram_business_basic", `${IG}/reference/instagram-media`),
    row("reconcile", ["media_list"], "instagram_business_basic", `${IG_USER}/media`),
    row("reconcile", ["stories"], "instagram_business_basic", `${IG_USER}/stories`),
    row(
      "comments",
      ["comments.create", "comments.list"],
      "instagram_business_basic instagram_business_manage_comments",
      `${IG}/instagram-graph-api/reference/ig-media/comments`,
    ),
    row(
      "analytics",
      ["insights"],
      "instagram_business_basic instagram_business_manage_insights",
      `${IG}/reference/instagram-media/insights`,
    ),
  ],
  threads: [
    row("connect", ["me"], "threads_basic", "https://developers.facebook.com/docs/threads/threads-profiles"),
    row("connect", ["refresh_access_token"], "threads_basic", `${THREADS}/get-started/long-lived-tokens`),
    row("publish", ["threads", "threads_publish"], THREADS_POST, `${THREADS}/posts`),
    row("publish", ["threads_publishing_limit"], THREADS_POST, `${THREADS}/overview`),
    row(
      "publish",
      ["container", "permalink"],
      "threads_basic",
      `${THREADS}/retrieve-and-discover-posts/retrieve-posts`,
    ),
    row("reconcile", ["replies"], "threads_basic threads_read_replies", `${THREADS}/retrieve-and-manage-replies`),
    row("reconcile", ["threads_list"], "threads_basic", `${THREADS}/retrieve-and-discover-posts/retrieve-posts`),
    row("analytics", ["threads_posts"], "threads_basic", `${THREADS}/retrieve-and-discover-posts/retrieve-posts`),
    row(
      "analytics",
      ["insights"],
      "threads_basic threads_manage_insights",
      "https://developers.facebook.com/docs/threads/insights",
    ),
    row(
      "takedown",
      ["delete"],
      "threads_basic threads_delete",
      "https://developers.facebook.com/docs/threads/posts/delete-posts",
    ),
  ],
  facebook: [
    row("connect", ["me/accounts"], "pages_show_list", `${GRAPH}/user/accounts`),
    // No page found says it; integrators connect such pages with it.
    row("connect", ["me/businesses", "business/pages"], "business_management", FB_PORTFOLIO),
    row("publish", ["feed", "photos"], FB_POST, "https://developers.facebook.com/documentation/pages-api/posts.md"),
    row("publish", ["videos_start", "videos_transfer", "videos_finish"], `pages_show_list ${FB_POST}`, FB_VIDEO),
    row(
      "publish",
      ["video_reels_start", "video_reels_finish", "video_upload"],
      `pages_show_list ${FB_POST}`,
      "https://developers.facebook.com/documentation/video-api/guides/reels-publishing.md",
    ),
    row(
      "publish",
      ["video_stories_start", "video_stories_finish", "photo_stories", "stories"],
      `pages_show_list ${FB_POST}`,
      "https://developers.facebook.com/docs/page-stories-api",
    ),
    row("publish", ["video", "permalink"], "pages_read_engagement", `${GRAPH}/post/`),
    row("takedown", ["delete", "edit"], FB_POST, "https://developers.facebook.com/documentation/pages-api/posts.md"),
    row("reconcile", ["published_posts"], "pages_read_engagement", `${GRAPH}/page/published_posts/`),
    row("comments", ["comments.create"], "pages_manage_engagement pages_read_engagement", FB_COMMENTS),
    // The page names pages_read_user_engagement, which is no permission; what people wrote is read with this one.
    row("reconcile", ["comments.list"], "pages_read_engagement pages_read_user_content", FB_COMMENTS),
    row("analytics", ["posts_fields"], "pages_read_engagement", `${GRAPH}/page/published_posts/`),
    row("analytics", ["posts_insights"], "pages_read_engagement read_insights", `${GRAPH}/insights`),
  ],
  youtube: [
    row("connect", ["channels.mine", "channels.list"], YT_READ, `${YT}/channels/list`),
    row("publish", ["videos.insert", "upload", "upload.probe"], YT_UPLOAD, `${YT}/videos/insert`),
    row("publish", ["videos.list"], YT_READ, `${YT}/videos/list`),
    row("publish", ["thumbnails.set"], YT_UPLOAD, `${YT}/thumbnails/set`),
    row("takedown", ["videos.delete"], YT_EDIT, `${YT}/videos/delete`),
    row("takedown", ["videos.update"], YT_EDIT, `${YT}/videos/update`),
    row("comments", ["commentThreads.insert"], yt("youtube.force-ssl"), `${YT}/commentThreads/insert`),
    row("reconcile", ["commentThreads.list"], yt("youtube.force-ssl"), YT_DISCOVERY),
    row("analytics", ["playlistItems.list"], YT_READ, `${YT}/playlistItems/list`),
    row("options", ["playlists.list"], YT_READ, `${YT}/playlists/list`),
    row("options", ["videoCategories.list"], YT_READ, `${YT}/videoCategories/list`),
    row("options", ["playlistItems.insert"], YT_EDIT, `${YT}/playlistItems/insert`),
  ],
  twitter: [
    row("connect", ["users/me"], "tweet.read users.read", X_MAP),
    row(
      "connect",
      ["oauth2/token"],
      "offline.access",
      "https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code",
    ),
    row("takedown", ["tweets/delete", "tweets/get"], "tweet.read tweet.write users.read", X_MAP),
    row("publish", ["tweets"], "tweet.read tweet.write users.read", X_MAP),
    row("publish", ["upload/initialize", "upload/append", "upload/finalize", "upload/status"], "media.write", X_API),
    row("publish", ["media/metadata"], "media.write", X_API),
    row("reconcile", ["users/tweets"], "tweet.read users.read", X_MAP),
    row("analytics", ["users/tweets.metrics"], "tweet.read users.read", X_MAP),
  ],
  pinterest: [
    row("connect", ["user_account"], "user_accounts:read", PINTEREST),
    row("publish", ["boards/get"], "boards:read", PINTEREST),
    row("options", ["boards/list", "boards/sections"], "boards:read", PINTEREST),
    row("publish", ["media/create"], "pins:read pins:write", PINTEREST),
    row("publish", ["media/get"], "pins:read", PINTEREST),
    row("publish", ["pins/create"], "boards:read boards:write pins:read pins:write", PINTEREST),
    row("takedown", ["pins/delete", "pins/update"], "boards:read boards:write pins:read pins:write", PINTEREST),
    row("reconcile", ["boards/pins"], "boards:read pins:read", PINTEREST),
    row("analytics", ["pins/list"], "boards:read pins:read", PINTEREST),
  ],
  linkedin: [
    row(
      "connect",
      ["userinfo member"],
      "openid profile",
      `${LINKEDIN}/consumer/integrations/self-serve/sign-in-with-linkedin-v2`,
    ),
    row("publish", ["posts.create member"], "w_member_social", `${SHARES}/posts-api`),
    row("takedown", ["posts.delete member", "posts.update member"], "w_member_social", `${SHARES}/posts-api`),
    row("publish", ["initializeUpload member", "finalizeUpload member"], "w_member_social", `${SHARES}/images-api`),
    row("publish", ["assets.get member video"], "w_member_social", `${SHARES}/videos-api`),
    // No page says it; integrators found that a write-only token is refused.
    row(
      "reconcile",
      ["assets.get member"],
      "r_member_social",
      "https://github.com/gitroomhq/postiz-app/commit/e18d4a593",
    ),
    row("reconcile", ["posts.find member", "posts.get member"], "r_member_social", `${SHARES}/posts-api`),
    row("reconcile", ["posts.list member"], "r_member_social", `${SHARES}/posts-api`),
    row("comments", ["comments.create member"], "w_member_social_feed", `${SHARES}/comments-api`),
    row("reconcile", ["comments.list member"], "r_member_social_feed", `${SHARES}/comments-api`),
    row("analytics", ["postAnalytics member"], "r_member_postAnalytics", MEMBER_STATISTICS),
    row("analytics", ["posts.list page"], "r_organization_social", `${SHARES}/posts-api`),
    row("analytics", ["shareStatistics page"], "rw_organization_admin", SHARE_STATISTICS),
    row("connect", ["me page"], "r_basicprofile | r_liteprofile", `${LINKEDIN}/shared/integrations/people/profile-api`),
    row("connect", ["organizationAcls page"], "rw_organization_admin | r_organization_admin", ROLES),
    row("connect", ["organizations.get page"], "rw_organization_admin | r_organization_admin", LOOKUP),
    row("publish", ["posts.create page"], "w_organization_social", `${SHARES}/posts-api`),
    row("takedown", ["posts.delete page", "posts.update page"], "w_organization_social", `${SHARES}/posts-api`),
    row("comments", ["comments.create page"], "w_organization_social_feed", `${SHARES}/comments-api`),
    row("reconcile", ["comments.list page"], "r_organization_social_feed", `${SHARES}/comments-api`),
    row("publish", ["initializeUpload page", "finalizeUpload page"], "w_organization_social", `${SHARES}/images-api`),
    row("publish", ["assets.get page", "assets.get page video"], "r_organization_social", `${SHARES}/images-api`),
    row("reconcile", ["posts.find page", "posts.get page"], "r_organization_social", `${SHARES}/posts-api`),
  ],
  bluesky: [
    row("connect", ["getSession"], "atproto", BLUESKY_SCOPES),
    row(
      "publish",
      ["uploadBlob", "getServiceAuth", "createRecord", "applyWrites", "deleteRecord"],
      "atproto transition:generic",
      BLUESKY_SCOPES,
    ),
    row("analytics", ["getAuthorFeed"], "atproto transition:generic", BLUESKY_SCOPES),
  ],
};

/** Calls without a token of the account, or whose token needs no permission. */
export const FREE_CALLS: Readonly<Record<Platform, readonly string[]>> = {
  tiktok: ["upload", "oauth/token", "oauth/code", "oauth/revoke"],
  instagram: ["oauth/code", "oauth/long_lived"],
  threads: ["oauth/code", "oauth/long_lived"],
  facebook: ["oauth/access_token", "oauth/code", "oauth/long_lived", "me", "me/permissions"],
  youtube: ["token", "oauth/code", "oauth/revoke"],
  twitter: ["oauth/code", "oauth/revoke"],
  pinterest: ["media/upload", "oauth/token", "oauth/code"],
  linkedin: ["upload", "oauth/accessToken", "oauth/code", "oauth/revoke"],
  bluesky: [
    ...["describeServer", "createSession", "refreshSession", "resolveHandle", "getRecord"],
    ...["uploadVideo", "startUpload", "uploadPart", "finishUpload", "getJobStatus"],
  ],
};

/** The permissions of a token unless a test says otherwise: the least, and those for taking posts down and comments. */
export function listDefaultScopes(platform: Platform, as: "member" | "page" = "member"): string[] {
  return [...new Set([...listLeastScopes(platform, as), ...listScopes(platform, as, ["takedown", "comments"])])];
}

/** The permissions that no consent asks for by default: everything beyond the least. */
export function listOptionalScopes(platform: Platform, as: "member" | "page" = "member"): string[] {
  const least = listLeastScopes(platform, as);
  const more = listScopes(platform, as, ["reconcile", "analytics", "options", "takedown", "comments"]);
  return more.filter((scope) => !least.includes(scope));
}

/** The least that connecting and publishing need, by the table. `as`: LinkedIn has an app for members and one for pages. */
export function listLeastScopes(platform: Platform, as: "member" | "page" = "member"): string[] {
  return listScopes(platform, as, ["connect", "publish"]);
}

function listScopes(platform: Platform, as: "member" | "page", uses: readonly Use[]): string[] {
  const rows = PERMISSIONS[platform].filter(({ use, calls }) => uses.includes(use) && isOfApp(platform, as, calls));
  return [...new Set(rows.flatMap(({ anyOf }) => anyOf[0] ?? []))];
}

/** LinkedIn's calls end with the app that makes them. */
function isOfApp(platform: Platform, as: "member" | "page", calls: readonly string[]): boolean {
  const other = as === "member" ? " page" : " member";
  return platform !== "linkedin" || !calls.some((call) => call.includes(other));
}
