// One interface for checking the frames of every supported codec.

import { verificationError } from "../verification-error.ts";
import { parseAv1Packet } from "./av1.ts";
import { nameCodec } from "./codec-names.ts";
import { checkH264Frame, completeH264Config, getH264Sizes, parseAvcConfig } from "./h264.ts";
import { checkHevcFrame, completeHevcConfig, parseHevcConfig } from "./hevc.ts";
import { damagedFrameError, getMaxZeroRun } from "./nal.ts";
import type { TrackInfo } from "./stream-info.ts";
import { type FrameHeader, parseVp8Frame } from "./vp8.ts";
import { createVp9Parser } from "./vp9.ts";

export interface FrameChecker {
  /** Reads the first key frame. Returns the sizes that the codec states, or null when it states none. */
  readSizes(frame: Uint8Array): { width: number; height: number }[] | null;
  /** Throws when a frame lacks the structure of its codec. Returns whether a decoder can start with it. */
  checkFrame(frame: Uint8Array): boolean;
}

const MAX_ZERO_RUN_ADAPTIVE = 2048;

/** `width` and `height` are those of the coded frame. */
export function createFrameChecker(
  { codec, code, width, height }: TrackInfo,
  description: Uint8Array | null,
): FrameChecker {
  const zeros = getMaxZeroRun(width, height);
  // VP9 and AV1 use adaptive entropy coding, so they encode blank areas without long runs of zeros.
  const adaptiveZeros = Math.min(zeros, MAX_ZERO_RUN_ADAPTIVE);
  if (codec === "avc") return createH264Checker(requireDescription(description));
  if (codec === "hevc") return createHevcChecker(requireDescription(description));
  if (codec === "vp8") return createVp8Checker(zeros);
  if (codec === "vp9") return createVp9Checker(adaptiveZeros);
  if (codec === "av1")
    return { readSizes: () => null, checkFrame: (frame) => parseAv1Packet(frame, adaptiveZeros).key };
  if (codec === "prores") return { readSizes: () => null, checkFrame: checkProresFrame };
  const name = nameCodec(code);
  throw verificationError(
    "unsupported_codec",
    `The video uses ${name ? `${name}, which` : "a codec that"} is not supported; use H.264, HEVC, VP8, VP9 or AV1.`,
  );
}

function requireDescription(description: Uint8Array | null): Uint8Array {
  if (description) return description;
  throw verificationError("decoder_config", "The video has no decoder configuration, so it cannot be played.");
}

function createH264Checker(description: Uint8Array): FrameChecker {
  const config = parseAvcConfig(description);
  return {
    readSizes(frame) {
      completeH264Config(config, frame);
      return getH264Sizes(config);
    },
    checkFrame: (frame) => checkH264Frame(config, frame).key,
  };
}

function createHevcChecker(description: Uint8Array): FrameChecker {
  const config = parseHevcConfig(description);
  return {
    readSizes(frame) {
      completeHevcConfig(config, frame);
      return config.sizes;
    },
    checkFrame: (frame) => checkHevcFrame(config, frame).key,
  };
}

function createVp8Checker(zeros: number): FrameChecker {
  return {
    readSizes: (frame) => toSizes(parseVp8Frame(frame, zeros)),
    checkFrame: (frame) => parseVp8Frame(frame, zeros).key,
  };
}

function createVp9Checker(zeros: number): FrameChecker {
  const parse = createVp9Parser(zeros);
  return {
    // Parsing changes the state of the parser, so the first key frame is read by one of its own.
    readSizes: (frame) => toSizes(createVp9Parser(zeros)(frame)),
    checkFrame: (frame) => parse(frame).key,
  };
}

function toSizes({ size }: FrameHeader): { width: number; height: number }[] | null {
  return size ? [size] : null;
}

/** Every ProRes frame begins with its length and the tag `icpf`, and is a key frame. */
function checkProresFrame(frame: Uint8Array): boolean {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 28 || view.getUint32(0) > frame.length || view.getUint32(4) !== 0x69637066)
    throw damagedFrameError();
  return true;
}
