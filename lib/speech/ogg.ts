// Ogg: Opus or Vorbis packets in pages, each with the sample that it ends at and a checksum.
import { concat, le32, text, u8 } from "./bytes.ts";
import type { Coding, Packet } from "./packets.ts";

/** A page of about a second ends early enough for whoever reads along. */
const PACKETS_PER_PAGE = 50;
const SEGMENTS_AT_MOST = 255;
const OPUS_RATE = 48_000;
const [BEGINS, ENDS] = [2, 4];
const SERIAL = 1;

export function oggFile(coding: Coding, packets: readonly Packet[]): Uint8Array<ArrayBuffer> {
  const headers = coding.codec === "opus" ? opusHeaders(coding) : vorbisHeaders(coding.description);
  const [first, ...rest] = headers;
  const pages = [page({ packets: first ? [first] : [], flags: BEGINS, granule: 0, sequence: 0 })];
  pages.push(page({ packets: rest, flags: 0, granule: 0, sequence: 1 }));
  const granules = granulesOf(coding, packets);
  for (let from = 0; from < packets.length; ) {
    const until = endOfPage(packets, from);
    const flags = until === packets.length ? ENDS : 0;
    const data = packets.slice(from, until).map((packet) => packet.data);
    pages.push(page({ packets: data, flags, granule: granules[until - 1] ?? 0, sequence: pages.length }));
    from = until;
  }
  return concat(pages);
}

function opusHeaders({ channels, description }: Coding): Uint8Array[] {
  const head = description.length >= 19 ? description : concat([text("OpusHead"), u8(1, channels, 0, 0), OPUS_TAIL]);
  return [head, concat([text("OpusTags"), le32(0), le32(0)])];
}

const OPUS_TAIL = concat([le32(OPUS_RATE), u8(0, 0, 0)]);

/** Three packets, the lengths of the first two ahead of them, each written as Xiph writes a length. */
function vorbisHeaders(description: Uint8Array): Uint8Array[] {
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

/** The sample at which each packet ends. */
function granulesOf({ codec, sampleRate, description }: Coding, packets: readonly Packet[]): number[] {
  const from = packets[0]?.timestamp ?? 0;
  const opus = codec === "opus";
  const rate = opus ? OPUS_RATE : sampleRate;
  // What a decoder drops at the beginning counts too.
  const skipped = opus && description.length >= 12 ? (description[10] ?? 0) | ((description[11] ?? 0) << 8) : 0;
  return packets.map(({ timestamp, duration }) => skipped + Math.round((timestamp + duration - from) * rate));
}

function endOfPage(packets: readonly Packet[], from: number): number {
  let segments = 0;
  let until = from;
  while (until < packets.length && until - from < PACKETS_PER_PAGE) {
    segments += Math.floor((packets[until]?.data.length ?? 0) / 255) + 1;
    if (segments > SEGMENTS_AT_MOST && until > from) break;
    until += 1;
  }
  return until;
}

interface Page {
  packets: Uint8Array[];
  flags: number;
  granule: number;
  sequence: number;
}

function page({ packets, flags, granule, sequence }: Page): Uint8Array {
  const lacing = packets.flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]);
  const high = Math.floor(granule / 2 ** 32);
  const bytes = concat([
    text("OggS"),
    u8(0, flags),
    le32(granule >>> 0),
    le32(high),
    le32(SERIAL),
    le32(sequence),
    le32(0),
    u8(lacing.length, ...lacing),
    ...packets,
  ]);
  bytes.set(le32(checksum(bytes)), 22);
  return bytes;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum & 0x80000000 ? 0x04c11db7 : 0);
  return sum >>> 0;
});

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = ((sum << 8) ^ (TABLE[(sum >>> 24) ^ byte] ?? 0)) >>> 0;
  return sum;
}
