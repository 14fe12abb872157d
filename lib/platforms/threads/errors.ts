// Maps Threads' error codes and container errors to failure classes and messages.
import type { HttpContext } from "../http.ts";
import { type Dialect, findSubcode, toMetaFailure } from "../meta.ts";
import type { Failure, FailureClass } from "../platform.ts";

const FORMAT = "Threads cannot use this video. Use MP4 or MOV with H.264 or HEVC and AAC, up to 5 minutes and 1 GB.";
const IMAGE = "Threads cannot use this image. Use JPEG or PNG.";
const SHAPE =
  "The aspect ratio of the image is not supported. The longer side must be at most ten times the shorter one.";
const TOO_LONG = "The post is too long. Shorten it to 500 characters; an emoji counts as its number of UTF-8 bytes.";
const SLOW = "Threads is still processing the media.";
const UNFETCHED = "Threads could not fetch the media. Try again; its URL must be readable without signing in.";

export const DIALECT: Dialect = {
  codes: { 36001: ["content", IMAGE], 36003: ["content", SHAPE], 36004: ["content", TOO_LONG] },
  subcodes: {
    2207005: ["content", IMAGE],
    2207009: ["content", SHAPE],
    2207010: ["content", TOO_LONG],
    2207026: ["content", FORMAT],
    2207028: ["content", "The images cannot be published as a carousel. Use 2 to 20 images."],
    2207050: ["account", "The account is restricted. Open the Threads app, resolve it, then retry."],
    2207051: ["account", "Threads blocks this account for unusual activity. Check the Threads app, then retry."],
    4279004: ["transient", SLOW],
    4279009: ["transient", SLOW],
    4279013: ["account", "The account is restricted from posting. Open the Threads app, resolve it, then retry."],
  },
  // "Media not found" is returned for a container that is not ready and for one that is already published.
  ambiguous: new Set([4279009]),
};

const BY_WORD: Readonly<Record<string, readonly [FailureClass, string]>> = {
  FAILED_DOWNLOADING_VIDEO: ["content", UNFETCHED],
  FAILED_PROCESSING_AUDIO: ["content", FORMAT],
  FAILED_PROCESSING_VIDEO: ["content", FORMAT],
  // Spelled like this in the network's documentation.
  INVALID_ASPEC_RATIO: [
    "content",
    "The aspect ratio of the video is not supported. Use a ratio between 1:100 and 10:1.",
  ],
  INVALID_ASPECT_RATIO: [
    "content",
    "The aspect ratio of the video is not supported. Use a ratio between 1:100 and 10:1.",
  ],
  INVALID_BIT_RATE: ["content", "The video's bit rate is too high. Encode it with at most 100 Mbit/s."],
  INVALID_DURATION: ["content", "The duration of the video is not supported. Use a video of at most 5 minutes."],
  INVALID_FRAME_RATE: ["content", "The frame rate of the video is not supported. Use 23 to 60 frames per second."],
  INVALID_AUDIO_CHANNELS: ["content", "The audio of the video is not supported. Use one or two channels."],
  INVALID_AUDIO_CHANNEL_LAYOUT: ["content", "The audio of the video is not supported. Use mono or stereo."],
};

/** Maps the error message of a container, by the code or subcode that it contains. */
export function toContainerFailure(io: HttpContext, sentence: string | null): Failure {
  const word = /[A-Z]+(?:_[A-Z]+)+/.exec(sentence ?? "")?.[0];
  const known = word === undefined ? undefined : BY_WORD[word];
  if (word !== undefined && known) return { class: known[0], code: `th_${word.toLowerCase()}`, message: known[1] };
  const subcode = findSubcode(sentence) ?? 2207053;
  return toMetaFailure(io, "th", { code: null, subcode }, null, DIALECT);
}
