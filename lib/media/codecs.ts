// One way to check a frame, whatever the codec of the track.
import { av1Packet } from "./av1.ts";
import { checkH264Frame, h264Configured, h264Sizes, parseAvcConfig } from "./h264.ts";
import { checkHevcFrame, hevcConfigured, parseHevcConfig } from "./hevc.ts";
import { damagedFrame, zerosAtMost } from "./nal.ts";
import { refuse } from "./refusal.ts";
import type { Stream } from "./streams.ts";
import { vp8Frame, vp9Frame } from "./vpx.ts";

export interface FrameChecker {
  /** Reads the first key frame; answers the sizes the codec states, or null where only frames would tell. */
  begin(frame: Uint8Array): { width: number; height: number }[] | null;
  /** Refuses a frame without the structure of its codec; answers whether a decoder can begin with it. */
  check(frame: Uint8Array): boolean;
}

const FEW_ZEROS = 2048;

/** The size is the one of the coded picture. */
export function frameChecker({ codec, width, height }: Stream, description: Uint8Array | null): FrameChecker {
  const zeros = zerosAtMost(width, height);
  // These adapt to what they write, so that what nothing is to be seen in costs nothing.
  const few = Math.min(zeros, FEW_ZEROS);
  if (codec === "avc") return h264(needed(description));
  if (codec === "hevc") return hevc(needed(description));
  if (codec === "vp8") return sized((frame) => vp8Frame(frame, zeros));
  if (codec === "vp9") return sized((frame) => vp9Frame(frame, few));
  if (codec === "av1") return { begin: () => null, check: (frame) => av1Packet(frame, few).key };
  if (codec === "prores") return { begin: () => null, check: prores };
  throw refuse("unsupported_codec", "The video uses a codec that is not supported; use H.264, HEVC, VP8, VP9 or AV1.");
}

function needed(description: Uint8Array | null): Uint8Array {
  if (description) return description;
  throw refuse("decoder_config", "The video lacks the setup data that a player needs.");
}

function h264(description: Uint8Array): FrameChecker {
  const config = parseAvcConfig(description);
  return {
    begin(frame) {
      h264Configured(config, frame);
      return h264Sizes(config);
    },
    check: (frame) => checkH264Frame(config, frame).key,
  };
}

function hevc(description: Uint8Array): FrameChecker {
  const config = parseHevcConfig(description);
  return {
    begin(frame) {
      hevcConfigured(config, frame);
      return config.sizes;
    },
    check: (frame) => checkHevcFrame(config, frame).key,
  };
}

function sized(header: (frame: Uint8Array) => { key: boolean; size: { width: number; height: number } | null }) {
  return {
    begin(frame: Uint8Array) {
      const { size } = header(frame);
      return size ? [size] : null;
    },
    check: (frame: Uint8Array) => header(frame).key,
  };
}

/** Every ProRes frame begins with its own length and a mark, and stands alone. */
function prores(frame: Uint8Array): boolean {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 28 || view.getUint32(0) > frame.length || view.getUint32(4) !== 0x69637066) throw damagedFrame();
  return true;
}
