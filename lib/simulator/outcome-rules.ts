// The calls of each network with which it answers a forced outcome, and the network's own code of a rejection.
import type { NetworkName } from "./outcomes.ts";

interface OutcomeRules {
  /** The calls that begin or make a post: one that comes too often is told so there. */
  posting: readonly string[];
  /** The calls with which the network rejects a post, and its code. */
  rejected: { calls: readonly string[]; code: string };
  /** The calls that tell how far the network is with a file. */
  processing: readonly string[];
}

/** The codes are those that the drivers know (lib/platforms), where their sources are dated; the pages named here were not read for them again. */
export const OUTCOME_RULES: Readonly<Record<NetworkName, OutcomeRules>> = {
  // https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status (fail_reason).
  tiktok: {
    posting: ["video/init", "content/init"],
    rejected: { calls: ["status/fetch"], code: "spam_risk_text" },
    processing: ["status/fetch"],
  },
  // https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes.
  instagram: {
    posting: ["media"],
    rejected: { calls: ["media_publish"], code: "2207051" },
    processing: ["container"],
  },
  // https://developers.facebook.com/docs/threads/troubleshooting.
  threads: {
    posting: ["threads"],
    rejected: { calls: ["threads_publish"], code: "2207051" },
    processing: ["container"],
  },
  facebook: {
    posting: ["feed", "photos", "videos_start", "video_reels_start", "video_stories_start"],
    rejected: {
      calls: ["feed", "videos_finish", "video_reels_finish", "video_stories_finish", "photo_stories"],
      code: "1404102",
    },
    processing: ["video"],
  },
  // https://developers.google.com/youtube/v3/docs/videos#status.rejectionReason.
  youtube: {
    posting: ["videos.insert"],
    rejected: { calls: ["videos.list"], code: "inappropriate" },
    processing: ["videos.list"],
  },
  twitter: {
    posting: ["tweets"],
    rejected: { calls: ["tweets"], code: "duplicate-content" },
    processing: ["upload/status"],
  },
  pinterest: {
    posting: ["pins/create"],
    rejected: { calls: ["pins/create"], code: "2786" },
    processing: ["media/get"],
  },
  linkedin: {
    posting: ["posts.create"],
    rejected: { calls: ["posts.create"], code: "INVALID_VALUE_FOR_FIELD" },
    processing: ["assets.get"],
  },
  bluesky: {
    posting: ["createRecord", "applyWrites"],
    rejected: { calls: ["createRecord", "applyWrites"], code: "InvalidRecord" },
    processing: ["getJobStatus"],
  },
  hosted: {
    posting: ["hand_over"],
    rejected: { calls: ["hand_over"], code: "refused" },
    processing: ["status"],
  },
};
