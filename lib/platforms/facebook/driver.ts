// Facebook Pages driver (Graph API): posts with a link or photos, videos, reels and stories. Videos are published as page
// videos unless the caller asks for a reel: Facebook shows new ones as reels, and takes them in any ratio and length.

import { withComments } from "../comments.ts";
import { sendRequest, unanswered } from "../http.ts";
import { getImages } from "../media.ts";
import { assertSuccess, REFRESH_AHEAD_MS } from "../meta.ts";
import { readTokens } from "../oauth.ts";
import { contentFailure, defineDriver, type Job, type MediaFile } from "../platform.ts";
import { comments } from "./comments.ts";
import { findViolations, findWarnings, getLimits, getPostType } from "./content.ts";
import { DIALECT } from "./errors.ts";
import { type FeedHandle, publishFeed, reconcileFeed, startFeed } from "./feed.ts";
import { NETWORK, requestGraph } from "./graph.ts";
import { edit, unpublish } from "./published.ts";
import { pollReel, publishReel, type ReelHandle, reconcileReel, startReel } from "./reel.ts";
import { capabilities, FACEBOOK } from "./rules.ts";
import { type PhotoStoryHandle, pollStory, publishPhotoStory, reconcileStory, startPhotoStory } from "./story.ts";
import { pollVideo, publishVideo, reconcileVideo, startVideo, type VideoHandle } from "./video.ts";

type FacebookHandle = FeedHandle | VideoHandle | ReelHandle | PhotoStoryHandle;

const publishing = defineDriver<FacebookHandle>({
  platform: "facebook",
  capabilities,
  connectBy: "consent",
  refreshAheadMs: REFRESH_AHEAD_MS,
  validate: findViolations,
  warn: findWarnings,
  limits: getLimits,
  unpublish,
  edit,

  // Succeeds if the page's token works. Free, and the id needs no permission.
  async check(job) {
    await requestGraph(job, "GET", job.connection.externalId, { query: { fields: "id" } });
  },

  async start(job) {
    const { media } = job.content;
    const type = getPostType(job.content);
    if (type === "reel") return requireVideo(job) && startReel(job, "video_reels");
    if (media?.type === "video")
      return type === "story" ? startReel(job, "video_stories") : startVideo(job, media.video);
    const images = media ? getImages(media) : null;
    return type === "story" ? startPhotoStory(job, requireImage(images)) : startFeed(job, images);
  },

  async poll(job, handle) {
    if (handle.kind === "video") return pollVideo(job, handle);
    if (handle.kind === "photo_story") return pollStory(job, handle);
    // Feed posts need no processing, and publish returns their permalink.
    return handle.kind === "feed" ? { state: "ready" } : pollReel(job, handle, requireVideo(job));
  },

  async publish(job, handle) {
    if (handle.kind === "video") return publishVideo(job, handle, requireVideo(job));
    if (handle.kind === "photo_story") return publishPhotoStory(job, handle);
    return handle.kind === "feed" ? publishFeed(job, handle) : publishReel(job, handle);
  },

  async reconcile(job, handle) {
    if (handle.kind === "video") return reconcileVideo(job, handle);
    if (handle.kind === "photo_story") return reconcileStory(job, handle);
    return handle.kind === "feed" ? reconcileFeed(job, handle) : reconcileReel(job, handle);
  },

  async refresh(network, tokens, io) {
    // This endpoint takes token and secret in the query; no component logs URLs.
    const response = await sendRequest(io, {
      network: NETWORK,
      method: "GET",
      url: `${network.baseUrl}/${FACEBOOK.version}/oauth/access_token`,
      query: {
        grant_type: "fb_exchange_token",
        client_id: network.clientId,
        client_secret: network.clientSecret,
        fb_exchange_token: tokens.accessToken,
      },
    });
    assertSuccess(io, response, { prefix: "fb", irreversible: false, dialect: DIALECT });
    // Page tokens may not expire; Facebook then sends no expiry.
    const read = readTokens(io, response.body);
    if (!read) throw unanswered(NETWORK, "refresh_without_token");
    return read;
  },
});

export const facebook = withComments(publishing, comments);

function requireVideo({ content }: Job): MediaFile {
  if (content.media?.type === "video") return content.media.video;
  throw contentFailure("media_missing", "The video of this post is missing. Create the post again with a video.");
}

function requireImage(images: readonly MediaFile[] | null): MediaFile {
  const [image] = images ?? [];
  if (image && images?.length === 1) return image;
  throw contentFailure("media_missing", "A story needs one image or one video. Create the post again with one.");
}
