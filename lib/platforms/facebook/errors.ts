// Maps Facebook's error codes and video processing errors to failure classes and messages.
import type { Dialect } from "../meta.ts";
import type { ErrorMeaning } from "../platform.ts";

const CALLS: ErrorMeaning = ["rate_limited", "Facebook is rate limiting this page."];
const GRANT: ErrorMeaning = [
  "account",
  "The page has not granted permission to publish. Reconnect it and allow all permissions.",
];
const RECONNECT: ErrorMeaning = ["auth", "The page's token is no longer accepted. Reconnect the page."];
const FORMAT: ErrorMeaning = ["content", "Facebook cannot use this video. Use MP4 or MOV with H.264 and AAC."];
const IMAGE: ErrorMeaning = ["content", "Facebook cannot use this image. Use JPEG, PNG, GIF or WebP of at most 4 MB."];
const POLICY: ErrorMeaning = ["content", "Facebook rejected the post under its policies. Change the text or media."];
const LINK: ErrorMeaning = ["content", "Facebook does not accept a link in this post. Correct or remove it."];
const UPLOAD: ErrorMeaning = ["transient", "The upload to Facebook was interrupted."];
const DOWN: ErrorMeaning = ["transient", "Facebook is temporarily unavailable."];

export const SUBCODES = {
  offset: 1363037,
  sessionGone: 1363041,
} as const;

export const DIALECT: Dialect = {
  codes: {
    200: GRANT,
    324: IMAGE,
    341: CALLS,
    352: FORMAT,
    368: ["account", "Facebook has temporarily blocked this page. Check its support inbox, then retry."],
    389: ["content", "The video could not be fetched. Its URL must be readable without signing in."],
    490: RECONNECT,
    506: ["content", "Facebook rejects the same post twice in a row. Change the text."],
    1500: LINK,
    6000: FORMAT,
    80001: CALLS,
  },
  subcodes: {
    458: RECONNECT,
    459: ["account", "Facebook requires the owner of the page to sign in and confirm the account. Do so, then retry."],
    460: RECONNECT,
    463: RECONNECT,
    464: ["account", "Facebook requires the owner of the page to confirm the account. Do so, then retry."],
    467: RECONNECT,
    492: RECONNECT,
    1346003: POLICY,
    1349125: ["content", "Facebook rejected the text or media of the post. Change them."],
    1363019: UPLOAD,
    1363021: UPLOAD,
    1363022: ["content", "The video is too small. Use a video of at least 1 KB."],
    1363023: ["content", "The video is too large. Use a video of at most 1 GB."],
    1363024: FORMAT,
    1363025: ["content", "The video is too short. Use a video of at least 1 second."],
    1363026: ["content", "The video is too long. Use a video of at most 40 minutes."],
    1363030: UPLOAD,
    1363033: UPLOAD,
    1363037: UPLOAD,
    // 1363040 and 1363127 to 1363129: https://developers.facebook.com/documentation/video-api/guides/reels-publishing.
    1363040: ["content", "Facebook does not take the shape of this video. Use 9:16 for a reel or story."],
    1363041: UPLOAD,
    1363045: UPLOAD,
    1363047: DOWN,
    1363127: ["content", "The video is too small for a reel or story. Use at least 540 x 960 pixels."],
    1363128: ["content", "The length of the video does not fit. Use 3 to 90 seconds for a reel, to 60 for a story."],
    1363129: ["content", "The frame rate of the video does not fit. Use 24 to 60 frames per second."],
    1366046: IMAGE,
    1366051: ["content", "Two of the images are the same. Use each image once."],
    1390008: ["account", "Facebook has blocked this page for posting too often. Wait a day, then retry."],
    1404006: ["account", "Facebook requires a security check. Sign in to Facebook, complete it, then retry."],
    1404078: ["account", "The page must be authorized to publish. Follow the notice on the page, then retry."],
    1404102: POLICY,
    1609008: LINK,
    1609010: DOWN,
    2061006: LINK,
    4854002: [
      "account",
      "Facebook requires the owner to confirm their identity. Do so in the Facebook app, then retry.",
    ],
  },
  // "Temporarily unavailable" leaves it open whether the post was created, as does a session that is already finished.
  ambiguous: new Set([1363047, 1609010, 1363041]),
};
