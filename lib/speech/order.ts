// What the API and the media Worker say to each other about sound: JSON one way, a file with headers the other.
import type { Located } from "../media/url-source.ts";

export interface SoundOrder extends Located {
  startMs: number;
  endMs: number;
}

/** 200 with a part, 204 when nothing was recorded there, and these. */
export const UNKNOWN_SOUND = 415;
export const UNREADABLE = 422;
export const STORAGE_AWAY = 502;

export const OFFSET = "X-Offset-Seconds";
export const END = "X-End-Ms";
export const GAP = "X-Gap";
export const FILENAME = "X-Filename";
