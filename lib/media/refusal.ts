// The checks that can refuse a file, and the error that carries one out of a deep parser.

export const CHECKS = [
  "empty",
  "too_large",
  "unsupported_type",
  "container_unknown",
  "type_mismatch",
  "truncated",
  "malformed",
  "too_complex",
  "no_video_track",
  "unsupported_codec",
  "decoder_config",
  "size_mismatch",
  "video_data",
  "audio_data",
  "duration_mismatch",
  "image_data",
  "too_many_pixels",
  "polyglot",
] as const;
export type Check = (typeof CHECKS)[number];

/** `message` is one sentence that the customer reads. */
export interface Refusal {
  check: Check;
  message: string;
}

type RefusalError = Error & { refusal: Refusal };

export function refuse(check: Check, message: string): RefusalError {
  return Object.assign(new Error(`${check}: ${message}`), { refusal: { check, message } });
}

export function refusalOf(error: unknown): Refusal | null {
  return error instanceof Error && "refusal" in error ? (error as RefusalError).refusal : null;
}
