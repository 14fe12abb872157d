// Protocol between the API and the media Worker for audio clips: JSON in, an audio file with headers out.
import type { ObjectLocation } from "../media/url-source.ts";

export interface ClipRequest extends ObjectLocation {
  startMs: number;
  endMs: number;
}

/** Besides 200 with a clip, and 204 when the range has no audio. */
export const UNSUPPORTED_AUDIO_STATUS = 415;
export const UNREADABLE_STATUS = 422;
export const STORAGE_ERROR_STATUS = 502;

export const OFFSET_HEADER = "X-Offset-Seconds";
export const END_HEADER = "X-End-Ms";
export const GAP_HEADER = "X-Gap";
export const FILENAME_HEADER = "X-Filename";
