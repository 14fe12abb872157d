// What Threads' error codes and the words of its failed containers mean.
import type { Io } from "../http.ts";
import { type Dialect, explainMeta, subcodeIn } from "../meta.ts";
import type { Failure, FailureClass } from "../platform.ts";

const AGAIN = "We try again by ourselves.";
const FORMAT = "Threads can not use this video. Use MP4 or MOV with H.264 or HEVC and AAC, up to 5 minutes and 1 GB.";
const IMAGE = "Threads can not use this image. Use JPEG or PNG.";
const SHAPE = "The image's shape is not accepted. Make its longer side at most ten times the shorter one.";
const TOO_LONG = "The post is too long. Shorten it to 500 characters; an emoji counts as several.";
const SLOW = "Threads needs more time for the media.";
const UNFETCHED = "Threads could not fetch the media. Its URL must be readable without signing in.";

export const DIALECT: Dialect = {
  codes: { 36001: ["content", IMAGE], 36003: ["content", SHAPE], 36004: ["content", TOO_LONG] },
  subcodes: {
    2207005: ["content", IMAGE],
    2207009: ["content", SHAPE],
    2207010: ["content", TOO_LONG],
    2207026: ["content", FORMAT],
    2207028: ["content", "The images do not work as a carousel. Give 2 to 20 of them."],
    2207050: ["account", "The account is restricted. Open the Threads app, resolve it, then retry."],
    2207051: ["account", "Threads blocks this account for unusual activity. Look into its app, then retry."],
    4279009: ["transient", `${SLOW} ${AGAIN}`],
    4279013: ["account", "The account is restricted from posting. Open the Threads app, resolve it, then retry."],
  },
  // "Media not found" comes too early and, for a container that is already published, too late.
  vague: new Set([4279009]),
};

const BY_WORD: Readonly<Record<string, readonly [FailureClass, string]>> = {
  FAILED_DOWNLOADING_VIDEO: ["content", UNFETCHED],
  FAILED_PROCESSING_AUDIO: ["content", FORMAT],
  FAILED_PROCESSING_VIDEO: ["content", FORMAT],
  // Spelled like this in the network's own list.
  INVALID_ASPEC_RATIO: ["content", "The video's shape is not accepted. Use a ratio between 1:100 and 10:1."],
  INVALID_ASPECT_RATIO: ["content", "The video's shape is not accepted. Use a ratio between 1:100 and 10:1."],
  INVALID_BIT_RATE: ["content", "The video's bit rate is too high. Encode it with at most 100 Mbit/s."],
  INVALID_DURATION: ["content", "The video's length is not accepted. Cut it to at most 5 minutes."],
  INVALID_FRAME_RATE: ["content", "The video's frame rate is not accepted. Use 23 to 60 frames per second."],
  INVALID_AUDIO_CHANNELS: ["content", "The video's sound is not accepted. Use one or two channels."],
  INVALID_AUDIO_CHANNEL_LAYOUT: ["content", "The video's sound is not accepted. Use mono or stereo."],
};

/** Why a container failed, by the network's word or by a subcode inside its sentence. */
export function failedContainer(io: Io, sentence: string | null): Failure {
  const word = /[A-Z]+(?:_[A-Z]+)+/.exec(sentence ?? "")?.[0];
  const known = word === undefined ? undefined : BY_WORD[word];
  if (word !== undefined && known) return { class: known[0], code: `th_${word.toLowerCase()}`, message: known[1] };
  const subcode = subcodeIn(sentence) ?? 2207053;
  return explainMeta(io, "th", { code: null, subcode }, null, DIALECT);
}
