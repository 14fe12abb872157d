// VP8: checks frame tags and start codes, and reads the frame size.
import { checkZeroRuns, damagedFrameError } from "./nal.ts";

export interface FrameHeader {
  key: boolean;
  /** Only key frames have a size. */
  size: { width: number; height: number } | null;
}

export function parseVp8Frame(frame: Uint8Array, zeros: number): FrameHeader {
  checkZeroRuns(frame, zeros);
  const tag = (frame[0] ?? 0) | ((frame[1] ?? 0) << 8) | ((frame[2] ?? 0) << 16);
  const key = (tag & 1) === 0;
  const header = key ? 10 : 3;
  const version = (tag >> 1) & 7;
  const firstPartition = tag >> 5;
  if (frame.length < header || version > 3 || header + firstPartition > frame.length) throw damagedFrameError();
  if (!key) return { key, size: null };
  if (frame[3] !== 0x9d || frame[4] !== 0x01 || frame[5] !== 0x2a) throw damagedFrameError();
  const width = ((frame[6] ?? 0) | ((frame[7] ?? 0) << 8)) & 0x3fff;
  const height = ((frame[8] ?? 0) | ((frame[9] ?? 0) << 8)) & 0x3fff;
  if (width === 0 || height === 0) throw damagedFrameError();
  return { key, size: { width, height } };
}
