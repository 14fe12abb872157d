// Looks at every frame of the video and of its sound as they pass.
import type { FrameChecker } from "./codecs.ts";
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";
import type { Stream } from "./streams.ts";

export interface FrameWatch {
  visit(track: number, frame: Uint8Array): void;
  /** How many frames there were; refuses a video without one to begin with. */
  finish(): number;
}

export function watchFrames(video: Stream, sound: Stream | null, checker: FrameChecker, fileSize: number): FrameWatch {
  const blankIsDamage = sound?.codec === "aac";
  let budget = fileSize * LIMITS.framesPerFile;
  let begun = false;
  let count = 0;

  function picture(frame: Uint8Array): void {
    count += 1;
    if (begun) return void checker.check(frame);
    const sizes = checker.begin(frame);
    begun = checker.check(frame);
    if (begun && sizes && !sizes.some(({ width, height }) => width === video.width && height === video.height)) {
      throw badSize();
    }
  }

  return {
    visit(track, frame) {
      budget -= frame.length;
      if (budget < 0) throw refuse("too_complex", "The index of the video names the same bytes again and again.");
      if (track === video.id) picture(frame);
      else if (track === sound?.id && blankIsDamage) checkSound(frame);
    },
    finish() {
      if (!begun) throw refuse("video_data", "The video contains no frame that a player can begin with.");
      return count;
    },
  };
}

export function badSize(): Error {
  return refuse("size_mismatch", "The video is damaged: its picture size is not the one its frames have.");
}

/** No AAC frame is all zeros: even silence has an end mark. */
function checkSound(frame: Uint8Array): void {
  if (frame.length > 8 && frame.every((byte) => byte === 0)) {
    throw refuse("audio_data", "The video is damaged: a part of its sound is blank.");
  }
}
