// Muxes encoded audio packets into a file format that speech-to-text services accept.
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  FlacOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WavOutputFormat,
} from "mediabunny";
import { at } from "../shared/at.ts";
import { type AudioFileFormat, findAudioFileFormat } from "./audio-files.ts";
import type { AudioConfig, AudioFile, AudioPacket } from "./encoded-audio.ts";
import { toWavSamples } from "./pcm.ts";

const FORMATS: Record<AudioFileFormat["extension"], () => OutputFormat> = {
  m4a: () => new Mp4OutputFormat({ fastStart: "in-memory" }),
  ogg: () => new OggOutputFormat(),
  mp3: () => new Mp3OutputFormat({ xingHeader: false }),
  flac: () => new FlacOutputFormat(),
  wav: () => new WavOutputFormat(),
};

/** Writes the packets to a file that begins at time zero. They must be contiguous. */
export async function muxPackets(config: AudioConfig, packets: readonly AudioPacket[]): Promise<AudioFile> {
  const format = findAudioFileFormat(config.codec);
  if (!format) throw new Error(`audio codec ${config.codec} has no file format`);
  const isWav = format.extension === "wav";
  const convert = (data: Uint8Array) => (isWav ? toWavSamples(config.codec, data).samples : data);
  const { codec } = isWav ? toWavSamples(config.codec, new Uint8Array()) : config;
  const decoderConfig = isWav ? { ...config.decoder, codec } : config.decoder;

  const source = new EncodedAudioPacketSource(codec);
  const target = new BufferTarget();
  const output = new Output({ format: FORMATS[format.extension](), target });
  output.addAudioTrack(source);
  await output.start();
  const from = at(packets, 0).timestamp;
  for (const { data, timestamp, duration } of packets)
    await source.add(new EncodedPacket(convert(data), "key", timestamp - from, duration), { decoderConfig });
  await output.finalize();
  if (!target.buffer) throw new Error("the muxer wrote no file");
  return {
    bytes: new Uint8Array(target.buffer),
    contentType: format.contentType,
    filename: `sound.${format.extension}`,
  };
}
