// Names of the checks of uploaded media, and the error of a failed check. The names are for logs and tests, not for callers.

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

/** `message` is one sentence for the customer. */
export interface VerificationFailure {
  check: Check;
  message: string;
}

export type VerificationError = Error & { verificationFailure: VerificationFailure };

export function verificationError(check: Check, message: string): VerificationError {
  // The prefix is for logs; callers see the message of the failure.
  return Object.assign(new Error(`${check}: ${message}`), { verificationFailure: { check, message } });
}

export function encryptedVideoError(): VerificationError {
  return verificationError(
    "unsupported_codec",
    "The video is encrypted (DRM), so it cannot be played. Upload a copy without encryption.",
  );
}

/** Null for any other error. */
export function getVerificationFailure(error: unknown): VerificationFailure | null {
  return error instanceof Error && "verificationFailure" in error
    ? (error as VerificationError).verificationFailure
    : null;
}
