// What Facebook's error codes and the faults of its video processing mean.
import type { Dialect, Meaning } from "../meta.ts";

const AGAIN = "We try again by ourselves.";
const CALLS: Meaning = ["rate_limited", `Facebook takes no more calls for this page now. ${AGAIN}`];
const GRANT: Meaning = ["account", "The page has not granted posting. Reconnect it and allow all permissions."];
const RECONNECT: Meaning = ["auth", "The page's sign-in is no longer accepted. Reconnect the page."];
const FORMAT: Meaning = ["content", "Facebook can not use this video. Use MP4 or MOV with H.264 and AAC."];
const IMAGE: Meaning = ["content", "Facebook can not use this image. Use JPEG, PNG, GIF or WebP of at most 4 MB."];
const POLICY: Meaning = ["content", "Facebook refuses the post under its rules. Change its words or media."];
const LINK: Meaning = ["content", "Facebook does not accept a link of this post. Correct or remove it."];
const UPLOAD: Meaning = ["transient", `The upload to Facebook broke off. ${AGAIN}`];
const DOWN: Meaning = ["transient", `Facebook is out of service for a moment. ${AGAIN}`];

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
    368: ["account", "Facebook blocks this page for a while. Look into its support inbox, then retry."],
    389: ["content", "The video could not be fetched. Its URL must be readable without signing in."],
    490: RECONNECT,
    506: ["content", "Facebook refuses the same post twice in a row. Change its words."],
    1500: LINK,
    6000: FORMAT,
    80001: CALLS,
  },
  subcodes: {
    458: RECONNECT,
    459: ["account", "Facebook wants the page's owner to sign in and confirm something. Do so, then retry."],
    460: RECONNECT,
    463: RECONNECT,
    464: ["account", "Facebook wants the page's owner to confirm the account. Do so, then retry."],
    467: RECONNECT,
    492: RECONNECT,
    1346003: POLICY,
    1349125: ["content", "Facebook does not accept the post in this form. Change its words or media."],
    1363019: UPLOAD,
    1363021: UPLOAD,
    1363022: ["content", "The video is too small. Give one of at least 1 KB."],
    1363023: ["content", "The video is too large. Give one of at most 1 GB."],
    1363024: FORMAT,
    1363025: ["content", "The video is too short. Give one of at least a second."],
    1363026: ["content", "The video is too long. Cut it to at most 40 minutes."],
    1363030: UPLOAD,
    1363033: UPLOAD,
    1363037: UPLOAD,
    1363041: UPLOAD,
    1363045: UPLOAD,
    1363047: DOWN,
    1366046: IMAGE,
    1366051: ["content", "Two of the images are the same. Give each image once."],
    1390008: ["account", "Facebook blocks this page for posting too fast. Wait a day, then retry."],
    1404006: ["account", "Facebook wants a security check. Sign in to Facebook, pass it, then retry."],
    1404078: ["account", "The page must be authorized to publish. Follow the notice on the page, then retry."],
    1404102: POLICY,
    1609008: LINK,
    1609010: DOWN,
    2061006: LINK,
    4854002: ["account", "Facebook wants the owner's identity confirmed. Do so in the app, then retry."],
  },
  // "Temporarily unavailable" does not say whether the post was made, nor does a session that a first closing call ended.
  vague: new Set([1363047, 1609010, 1363041]),
};
