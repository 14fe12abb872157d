// HEVC: the decoder record with its parameter sets, and the NAL units of a frame.
import { type Bits, bit, bitsOf, skip, take, unsignedGolomb } from "./bits.ts";
import { checkEscapes, damagedFrame, eachNal, withoutEscapes } from "./nal.ts";
import { refuse } from "./refusal.ts";

export interface Hevc {
  lengthSize: number;
  sizes: { width: number; height: number }[];
  vps: boolean;
  pps: Set<number>;
}

const VPS = 32;
const SPS = 33;
const PPS = 34;

export function parseHevcConfig(record: Uint8Array): Hevc {
  if (record.length < 23 || record[0] !== 1) throw badConfig();
  const config: Hevc = { lengthSize: ((record[21] ?? 0) & 3) + 1, sizes: [], vps: false, pps: new Set() };
  let position = 23;
  for (let arrays = record[22] ?? 0; arrays > 0; arrays--) {
    const count = (record[position + 1] ?? 0) * 256 + (record[position + 2] ?? 0);
    position += 3;
    for (let i = 0; i < count; i++) {
      const length = (record[position] ?? 0) * 256 + (record[position + 1] ?? 0);
      const end = position + 2 + length;
      if (length < 3 || end > record.length) throw badConfig();
      addParameterSet(record.subarray(position + 2, end), config);
      position = end;
    }
  }
  return config;
}

export function hevcConfigured(config: Hevc, frame: Uint8Array): void {
  if (!complete(config)) eachNal(frame, config.lengthSize, (nal) => addParameterSet(nal, config));
  if (!complete(config)) throw badConfig();
}

function complete(config: Hevc): boolean {
  return config.vps && config.sizes.length > 0 && config.pps.size > 0;
}

function addParameterSet(nal: Uint8Array, config: Hevc): void {
  const type = ((nal[0] ?? 0) >> 1) & 63;
  // Sets of other layers (depth, second eye) follow rules of their own and do not describe the picture shown.
  const layer = (((nal[0] ?? 0) & 1) << 5) | ((nal[1] ?? 0) >> 3);
  if (type < VPS || type > PPS || layer > 0) return;
  const bits = bitsOf(withoutEscapes(nal.subarray(2), nal.length));
  try {
    if (type === VPS) config.vps = true;
    if (type === SPS) config.sizes.push(...spsSizes(bits));
    if (type === PPS) config.pps.add(unsignedGolomb(bits));
  } catch {
    throw badConfig();
  }
}

function badConfig(): Error {
  return refuse("decoder_config", "The video is damaged: the setup data that a player needs cannot be read.");
}

function spsSizes(bits: Bits): { width: number; height: number }[] {
  skip(bits, 4);
  const subLayers = take(bits, 3);
  skip(bits, 1);
  profileTierLevel(bits, subLayers);
  const id = unsignedGolomb(bits);
  const chroma = unsignedGolomb(bits);
  if (chroma === 3) skip(bits, 1);
  const width = unsignedGolomb(bits);
  const height = unsignedGolomb(bits);
  const crop = bit(bits) ? [0, 0, 0, 0].map(() => unsignedGolomb(bits)) : [0, 0, 0, 0];
  const depths = [unsignedGolomb(bits), unsignedGolomb(bits), unsignedGolomb(bits)];
  const unitX = chroma === 1 || chroma === 2 ? 2 : 1;
  const unitY = chroma === 1 ? 2 : 1;
  const shownWidth = width - unitX * ((crop[0] ?? 0) + (crop[1] ?? 0));
  const shownHeight = height - unitY * ((crop[2] ?? 0) + (crop[3] ?? 0));
  if (id > 15 || chroma > 3 || shownWidth <= 0 || shownHeight <= 0) throw badConfig();
  if (depths.some((depth, i) => depth > (i < 2 ? 8 : 12))) throw badConfig();
  return [
    { width: shownWidth, height: shownHeight },
    { width, height },
  ];
}

function profileTierLevel(bits: Bits, subLayers: number): void {
  skip(bits, 96);
  const present = Array.from({ length: subLayers }, () => ({ profile: bit(bits), level: bit(bits) }));
  if (subLayers > 0) skip(bits, 2 * (8 - subLayers));
  for (const layer of present) skip(bits, (layer.profile ? 88 : 0) + (layer.level ? 8 : 0));
}

/** Checks one frame; answers whether a decoder can begin with it. */
export function checkHevcFrame(config: Hevc, frame: Uint8Array): { key: boolean; slices: number } {
  let slices = 0;
  let random = 0;
  eachNal(frame, config.lengthSize, (nal) => {
    const header = nal[0] ?? 0;
    const type = (header >> 1) & 63;
    if (header & 0x80 || nal.length < 2 || ((nal[1] ?? 0) & 7) === 0) throw damagedFrame();
    addParameterSet(nal, config);
    if (type >= VPS) return;
    slices += 1;
    checkEscapes(nal);
    const irap = type >= 16 && type <= 23;
    if (irap) random += 1;
    const layer = ((header & 1) << 5) | ((nal[1] ?? 0) >> 3);
    if (layer === 0 && !knownPicture(nal, irap, config)) throw damagedFrame();
  });
  return { key: slices > 0 && random > 0, slices };
}

function knownPicture(nal: Uint8Array, irap: boolean, config: Hevc): boolean {
  try {
    const bits = bitsOf(withoutEscapes(nal.subarray(2), 32));
    skip(bits, irap ? 2 : 1);
    return config.pps.has(unsignedGolomb(bits));
  } catch {
    return false;
  }
}
