// Facebook pages: posts with a link or photos, and videos, by the Graph API. Every video is an ordinary page video:
// Facebook itself shows new ones as reels, and unlike the reels call this one takes any shape and length.
import { call, pickNumber, pickString, unanswered } from "../http.ts";
import { expectSuccess, RENEW_AHEAD_MS } from "../meta.ts";
import { type Driver, failure, type Handle, type Job, type MediaFile } from "../platform.ts";
import { violationsOf } from "./content.ts";
import { DIALECT } from "./errors.ts";
import { type FeedHandle, publishFeed, reconcileFeed, startFeed } from "./feed.ts";
import { NETWORK } from "./graph.ts";
import { capabilities, FACEBOOK } from "./rules.ts";
import { pollVideo, publishVideo, reconcileVideo, startVideo, type VideoHandle } from "./video.ts";

export const facebook: Driver = {
  platform: "facebook",
  capabilities,
  renewAheadMs: RENEW_AHEAD_MS,
  validate: violationsOf,

  async start(job) {
    const { media } = job.content;
    if (media?.type === "video") return startVideo(job, media.video);
    return startFeed(job, media ? media.images : null);
  },

  async poll(job, handle) {
    // Feed posts need no processing, and publish names their address at once.
    return isVideo(handle) ? pollVideo(job, handle) : { state: "ready" };
  },

  async publish(job, handle) {
    return isVideo(handle) ? publishVideo(job, handle, videoOf(job)) : publishFeed(job, handle as FeedHandle);
  },

  async reconcile(job, handle) {
    return isVideo(handle) ? reconcileVideo(job, handle) : reconcileFeed(job, handle as FeedHandle);
  },

  async refresh(network, tokens, io) {
    // Facebook wants tokens and secret in the query here; nothing on the way logs URLs.
    const reply = await call(io, {
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
    expectSuccess(io, reply, { prefix: "fb", irreversible: false, dialect: DIALECT });
    const accessToken = pickString(reply.body, "access_token");
    if (!accessToken) throw unanswered(NETWORK, "refresh_without_token");
    // Tokens of pages may have no end; then Facebook names none.
    const seconds = pickNumber(reply.body, "expires_in");
    const expiresAt = seconds === null ? null : new Date(io.now().getTime() + seconds * 1000);
    return { accessToken, refreshToken: null, expiresAt };
  },
};

function isVideo(handle: Handle): handle is VideoHandle {
  return handle.kind === "video";
}

function videoOf({ content }: Job): MediaFile {
  if (content.media?.type === "video") return content.media.video;
  throw failure({ class: "content", code: "media_missing", message: "The video of this post is gone. Post it anew." });
}
