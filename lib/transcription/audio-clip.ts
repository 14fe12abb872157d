// Extracts audio clips of a few minutes from a stored video: reads only the needed packets, and muxes them into a file.
import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack } from "mediabunny";
import { apiError } from "../shared/errors.ts";
import { findAudioFileFormat } from "./audio-files.ts";
import { type AudioInput, openAudioInput, type ReadableSource } from "./audio-input.ts";
import type { AudioConfig, AudioFile, AudioPacket } from "./encoded-audio.ts";
import { muxPackets } from "./mux.ts";
import { addOpusHeader, getOpusSeconds, SILENT_PACKET, SILENT_PACKET_SECONDS } from "./opus.ts";
import { getSampleBytes, isUncompressed } from "./pcm.ts";

/** Speech-to-text services accept 25 MB; several clips are in memory at once. */
const MAX_CLIP_BYTES = 8 * 1024 * 1024;
/** A larger gap between packets ends the clip, since most file formats cannot express gaps. */
const GAP_SECONDS = 0.06;
/** No codec has longer packets: a longer duration means a gap after the packet. */
const PACKET_SECONDS = 0.25;

export interface AudioClip {
  file: AudioFile;
  /** Start of the clip in the asset, in seconds: the requested start, or up to one packet earlier. */
  offset: number;
  /** End of the clip; earlier than requested when the clip is too large or followed by a gap. */
  endMs: number;
  /** The clip ended because of a gap in the recording. */
  gap: boolean;
}

export interface AudioReader {
  /** Null when the range has no audio. */
  readClip(startMs: number, endMs: number): Promise<AudioClip | null>;
  close(): void;
}

/** Null when there is no audio that can be transcribed. Storage errors are thrown unchanged. */
export async function openAudioReader(source: ReadableSource): Promise<AudioReader | null> {
  const opened = await openAudioInput(source);
  const { input } = opened;
  const audioTrack = await withStorageErrors(opened, async () => {
    const track = await input.getPrimaryAudioTrack();
    const config = track ? await readAudioConfig(track) : null;
    return track && config ? { sink: new EncodedPacketSink(track), config } : null;
  });
  if (!audioTrack) {
    input.dispose();
    return null;
  }
  return {
    readClip: (startMs, endMs) =>
      withStorageErrors(opened, () => extractClip(audioTrack.sink, audioTrack.config, startMs, endMs)),
    close: () => input.dispose(),
  };
}

const UNREADABLE_MESSAGE = "The audio of the project cannot be read: one of its files is damaged or unsupported.";

/** Rethrows storage errors, which the demuxer wraps; any other error becomes `invalid_document`. */
async function withStorageErrors<Value>(
  { input, getStorageFailure }: AudioInput,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    input.dispose();
    throw getStorageFailure()?.error ?? apiError("invalid_document", UNREADABLE_MESSAGE, { cause: error });
  }
}

async function readAudioConfig(track: InputAudioTrack): Promise<AudioConfig | null> {
  const codec = await track.getCodec();
  const decoder = codec && findAudioFileFormat(codec) ? await track.getDecoderConfig() : null;
  if (!codec || !decoder) return null;
  return { codec, decoder: codec === "opus" ? addOpusHeader(decoder) : decoder };
}

async function extractClip(
  sink: EncodedPacketSink,
  config: AudioConfig,
  startMs: number,
  endMs: number,
): Promise<AudioClip | null> {
  const [start, end] = [startMs / 1000, endMs / 1000];
  const packets: AudioPacket[] = [];
  let bytes = 0;
  // Not the library's iterator, which reads megabytes ahead.
  let next = (await sink.getPacket(start)) ?? (await sink.getFirstPacket());
  if (next && next.timestamp + next.duration <= start) next = await sink.getNextPacket(next);
  while (next && next.timestamp < end) {
    const last = packets.at(-1);
    const gap = last ? next.timestamp - (last.timestamp + last.duration) : 0;
    if (gap > GAP_SECONDS && config.codec !== "opus") return buildClip(next.timestamp, true);
    if (bytes >= MAX_CLIP_BYTES) return buildClip(next.timestamp, false);
    if (gap > GAP_SECONDS) appendSilence(packets, gap);
    const packet = copyPacket(next, config, start, end);
    packets.push(packet);
    bytes += packet.data.length;
    next = await sink.getNextPacket(next);
  }
  return packets.length > 0 ? buildClip(end, false) : null;

  async function buildClip(seconds: number, gap: boolean): Promise<AudioClip> {
    const reached = Math.min(endMs, Math.ceil(seconds * 1000));
    return { file: await muxPackets(config, packets), offset: packets[0]?.timestamp ?? start, endMs: reached, gap };
  }
}

/** Copies the packet, because the demuxer's packet is a view that keeps megabytes alive. */
function copyPacket(
  { data, timestamp, duration }: EncodedPacket,
  config: AudioConfig,
  start: number,
  end: number,
): AudioPacket {
  if (config.codec === "opus") return { data: data.slice(), timestamp, duration: getOpusSeconds(data) };
  const frame = getFrameBytes(config);
  if (frame === null) return { data: data.slice(), timestamp, duration: duration > PACKET_SECONDS ? 0 : duration };
  // Uncompressed packets can be of any length, so they are trimmed to the sample.
  const { sampleRate } = config.decoder;
  const from = Math.max(0, Math.round((start - timestamp) * sampleRate));
  const until = Math.min(Math.floor(data.length / frame), Math.round((end - timestamp) * sampleRate));
  const kept = data.slice(from * frame, until * frame);
  const seconds = kept.length / frame / sampleRate;
  return { data: kept, timestamp: timestamp + from / sampleRate, duration: seconds };
}

/** Bytes of one sample of all channels; null for compressed codecs, whose packets cannot be trimmed. */
function getFrameBytes({ codec, decoder }: AudioConfig): number | null {
  return isUncompressed(codec) ? getSampleBytes(codec) * decoder.numberOfChannels : null;
}

/** Opus omits packets during silence (DTX); silent packets in their place keep the timing. */
function appendSilence(packets: AudioPacket[], seconds: number): void {
  for (let filled = SILENT_PACKET_SECONDS; filled <= seconds; filled += SILENT_PACKET_SECONDS) {
    const last = packets.at(-1);
    if (!last) return;
    packets.push({ data: SILENT_PACKET, timestamp: last.timestamp + last.duration, duration: SILENT_PACKET_SECONDS });
  }
}
