// The sound of a stored video: packets of a few minutes of it, read from just there and put into a file of their own.
import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack } from "mediabunny";
import { refuse } from "../errors.ts";
import { type OpenInput, openInput, type Readable } from "./input.ts";
import { opusSeconds, SILENCE, SILENCE_SECONDS } from "./opus.ts";
import { canPack, pack } from "./pack.ts";
import type { Coding, Packet, SoundFile } from "./packets.ts";
import { sampleOf } from "./wav.ts";

/** What one file may hold; recognisers take 25 MB, and several are in memory at once. */
const BYTES_AT_MOST = 8 * 1024 * 1024;
/** Further apart than this, packets would sound earlier in a file that knows no gaps. */
const GAP_SECONDS = 0.06;
/** No codec has packets this long: such a one stands for a gap behind it. */
const PACKET_SECONDS = 0.25;

export interface Part {
  file: SoundFile;
  /** Where the file begins in the asset, in seconds: at the start that was asked for, or a packet before. */
  offset: number;
  /** How far the sound reaches; less than was asked for when it is large or has a gap. */
  endMs: number;
  /** It ends because nothing was recorded behind it for a while. */
  gap: boolean;
}

export interface Sound {
  /** Null when nothing was recorded there. */
  part(startMs: number, endMs: number): Promise<Part | null>;
  close(): void;
}

/** Null when there is none that a recogniser takes. What the storage throws is thrown as it is. */
export async function openSound(source: Readable): Promise<Sound | null> {
  const opened = await openInput(source);
  const { input } = opened;
  const coded = await telling(opened, async () => {
    const track = await input.getPrimaryAudioTrack();
    const coding = track ? await codingOf(track) : null;
    return track && coding ? { sink: new EncodedPacketSink(track), coding } : null;
  });
  if (!coded) {
    input.dispose();
    return null;
  }
  return {
    part: (startMs, endMs) => telling(opened, () => cut(coded.sink, coded.coding, startMs, endMs)),
    close: () => input.dispose(),
  };
}

const UNREADABLE = "The sound of the cut cannot be read: a file of it is damaged or stored in an unusual way.";

/** The demuxer wraps what its source throws; the caller is to see whether the storage failed or the file is bad. */
async function telling<Value>({ input, failed }: OpenInput, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    input.dispose();
    throw failed()?.error ?? refuse("invalid_document", UNREADABLE, { cause: error });
  }
}

async function codingOf(track: InputAudioTrack): Promise<Coding | null> {
  const codec = await track.getCodec();
  const config = codec && canPack(codec) ? await track.getDecoderConfig() : null;
  if (!codec || !config) return null;
  const { sampleRate, numberOfChannels: channels, description } = config;
  return { codec, sampleRate, channels, description: description ? bytesOf(description) : new Uint8Array() };
}

function bytesOf(description: ArrayBufferLike | ArrayBufferView): Uint8Array {
  if (!ArrayBuffer.isView(description)) return new Uint8Array(description);
  return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
}

async function cut(sink: EncodedPacketSink, coding: Coding, startMs: number, endMs: number): Promise<Part | null> {
  const [start, end] = [startMs / 1000, endMs / 1000];
  const packets: Packet[] = [];
  let bytes = 0;
  // One after another: the library's iterator reads a second's worth of its own pace ahead, which is megabytes.
  let next = (await sink.getPacket(start)) ?? (await sink.getFirstPacket());
  if (next && next.timestamp + next.duration <= start) next = await sink.getNextPacket(next);
  while (next && next.timestamp < end) {
    const last = packets.at(-1);
    const gap = last ? next.timestamp - (last.timestamp + last.duration) : 0;
    if (gap > GAP_SECONDS && coding.codec !== "opus") return ended(next.timestamp, true);
    if (bytes >= BYTES_AT_MOST) return ended(next.timestamp, false);
    if (gap > GAP_SECONDS) silence(packets, gap);
    const packet = own(next, coding, start, end);
    packets.push(packet);
    bytes += packet.data.length;
    next = await sink.getNextPacket(next);
  }
  return packets.length > 0 ? ended(end, false) : null;

  function ended(seconds: number, gap: boolean): Part {
    const reached = Math.min(endMs, Math.ceil(seconds * 1000));
    return { file: pack(coding, packets), offset: packets[0]?.timestamp ?? start, endMs: reached, gap };
  }
}

/** The demuxer's packet is a view into megabytes that were read; only its own bytes are kept. */
function own({ data, timestamp, duration }: EncodedPacket, coding: Coding, start: number, end: number): Packet {
  if (coding.codec === "opus") return { data: data.slice(), timestamp, duration: opusSeconds(data) };
  const frame = frameBytes(coding);
  if (frame === null) return { data: data.slice(), timestamp, duration: duration > PACKET_SECONDS ? 0 : duration };
  // Uncompressed packets are as long as the writer liked, so they are cut to the sample.
  const from = Math.max(0, Math.round((start - timestamp) * coding.sampleRate));
  const until = Math.min(Math.floor(data.length / frame), Math.round((end - timestamp) * coding.sampleRate));
  const kept = data.slice(from * frame, until * frame);
  const seconds = kept.length / frame / coding.sampleRate;
  return { data: kept, timestamp: timestamp + from / coding.sampleRate, duration: seconds };
}

/** Of one sample of every channel; null where packets cannot be cut. */
function frameBytes({ codec, channels }: Coding): number | null {
  const plain = codec.startsWith("pcm-") || codec === "ulaw" || codec === "alaw";
  return plain ? sampleOf(codec).bytes * channels : null;
}

/** Opus leaves out packets while nobody speaks; silence in their place keeps what follows where it belongs. */
function silence(packets: Packet[], seconds: number): void {
  for (let filled = SILENCE_SECONDS; filled <= seconds; filled += SILENCE_SECONDS) {
    const last = packets.at(-1);
    if (!last) return;
    packets.push({ data: SILENCE, timestamp: last.timestamp + last.duration, duration: SILENCE_SECONDS });
  }
}
