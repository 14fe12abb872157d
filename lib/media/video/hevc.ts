// HEVC: parses the decoder configuration with its parameter sets, and checks the NAL units of a frame.

import { type BitReader, createBitReader, readBit, readBits, readUnsignedGolomb, skipBits } from "./bit-reader.ts";
import { checkEscapes, damagedFrameError, forEachNal, invalidConfigError, removeEscapes } from "./nal.ts";

export interface HevcConfig {
  lengthSize: number;
  sizes: { width: number; height: number }[];
  vps: boolean;
  pps: Set<number>;
}

const VPS = 32;
const SPS = 33;
const PPS = 34;

export function parseHevcConfig(record: Uint8Array): HevcConfig {
  if (record.length < 23 || record[0] !== 1) throw invalidConfigError();
  const config: HevcConfig = { lengthSize: ((record[21] ?? 0) & 3) + 1, sizes: [], vps: false, pps: new Set() };
  let position = 23;
  for (let arrays = record[22] ?? 0; arrays > 0; arrays--) {
    const count = (record[position + 1] ?? 0) * 256 + (record[position + 2] ?? 0);
    position += 3;
    for (let i = 0; i < count; i++) {
      const length = (record[position] ?? 0) * 256 + (record[position + 1] ?? 0);
      const end = position + 2 + length;
      if (length < 3 || end > record.length) throw invalidConfigError();
      addParameterSet(record.subarray(position + 2, end), config);
      position = end;
    }
  }
  return config;
}

export function completeHevcConfig(config: HevcConfig, frame: Uint8Array): void {
  if (!isComplete(config)) forEachNal(frame, config.lengthSize, (nal) => addParameterSet(nal, config));
  if (!isComplete(config)) throw invalidConfigError();
}

function isComplete(config: HevcConfig): boolean {
  return config.vps && config.sizes.length > 0 && config.pps.size > 0;
}

function addParameterSet(nal: Uint8Array, config: HevcConfig): void {
  const type = ((nal[0] ?? 0) >> 1) & 63;
  // Parameter sets of other layers (depth, second eye) have another syntax and do not describe the displayed frame.
  const layer = (((nal[0] ?? 0) & 1) << 5) | ((nal[1] ?? 0) >> 3);
  if (type < VPS || type > PPS || layer > 0) return;
  const bits = createBitReader(removeEscapes(nal.subarray(2), nal.length));
  try {
    if (type === VPS) config.vps = true;
    if (type === SPS) config.sizes.push(...readSpsSizes(bits));
    if (type === PPS) config.pps.add(readUnsignedGolomb(bits));
  } catch {
    throw invalidConfigError();
  }
}

function readSpsSizes(bits: BitReader): { width: number; height: number }[] {
  skipBits(bits, 4);
  const subLayers = readBits(bits, 3);
  skipBits(bits, 1);
  skipProfileTierLevel(bits, subLayers);
  const id = readUnsignedGolomb(bits);
  const chroma = readUnsignedGolomb(bits);
  if (chroma === 3) skipBits(bits, 1);
  const width = readUnsignedGolomb(bits);
  const height = readUnsignedGolomb(bits);
  const crop = readBit(bits) ? [0, 0, 0, 0].map(() => readUnsignedGolomb(bits)) : [0, 0, 0, 0];
  const depths = [readUnsignedGolomb(bits), readUnsignedGolomb(bits), readUnsignedGolomb(bits)];
  const unitX = chroma === 1 || chroma === 2 ? 2 : 1;
  const unitY = chroma === 1 ? 2 : 1;
  const displayWidth = width - unitX * ((crop[0] ?? 0) + (crop[1] ?? 0));
  const displayHeight = height - unitY * ((crop[2] ?? 0) + (crop[3] ?? 0));
  if (id > 15 || chroma > 3 || displayWidth <= 0 || displayHeight <= 0) throw invalidConfigError();
  if (depths.some((depth, i) => depth > (i < 2 ? 8 : 12))) throw invalidConfigError();
  return [
    { width: displayWidth, height: displayHeight },
    { width, height },
  ];
}

function skipProfileTierLevel(bits: BitReader, subLayers: number): void {
  skipBits(bits, 96);
  const present = Array.from({ length: subLayers }, () => ({ profile: readBit(bits), level: readBit(bits) }));
  if (subLayers > 0) skipBits(bits, 2 * (8 - subLayers));
  for (const layer of present) skipBits(bits, (layer.profile ? 88 : 0) + (layer.level ? 8 : 0));
}

/** Checks one frame; `key` is whether a decoder can start with it. */
export function checkHevcFrame(config: HevcConfig, frame: Uint8Array): { key: boolean } {
  let slices = 0;
  let random = 0;
  forEachNal(frame, config.lengthSize, (nal) => {
    const header = nal[0] ?? 0;
    const type = (header >> 1) & 63;
    if (header & 0x80 || nal.length < 2 || ((nal[1] ?? 0) & 7) === 0) throw damagedFrameError();
    addParameterSet(nal, config);
    if (type >= VPS) return;
    slices += 1;
    checkEscapes(nal);
    const irap = type >= 16 && type <= 23;
    if (irap) random += 1;
    const layer = ((header & 1) << 5) | ((nal[1] ?? 0) >> 3);
    if (layer === 0 && !usesKnownPps(nal, irap, config)) throw damagedFrameError();
  });
  return { key: slices > 0 && random > 0 };
}

function usesKnownPps(nal: Uint8Array, irap: boolean, config: HevcConfig): boolean {
  try {
    const bits = createBitReader(removeEscapes(nal.subarray(2), 32));
    skipBits(bits, irap ? 2 : 1);
    return config.pps.has(readUnsignedGolomb(bits));
  } catch {
    return false;
  }
}
