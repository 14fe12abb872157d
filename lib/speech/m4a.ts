// M4A: AAC packets in an MP4 of one track, its index ahead of them.
import { concat, text, u8, u16, u32 } from "./bytes.ts";
import type { Coding, Packet } from "./packets.ts";

function box(name: string, ...content: Uint8Array[]): Uint8Array {
  const inside = concat(content);
  return concat([u32(8 + inside.length), text(name), inside]);
}

/** A box that begins with a version and flags. */
function full(name: string, flags: number, ...content: Uint8Array[]): Uint8Array {
  return box(name, u32(flags), ...content);
}

const zeros = (count: number) => new Uint8Array(count);
const UNITY = concat([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32));

export function m4aFile(coding: Coding, packets: readonly Packet[]): Uint8Array<ArrayBuffer> {
  const durations = durationsOf(packets, coding.sampleRate);
  const length = durations.reduce((sum, duration) => sum + duration, 0);
  const type = box("ftyp", text("M4A "), u32(0), text("M4A mp42isom"));
  const index = (first: number) => moov(coding, { packets, durations, length, first });
  // The index is as long whatever it says, so the first packet lies right behind it.
  const first = type.length + index(0).length + 8;
  const data = packets.map((packet) => packet.data);
  const bytes = data.reduce((sum, part) => sum + part.length, 0);
  return concat([type, index(first), u32(8 + bytes), text("mdat"), ...data]);
}

/** Of each packet in samples, such that no rounding adds up. */
function durationsOf(packets: readonly Packet[], rate: number): number[] {
  const from = packets[0]?.timestamp ?? 0;
  const at = (seconds: number) => Math.round((seconds - from) * rate);
  return packets.map(({ timestamp, duration }, index) => {
    const next = packets[index + 1]?.timestamp ?? timestamp + duration;
    return Math.max(1, at(next) - at(timestamp));
  });
}

interface Index {
  packets: readonly Packet[];
  durations: number[];
  length: number;
  /** Where the first packet lies. */
  first: number;
}

function moov(coding: Coding, { packets, durations, length, first }: Index): Uint8Array {
  const { sampleRate } = coding;
  const runs = runsOf(durations);
  const table = box(
    "stbl",
    full("stsd", 0, u32(1), sampleEntry(coding)),
    full("stts", 0, u32(runs.length), ...runs.flatMap(([count, duration]) => [u32(count), u32(duration)])),
    full("stsc", 0, u32(1), u32(1), u32(packets.length), u32(1)),
    full("stsz", 0, u32(0), u32(packets.length), ...packets.map(({ data }) => u32(data.length))),
    full("stco", 0, u32(1), u32(first)),
  );
  const dataHere = box("dinf", full("dref", 0, u32(1), full("url ", 1)));
  const media = box(
    "mdia",
    full("mdhd", 0, u32(0), u32(0), u32(sampleRate), u32(length), u16(0x55c4), u16(0)),
    full("hdlr", 0, u32(0), text("soun"), zeros(12), u8(0)),
    box("minf", full("smhd", 0, u32(0)), dataHere, table),
  );
  const track = full("tkhd", 7, zeros(8), u32(1), u32(0), u32(length), zeros(12), u16(0x100), u16(0), UNITY, zeros(8));
  const movie = [u32(0x10000), u16(0x100), zeros(10), UNITY, zeros(24), u32(2)];
  return box("moov", full("mvhd", 0, zeros(8), u32(sampleRate), u32(length), ...movie), box("trak", track, media));
}

/** Equal durations that follow one another, counted. */
function runsOf(durations: number[]): [count: number, duration: number][] {
  const runs: [number, number][] = [];
  for (const duration of durations) {
    const last = runs.at(-1);
    if (last?.[1] === duration) last[0] += 1;
    else runs.push([1, duration]);
  }
  return runs;
}

function sampleEntry({ sampleRate, channels, description }: Coding): Uint8Array {
  // The field has 16 bits before its point; a decoder reads the true rate from its own description.
  const rate = sampleRate < 0x10000 ? u32(sampleRate * 0x10000) : u32(0);
  const config = tagged(5, description);
  const decoder = tagged(4, u8(0x40, 0x15), zeros(11), config);
  const stream = tagged(3, u16(1), u8(0), decoder, tagged(6, u8(2)));
  return box("mp4a", zeros(6), u16(1), zeros(8), u16(channels), u16(16), u32(0), rate, full("esds", 0, stream));
}

/** A descriptor of MPEG-4 systems: seven bits of its length in each byte. */
function tagged(tag: number, ...content: Uint8Array[]): Uint8Array {
  const inside = concat(content);
  const { length } = inside;
  return concat([u8(tag, 0x80 | (length >> 21), 0x80 | (length >> 14), 0x80 | (length >> 7), length & 0x7f), inside]);
}
