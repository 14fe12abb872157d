// What callers say about media before their bytes are read. It decides nothing about verified bytes.
import * as z from "zod";

const seconds = z.number().positive().optional();
const count = z.int().positive().optional();
const mime = z.string().max(100).optional();

/** Optional fields, with their aliases. */
export const mediaHints = {
  ...{ duration_seconds: seconds, width: count, height: count, mime_type: mime },
  ...{ duration_sec: seconds, duration: seconds, mime },
};

export const sizeHints = { bytes: count, size: count };

/** All hints as one field. */
export const MediaHints = z.strictObject({ ...mediaHints, ...sizeHints }).optional();
