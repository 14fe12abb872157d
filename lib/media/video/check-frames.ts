// Checks every video and audio frame while the file is streamed.

import { LIMITS } from "../limits.ts";
import { verificationError } from "../verification-error.ts";
import type { FrameChecker } from "./frame-checkers.ts";
import type { TrackInfo } from "./stream-info.ts";

export interface FrameMonitor {
  visit(track: number, frame: Uint8Array): void;
  /** Returns the number of video frames. Throws when none of them is a key frame. */
  finish(): number;
}

export function createFrameMonitor(
  video: TrackInfo,
  audio: TrackInfo | null,
  checker: FrameChecker,
  fileSize: number,
): FrameMonitor {
  const blankIsDamage = audio?.codec === "aac";
  let budget = fileSize * LIMITS.framesPerFile;
  let started = false;
  let count = 0;

  function checkVideoFrame(frame: Uint8Array): void {
    count += 1;
    if (started) return void checker.checkFrame(frame);
    const sizes = checker.readSizes(frame);
    started = checker.checkFrame(frame);
    if (started && sizes && !sizes.some(({ width, height }) => width === video.width && height === video.height)) {
      throw sizeMismatchError();
    }
  }

  return {
    visit(track, frame) {
      budget -= frame.length;
      if (budget < 0)
        throw verificationError("too_complex", "The index of the video references the same bytes too many times.");
      if (track === video.id) checkVideoFrame(frame);
      else if (track === audio?.id && blankIsDamage) checkAudioFrame(frame);
    },
    finish() {
      if (!started) throw verificationError("video_data", "The video contains no key frame, so it cannot be played.");
      return count;
    },
  };
}

export function sizeMismatchError(): Error {
  return verificationError("size_mismatch", "The video is damaged: its declared size does not match its frames.");
}

/** No AAC frame is all zeros: even silence ends with a marker. */
function checkAudioFrame(frame: Uint8Array): void {
  if (frame.length > 8 && frame.every((byte) => byte === 0)) {
    throw verificationError("audio_data", "The video is damaged: a part of its audio is blank.");
  }
}
