// Facebook Pages driver (Graph API): posts with a link or photos, and videos. Videos are published as page videos:
// Facebook shows new ones as reels, and unlike the reels endpoint this one accepts any aspect ratio and duration.

import { pickNumber, pickString, sendRequest, unanswered } from "../http.ts";
import { getImages } from "../media.ts";
import { assertSuccess, REFRESH_AHEAD_MS } from "../meta.ts";
import { contentFailure, type Driver, type Handle, type Job, type MediaFile } from "../platform.ts";
import { findViolations, findWarnings } from "./content.ts";
import { DIALECT } from "./errors.ts";
import { type FeedHandle, publishFeed, reconcileFeed, startFeed } from "./feed.ts";
import { NETWORK, requestGraph } from "./graph.ts";
import { edit, unpublish } from "./published.ts";
import { capabilities, FACEBOOK } from "./rules.ts";
import { pollVideo, publishVideo, reconcileVideo, startVideo, type VideoHandle } from "./video.ts";

export const facebook: Driver = {
  platform: "facebook",
  capabilities,
  connectBy: "consent",
  refreshAheadMs: REFRESH_AHEAD_MS,
  validate: findViolations,
  warn: findWarnings,
  unpublish,
  edit,

  // Succeeds if the page's token works. Free, and the id needs no permission.
  async check(job) {
    await requestGraph(job, "GET", job.connection.externalId, { query: { fields: "id" } });
  },

  async start(job) {
    const { media } = job.content;
    if (media?.type === "video") return startVideo(job, media.video);
    return startFeed(job, media ? getImages(media) : null);
  },

  async poll(job, handle) {
    // Feed posts need no processing, and publish returns their permalink.
    return isVideoHandle(handle) ? pollVideo(job, handle) : { state: "ready" };
  },

  async publish(job, handle) {
    return isVideoHandle(handle)
      ? publishVideo(job, handle, requireVideo(job))
      : publishFeed(job, handle as FeedHandle);
  },

  async reconcile(job, handle) {
    return isVideoHandle(handle) ? reconcileVideo(job, handle) : reconcileFeed(job, handle as FeedHandle);
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
    const accessToken = pickString(response.body, "access_token");
    if (!accessToken) throw unanswered(NETWORK, "refresh_without_token");
    // Page tokens may not expire; Facebook then sends no expiry.
    const seconds = pickNumber(response.body, "expires_in");
    const expiresAt = seconds === null ? null : new Date(io.now().getTime() + seconds * 1000);
    return { accessToken, refreshToken: null, expiresAt };
  },
};

function isVideoHandle(handle: Handle): handle is VideoHandle {
  return handle.kind === "video";
}

function requireVideo({ content }: Job): MediaFile {
  if (content.media?.type === "video") return content.media.video;
  throw contentFailure("media_missing", "The video of this post is missing. Create the post again.");
}
