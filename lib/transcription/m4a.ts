// Writes M4A: AAC packets in an MP4 with one track and its index first.
import { concatBytes, encodeText, u8, u16, u32 } from "./binary-writer.ts";
import type { AudioConfig, AudioPacket } from "./encoded-audio.ts";

function buildBox(name: string, ...content: Uint8Array[]): Uint8Array {
  const body = concatBytes(content);
  return concatBytes([u32(8 + body.length), encodeText(name), body]);
}

/** A box that begins with version and flags. */
function buildFullBox(name: string, flags: number, ...content: Uint8Array[]): Uint8Array {
  return buildBox(name, u32(flags), ...content);
}

const createZeros = (count: number) => new Uint8Array(count);
const UNITY = concatBytes([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32));

export function writeM4a(config: AudioConfig, packets: readonly AudioPacket[]): Uint8Array<ArrayBuffer> {
  const durations = getSampleDurations(packets, config.sampleRate);
  const length = durations.reduce((sum, duration) => sum + duration, 0);
  const type = buildBox("ftyp", encodeText("M4A "), u32(0), encodeText("M4A mp42isom"));
  const index = (first: number) => buildMoov(config, { packets, durations, length, first });
  // The length of the index does not depend on its values, so the offset of the first packet is known in advance.
  const first = type.length + index(0).length + 8;
  const data = packets.map((packet) => packet.data);
  const bytes = data.reduce((sum, part) => sum + part.length, 0);
  return concatBytes([type, index(first), u32(8 + bytes), encodeText("mdat"), ...data]);
}

/** Duration of each packet in samples, computed from timestamps so that rounding errors do not add up. */
function getSampleDurations(packets: readonly AudioPacket[], rate: number): number[] {
  const from = packets[0]?.timestamp ?? 0;
  const at = (seconds: number) => Math.round((seconds - from) * rate);
  return packets.map(({ timestamp, duration }, index) => {
    const next = packets[index + 1]?.timestamp ?? timestamp + duration;
    return Math.max(1, at(next) - at(timestamp));
  });
}

interface M4aIndex {
  packets: readonly AudioPacket[];
  durations: number[];
  length: number;
  /** Byte offset of the first packet. */
  first: number;
}

function buildMoov(config: AudioConfig, { packets, durations, length, first }: M4aIndex): Uint8Array {
  const { sampleRate } = config;
  const runs = encodeRuns(durations);
  const table = buildBox(
    "stbl",
    buildFullBox("stsd", 0, u32(1), buildSampleEntry(config)),
    buildFullBox("stts", 0, u32(runs.length), ...runs.flatMap(([count, duration]) => [u32(count), u32(duration)])),
    buildFullBox("stsc", 0, u32(1), u32(1), u32(packets.length), u32(1)),
    buildFullBox("stsz", 0, u32(0), u32(packets.length), ...packets.map(({ data }) => u32(data.length))),
    buildFullBox("stco", 0, u32(1), u32(first)),
  );
  const dataInformation = buildBox("dinf", buildFullBox("dref", 0, u32(1), buildFullBox("url ", 1)));
  const media = buildBox(
    "mdia",
    buildFullBox("mdhd", 0, u32(0), u32(0), u32(sampleRate), u32(length), u16(0x55c4), u16(0)),
    buildFullBox("hdlr", 0, u32(0), encodeText("soun"), createZeros(12), u8(0)),
    buildBox("minf", buildFullBox("smhd", 0, u32(0)), dataInformation, table),
  );
  const track = buildFullBox(
    "tkhd",
    7,
    createZeros(8),
    u32(1),
    u32(0),
    u32(length),
    createZeros(12),
    u16(0x100),
    u16(0),
    UNITY,
    createZeros(8),
  );
  const movie = [u32(0x10000), u16(0x100), createZeros(10), UNITY, createZeros(24), u32(2)];
  return buildBox(
    "moov",
    buildFullBox("mvhd", 0, createZeros(8), u32(sampleRate), u32(length), ...movie),
    buildBox("trak", track, media),
  );
}

/** Run-length encoding of the durations. */
function encodeRuns(durations: number[]): [count: number, duration: number][] {
  const runs: [number, number][] = [];
  for (const duration of durations) {
    const last = runs.at(-1);
    if (last?.[1] === duration) last[0] += 1;
    else runs.push([1, duration]);
  }
  return runs;
}

function buildSampleEntry({ sampleRate, channels, description }: AudioConfig): Uint8Array {
  // 16.16 fixed point holds rates below 65,536; decoders read the true rate from the codec's description.
  const rate = sampleRate < 0x10000 ? u32(sampleRate * 0x10000) : u32(0);
  const config = buildDescriptor(5, description);
  const decoder = buildDescriptor(4, u8(0x40, 0x15), createZeros(11), config);
  const stream = buildDescriptor(3, u16(1), u8(0), decoder, buildDescriptor(6, u8(2)));
  return buildBox(
    "mp4a",
    createZeros(6),
    u16(1),
    createZeros(8),
    u16(channels),
    u16(16),
    u32(0),
    rate,
    buildFullBox("esds", 0, stream),
  );
}

/** An MPEG-4 descriptor, whose length has seven bits per byte. */
function buildDescriptor(tag: number, ...content: Uint8Array[]): Uint8Array {
  const body = concatBytes(content);
  const { length } = body;
  return concatBytes([
    u8(tag, 0x80 | (length >> 21), 0x80 | (length >> 14), 0x80 | (length >> 7), length & 0x7f),
    body,
  ]);
}
