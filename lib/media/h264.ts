// H.264: the decoder record with its parameter sets in full, and the NAL units and slice headers of a frame.
import { atStopBit, type Bits, bit, bitsOf, signedGolomb, skip, take, unsignedGolomb } from "./bits.ts";
import { checkEscapes, damagedFrame, eachNal, withoutEscapes } from "./nal.ts";
import { refuse } from "./refusal.ts";

interface Sps {
  width: number;
  height: number;
  codedWidth: number;
  codedHeight: number;
  macroblocks: number;
}

export interface H264 {
  lengthSize: number;
  sps: Map<number, Sps>;
  /** Picture parameter sets by id, with the id of the sequence parameter set each one uses. */
  pps: Map<number, number>;
}

const CHROMA_PROFILES = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244];

export function parseAvcConfig(record: Uint8Array): H264 {
  if (record.length < 7 || record[0] !== 1) throw badConfig();
  const config: H264 = { lengthSize: ((record[4] ?? 0) & 3) + 1, sps: new Map(), pps: new Map() };
  let position = 6;
  for (let left = (record[5] ?? 0) & 31; left > 0; left--) position = parameterSet(record, position, config);
  const pictures = record[position];
  if (pictures === undefined) throw badConfig();
  position += 1;
  for (let left = pictures; left > 0; left--) position = parameterSet(record, position, config);
  return config;
}

function parameterSet(record: Uint8Array, position: number, config: H264): number {
  const length = (record[position] ?? 0) * 256 + (record[position + 1] ?? 0);
  const end = position + 2 + length;
  if (length < 2 || end > record.length) throw badConfig();
  addParameterSet(record.subarray(position + 2, end), config);
  return end;
}

function addParameterSet(nal: Uint8Array, config: H264): void {
  const type = (nal[0] ?? 0) & 31;
  const bits = bitsOf(withoutEscapes(nal.subarray(1), nal.length));
  try {
    if (type === 7) {
      const [id, sps] = parseSps(bits);
      config.sps.set(id, sps);
    }
    if (type === 8) config.pps.set(unsignedGolomb(bits), unsignedGolomb(bits));
  } catch {
    throw badConfig();
  }
}

function badConfig(): Error {
  return refuse("decoder_config", "The video is damaged: the setup data that a player needs cannot be read.");
}

function parseSps(bits: Bits): [number, Sps] {
  const profile = take(bits, 8);
  skip(bits, 16);
  const id = unsignedGolomb(bits);
  const chroma = CHROMA_PROFILES.includes(profile) ? chromaFormat(bits) : 1;
  if (unsignedGolomb(bits) > 12) throw badConfig();
  pictureOrder(bits);
  if (unsignedGolomb(bits) > 16) throw badConfig();
  skip(bits, 1);
  const columns = unsignedGolomb(bits) + 1;
  const mapRows = unsignedGolomb(bits) + 1;
  const frames = bit(bits);
  if (!frames) skip(bits, 1);
  skip(bits, 1);
  const rows = mapRows * (2 - frames);
  const crop = bit(bits) ? [0, 0, 0, 0].map(() => unsignedGolomb(bits)) : [0, 0, 0, 0];
  if (bit(bits)) vui(bits);
  const unitX = chroma === 1 || chroma === 2 ? 2 : 1;
  const unitY = (chroma === 1 ? 2 : 1) * (2 - frames);
  const width = columns * 16 - unitX * ((crop[0] ?? 0) + (crop[1] ?? 0));
  const height = rows * 16 - unitY * ((crop[2] ?? 0) + (crop[3] ?? 0));
  if (id > 31 || width <= 0 || height <= 0 || !atStopBit(bits)) throw badConfig();
  return [id, { width, height, codedWidth: columns * 16, codedHeight: rows * 16, macroblocks: columns * rows }];
}

function chromaFormat(bits: Bits): number {
  const format = unsignedGolomb(bits);
  if (format > 3) throw badConfig();
  if (format === 3) skip(bits, 1);
  if (unsignedGolomb(bits) > 6 || unsignedGolomb(bits) > 6) throw badConfig();
  skip(bits, 1);
  const lists = bit(bits) ? (format === 3 ? 12 : 8) : 0;
  for (let i = 0; i < lists; i++) if (bit(bits)) scalingList(bits, i < 6 ? 16 : 64);
  return format;
}

function scalingList(bits: Bits, size: number): void {
  let last = 8;
  let next = 8;
  for (let i = 0; i < size; i++) {
    if (next !== 0) next = (last + signedGolomb(bits) + 256) % 256;
    if (next !== 0) last = next;
  }
}

function pictureOrder(bits: Bits): void {
  const type = unsignedGolomb(bits);
  if (type === 0 && unsignedGolomb(bits) > 12) throw badConfig();
  if (type === 1) {
    skip(bits, 1);
    signedGolomb(bits);
    signedGolomb(bits);
    const cycle = unsignedGolomb(bits);
    if (cycle > 255) throw badConfig();
    for (let i = 0; i < cycle; i++) signedGolomb(bits);
  }
  if (type > 2) throw badConfig();
}

function vui(bits: Bits): void {
  if (bit(bits) && take(bits, 8) === 255) skip(bits, 32);
  if (bit(bits)) skip(bits, 1);
  if (bit(bits)) {
    skip(bits, 4);
    if (bit(bits)) skip(bits, 24);
  }
  if (bit(bits)) {
    unsignedGolomb(bits);
    unsignedGolomb(bits);
  }
  if (bit(bits)) skip(bits, 65);
  const nalHrd = bit(bits);
  if (nalHrd) hrd(bits);
  const vclHrd = bit(bits);
  if (vclHrd) hrd(bits);
  if (nalHrd || vclHrd) skip(bits, 1);
  skip(bits, 1);
  if (bit(bits)) {
    skip(bits, 1);
    for (let i = 0; i < 6; i++) unsignedGolomb(bits);
  }
}

function hrd(bits: Bits): void {
  const count = unsignedGolomb(bits) + 1;
  if (count > 32) throw badConfig();
  skip(bits, 8);
  for (let i = 0; i < count; i++) {
    unsignedGolomb(bits);
    unsignedGolomb(bits);
    skip(bits, 1);
  }
  skip(bits, 20);
}

/** Takes over parameter sets that travel inside the frame, for tracks that keep them there. */
export function h264Configured(config: H264, frame: Uint8Array): void {
  if (config.sps.size === 0 || config.pps.size === 0) eachNal(frame, config.lengthSize, (nal) => inband(nal, config));
  if (config.sps.size === 0 || config.pps.size === 0) throw badConfig();
}

function inband(nal: Uint8Array, config: H264): void {
  const type = (nal[0] ?? 0) & 31;
  if (type === 7 || type === 8) addParameterSet(nal, config);
}

export function h264Sizes(config: H264): { width: number; height: number }[] {
  return [...config.sps.values()].flatMap((sps) => [sps, { width: sps.codedWidth, height: sps.codedHeight }]);
}

/** Checks one frame; answers whether a decoder can begin with it. */
export function checkH264Frame(config: H264, frame: Uint8Array): { key: boolean; slices: number } {
  let slices = 0;
  let intra = 0;
  eachNal(frame, config.lengthSize, (nal) => {
    const header = nal[0] ?? 0;
    const type = header & 31;
    if (header & 0x80) throw damagedFrame();
    inband(nal, config);
    if (type < 1 || type > 5) return;
    slices += 1;
    checkEscapes(nal);
    if (type === 3 || type === 4) return;
    if (sliceIsIntra(nal, type, config)) intra += 1;
  });
  return { key: slices > 0 && intra === slices, slices };
}

function sliceIsIntra(nal: Uint8Array, type: number, config: H264): boolean {
  try {
    const bits = bitsOf(withoutEscapes(nal.subarray(1), 32));
    const first = unsignedGolomb(bits);
    const kind = unsignedGolomb(bits);
    const sps = config.sps.get(config.pps.get(unsignedGolomb(bits)) ?? -1);
    const intra = kind % 5 === 2 || kind % 5 === 4;
    if (kind > 9 || !sps || first >= sps.macroblocks || (type === 5 && !intra)) throw damagedFrame();
    return intra;
  } catch {
    throw damagedFrame();
  }
}
