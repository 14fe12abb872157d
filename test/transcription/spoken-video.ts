// Videos with speech, of words as tones or of a person: the frames of the demo video, repeated, with uncompressed audio.
import { readFile } from "node:fs/promises";
import {
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MovOutputFormat,
  MP4,
  Output,
} from "mediabunny";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import { synthesizeSpeech, type ToneWord } from "../local/fake-speech.ts";

/** Samples a second of all audio here. */
const RATE = 16_000;
/** The interleaving of cameras. */
const PACKET_SECONDS = 0.5;

/** A QuickTime video in which the words are spoken; without words it has no audio track. */
export function createSpokenVideo(
  lengthMs: number,
  words: readonly ToneWord[] | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const toSample = (amplitude: number) => Math.round(amplitude * 32_767);
  return createVideo(lengthMs, words && Int16Array.from(synthesizeSpeech(words, lengthMs, RATE), toSample));
}

/** A QuickTime video with a sound of 16,000 samples a second. */
export function createVideoWithSound(samples: Int16Array): Promise<Uint8Array<ArrayBuffer>> {
  return createVideo(Math.round((samples.length / RATE) * 1000), samples);
}

async function createVideo(lengthMs: number, samples: Int16Array | null): Promise<Uint8Array<ArrayBuffer>> {
  const output = new Output({ format: new MovOutputFormat({ fastStart: "in-memory" }), target: new BufferTarget() });
  const video = new EncodedVideoPacketSource("avc");
  output.addVideoTrack(video);
  const audio = samples ? new EncodedAudioPacketSource("pcm-s16") : null;
  if (audio) output.addAudioTrack(audio);
  await output.start();
  await Promise.all([addPictures(video, lengthMs / 1000), audio && samples ? addAudio(audio, samples) : null]);
  await output.finalize();
  return new Uint8Array(output.target.buffer ?? new ArrayBuffer());
}

async function addPictures(source: EncodedVideoPacketSource, seconds: number): Promise<void> {
  const input = new Input({ formats: [MP4], source: new BufferSource(await readFile(DEMO_VIDEO)) });
  const track = await input.getPrimaryVideoTrack();
  if (!track) throw new Error("the demo video has no video track");
  const [sink, config, length] = [
    new EncodedPacketSink(track),
    await track.getDecoderConfig(),
    await track.computeDuration(),
  ];
  for (let from = 0; from < seconds; from += length) {
    for await (const packet of sink.packets()) {
      const timestamp = from + packet.timestamp;
      if (timestamp >= seconds) break;
      const placed = packet.clone({ timestamp, duration: Math.min(packet.duration, seconds - timestamp) });
      await source.add(placed, config ? { decoderConfig: config } : undefined);
    }
  }
  source.close();
}

async function addAudio(source: EncodedAudioPacketSource, samples: Int16Array): Promise<void> {
  const decoderConfig = { codec: "pcm-s16", numberOfChannels: 1, sampleRate: RATE };
  const count = RATE * PACKET_SECONDS;
  for (let at = 0; at < samples.length; at += count) {
    const part = samples.slice(at, at + count);
    const data = new Uint8Array(part.buffer);
    await source.add(new EncodedPacket(data, "key", at / RATE, part.length / RATE), { decoderConfig });
  }
  source.close();
}
