// H.264: parses the decoder configuration with its parameter sets, and checks NAL units and slice headers of a frame.

import {
  type BitReader,
  createBitReader,
  endsWithStopBit,
  readBit,
  readBits,
  readSignedGolomb,
  readUnsignedGolomb,
  skipBits,
} from "./bit-reader.ts";
import { checkEscapes, damagedFrameError, forEachNal, invalidConfigError, removeEscapes } from "./nal.ts";

interface Sps {
  width: number;
  height: number;
  codedWidth: number;
  codedHeight: number;
  macroblocks: number;
}

export interface H264Config {
  lengthSize: number;
  sps: Map<number, Sps>;
  /** Picture parameter set id -> id of the sequence parameter set that it uses. */
  pps: Map<number, number>;
}

const CHROMA_PROFILES = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244];

export function parseAvcConfig(record: Uint8Array): H264Config {
  if (record.length < 7 || record[0] !== 1) throw invalidConfigError();
  const config: H264Config = { lengthSize: ((record[4] ?? 0) & 3) + 1, sps: new Map(), pps: new Map() };
  let position = 6;
  for (let left = (record[5] ?? 0) & 31; left > 0; left--) position = readParameterSet(record, position, config);
  const ppsCount = record[position];
  if (ppsCount === undefined) throw invalidConfigError();
  position += 1;
  for (let left = ppsCount; left > 0; left--) position = readParameterSet(record, position, config);
  return config;
}

function readParameterSet(record: Uint8Array, position: number, config: H264Config): number {
  const length = (record[position] ?? 0) * 256 + (record[position + 1] ?? 0);
  const end = position + 2 + length;
  if (length < 2 || end > record.length) throw invalidConfigError();
  addParameterSet(record.subarray(position + 2, end), config);
  return end;
}

function addParameterSet(nal: Uint8Array, config: H264Config): void {
  const type = (nal[0] ?? 0) & 31;
  const bits = createBitReader(removeEscapes(nal.subarray(1), nal.length));
  try {
    if (type === 7) {
      const [id, sps] = parseSps(bits);
      config.sps.set(id, sps);
    }
    if (type === 8) config.pps.set(readUnsignedGolomb(bits), readUnsignedGolomb(bits));
  } catch {
    throw invalidConfigError();
  }
}

function parseSps(bits: BitReader): [number, Sps] {
  const profile = readBits(bits, 8);
  skipBits(bits, 16);
  const id = readUnsignedGolomb(bits);
  const chroma = CHROMA_PROFILES.includes(profile) ? readChromaFormat(bits) : 1;
  if (readUnsignedGolomb(bits) > 12) throw invalidConfigError();
  skipPictureOrder(bits);
  if (readUnsignedGolomb(bits) > 16) throw invalidConfigError();
  skipBits(bits, 1);
  const columns = readUnsignedGolomb(bits) + 1;
  const mapRows = readUnsignedGolomb(bits) + 1;
  const frames = readBit(bits);
  if (!frames) skipBits(bits, 1);
  skipBits(bits, 1);
  const rows = mapRows * (2 - frames);
  const crop = readBit(bits) ? [0, 0, 0, 0].map(() => readUnsignedGolomb(bits)) : [0, 0, 0, 0];
  if (readBit(bits)) skipVui(bits);
  const unitX = chroma === 1 || chroma === 2 ? 2 : 1;
  const unitY = (chroma === 1 ? 2 : 1) * (2 - frames);
  const width = columns * 16 - unitX * ((crop[0] ?? 0) + (crop[1] ?? 0));
  const height = rows * 16 - unitY * ((crop[2] ?? 0) + (crop[3] ?? 0));
  if (id > 31 || width <= 0 || height <= 0 || !endsWithStopBit(bits)) throw invalidConfigError();
  return [id, { width, height, codedWidth: columns * 16, codedHeight: rows * 16, macroblocks: columns * rows }];
}

function readChromaFormat(bits: BitReader): number {
  const format = readUnsignedGolomb(bits);
  if (format > 3) throw invalidConfigError();
  if (format === 3) skipBits(bits, 1);
  if (readUnsignedGolomb(bits) > 6 || readUnsignedGolomb(bits) > 6) throw invalidConfigError();
  skipBits(bits, 1);
  const lists = readBit(bits) ? (format === 3 ? 12 : 8) : 0;
  for (let i = 0; i < lists; i++) if (readBit(bits)) skipScalingList(bits, i < 6 ? 16 : 64);
  return format;
}

function skipScalingList(bits: BitReader, size: number): void {
  let last = 8;
  let next = 8;
  for (let i = 0; i < size; i++) {
    if (next !== 0) next = (last + readSignedGolomb(bits) + 256) % 256;
    if (next !== 0) last = next;
  }
}

function skipPictureOrder(bits: BitReader): void {
  const type = readUnsignedGolomb(bits);
  if (type === 0 && readUnsignedGolomb(bits) > 12) throw invalidConfigError();
  if (type === 1) {
    skipBits(bits, 1);
    readSignedGolomb(bits);
    readSignedGolomb(bits);
    const cycle = readUnsignedGolomb(bits);
    if (cycle > 255) throw invalidConfigError();
    for (let i = 0; i < cycle; i++) readSignedGolomb(bits);
  }
  if (type > 2) throw invalidConfigError();
}

function skipVui(bits: BitReader): void {
  if (readBit(bits) && readBits(bits, 8) === 255) skipBits(bits, 32);
  if (readBit(bits)) skipBits(bits, 1);
  if (readBit(bits)) {
    skipBits(bits, 4);
    if (readBit(bits)) skipBits(bits, 24);
  }
  if (readBit(bits)) {
    readUnsignedGolomb(bits);
    readUnsignedGolomb(bits);
  }
  if (readBit(bits)) skipBits(bits, 65);
  const nalHrd = readBit(bits);
  if (nalHrd) skipHrd(bits);
  const vclHrd = readBit(bits);
  if (vclHrd) skipHrd(bits);
  if (nalHrd || vclHrd) skipBits(bits, 1);
  skipBits(bits, 1);
  if (readBit(bits)) {
    skipBits(bits, 1);
    for (let i = 0; i < 6; i++) readUnsignedGolomb(bits);
  }
}

function skipHrd(bits: BitReader): void {
  const count = readUnsignedGolomb(bits) + 1;
  if (count > 32) throw invalidConfigError();
  skipBits(bits, 8);
  for (let i = 0; i < count; i++) {
    readUnsignedGolomb(bits);
    readUnsignedGolomb(bits);
    skipBits(bits, 1);
  }
  skipBits(bits, 20);
}

/** Reads the parameter sets from the frame, for tracks that store them in-band. */
export function completeH264Config(config: H264Config, frame: Uint8Array): void {
  if (config.sps.size === 0 || config.pps.size === 0)
    forEachNal(frame, config.lengthSize, (nal) => addInbandParameterSet(nal, config));
  if (config.sps.size === 0 || config.pps.size === 0) throw invalidConfigError();
}

function addInbandParameterSet(nal: Uint8Array, config: H264Config): void {
  const type = (nal[0] ?? 0) & 31;
  if (type === 7 || type === 8) addParameterSet(nal, config);
}

export function getH264Sizes(config: H264Config): { width: number; height: number }[] {
  return [...config.sps.values()].flatMap((sps) => [sps, { width: sps.codedWidth, height: sps.codedHeight }]);
}

/** Checks one frame; `key` is whether a decoder can start with it. */
export function checkH264Frame(config: H264Config, frame: Uint8Array): { key: boolean } {
  let slices = 0;
  let intra = 0;
  forEachNal(frame, config.lengthSize, (nal) => {
    const header = nal[0] ?? 0;
    const type = header & 31;
    if (header & 0x80) throw damagedFrameError();
    addInbandParameterSet(nal, config);
    if (type < 1 || type > 5) return;
    slices += 1;
    checkEscapes(nal);
    if (type === 3 || type === 4) return;
    if (isIntraSlice(nal, type, config)) intra += 1;
  });
  return { key: slices > 0 && intra === slices };
}

function isIntraSlice(nal: Uint8Array, type: number, config: H264Config): boolean {
  try {
    const bits = createBitReader(removeEscapes(nal.subarray(1), 32));
    const first = readUnsignedGolomb(bits);
    const kind = readUnsignedGolomb(bits);
    const sps = config.sps.get(config.pps.get(readUnsignedGolomb(bits)) ?? -1);
    const intra = kind % 5 === 2 || kind % 5 === 4;
    if (kind > 9 || !sps || first >= sps.macroblocks || (type === 5 && !intra)) throw damagedFrameError();
    return intra;
  } catch {
    throw damagedFrameError();
  }
}
