// Writes Ogg: Opus or Vorbis packets in pages, each with a granule position and a checksum.
import { concatBytes, encodeText, le32, u8 } from "./binary-writer.ts";
import type { AudioConfig, AudioPacket } from "./encoded-audio.ts";

/** About a second per page, as is common for streaming. */
const PACKETS_PER_PAGE = 50;
const MAX_SEGMENTS = 255;
const OPUS_RATE = 48_000;
const [BEGINS, ENDS] = [2, 4];
const SERIAL = 1;

export function writeOgg(config: AudioConfig, packets: readonly AudioPacket[]): Uint8Array<ArrayBuffer> {
  const headers = config.codec === "opus" ? buildOpusHeaders(config) : splitVorbisHeaders(config.description);
  const [first, ...rest] = headers;
  const pages = [buildPage({ packets: first ? [first] : [], flags: BEGINS, granule: 0, sequence: 0 })];
  pages.push(buildPage({ packets: rest, flags: 0, granule: 0, sequence: 1 }));
  const granules = getGranules(config, packets);
  for (let from = 0; from < packets.length; ) {
    const until = findPageEnd(packets, from);
    const flags = until === packets.length ? ENDS : 0;
    const data = packets.slice(from, until).map((packet) => packet.data);
    pages.push(buildPage({ packets: data, flags, granule: granules[until - 1] ?? 0, sequence: pages.length }));
    from = until;
  }
  return concatBytes(pages);
}

function buildOpusHeaders({ channels, description }: AudioConfig): Uint8Array[] {
  const head =
    description.length >= 19 ? description : concatBytes([encodeText("OpusHead"), u8(1, channels, 0, 0), OPUS_TAIL]);
  return [head, concatBytes([encodeText("OpusTags"), le32(0), le32(0)])];
}

const OPUS_TAIL = concatBytes([le32(OPUS_RATE), u8(0, 0, 0)]);

/** Splits three packets that are prefixed with the lengths of the first two, in Xiph lacing. */
function splitVorbisHeaders(description: Uint8Array): Uint8Array[] {
  let at = 1;
  const lengths = [0, 0].map(() => {
    let length = 0;
    for (let byte = 255; byte === 255; length += byte) byte = description[at++] ?? 0;
    return length;
  });
  const [identified = 0, commented = 0] = lengths;
  const ends = [at + identified, at + identified + commented, description.length];
  return ends.map((end, index) => description.slice(index === 0 ? at : ends[index - 1], end));
}

/** Granule position of each packet: the sample at which it ends. */
function getGranules({ codec, sampleRate, description }: AudioConfig, packets: readonly AudioPacket[]): number[] {
  const from = packets[0]?.timestamp ?? 0;
  const opus = codec === "opus";
  const rate = opus ? OPUS_RATE : sampleRate;
  // The pre-skip, which decoders drop, counts too.
  const skipped = opus && description.length >= 12 ? (description[10] ?? 0) | ((description[11] ?? 0) << 8) : 0;
  return packets.map(({ timestamp, duration }) => skipped + Math.round((timestamp + duration - from) * rate));
}

function findPageEnd(packets: readonly AudioPacket[], from: number): number {
  let segments = 0;
  let until = from;
  while (until < packets.length && until - from < PACKETS_PER_PAGE) {
    segments += Math.floor((packets[until]?.data.length ?? 0) / 255) + 1;
    if (segments > MAX_SEGMENTS && until > from) break;
    until += 1;
  }
  return until;
}

interface OggPage {
  packets: Uint8Array[];
  flags: number;
  granule: number;
  sequence: number;
}

function buildPage({ packets, flags, granule, sequence }: OggPage): Uint8Array {
  const lacing = packets.flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]);
  const high = Math.floor(granule / 2 ** 32);
  const bytes = concatBytes([
    encodeText("OggS"),
    u8(0, flags),
    le32(granule >>> 0),
    le32(high),
    le32(SERIAL),
    le32(sequence),
    le32(0),
    u8(lacing.length, ...lacing),
    ...packets,
  ]);
  bytes.set(le32(computeChecksum(bytes)), 22);
  return bytes;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum & 0x80000000 ? 0x04c11db7 : 0);
  return sum >>> 0;
});

function computeChecksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = ((sum << 8) ^ (CRC_TABLE[(sum >>> 24) ^ byte] ?? 0)) >>> 0;
  return sum;
}
