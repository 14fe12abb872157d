// The thread in which the local recogniser listens: decodes a sound, whatever its format, and tells the words in it.
import { parentPort } from "node:worker_threads";
import decode from "audio-decode";
import { BufferSource, EncodedPacketSink, Input, MP4 } from "mediabunny";
import { listen, type ToneWord } from "./tones.ts";

export interface Sent {
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface Heard {
  id: number;
  /** Null when the bytes are no sound; `duration` in seconds. */
  sound: { words: ToneWord[]; duration: number } | null;
}

parentPort?.on("message", async ({ id, bytes }: Sent) => {
  const sound = await decoded(bytes);
  const heard = sound && { words: listen(sound.samples, sound.rate), duration: sound.samples.length / sound.rate };
  parentPort?.postMessage({ id, sound: heard } satisfies Heard);
});

/** The mean of its channels; null when the bytes are no sound. */
async function decoded(bytes: Uint8Array<ArrayBuffer>): Promise<{ samples: Float32Array; rate: number } | null> {
  try {
    const { channelData, sampleRate } = await decode(bytes);
    const [first, ...others] = channelData;
    if (!first) return null;
    const late = Math.round((await withheld(bytes, first.length / sampleRate)) * sampleRate);
    const samples = new Float32Array(late + first.length);
    for (const [at, sample] of first.entries()) {
      samples[late + at] = others.reduce((sum, channel) => sum + (channel[at] ?? 0), sample) / channelData.length;
    }
    return { samples, rate: sampleRate };
  } catch {
    return null;
  }
}

/** The decoder of AAC keeps its first frame to itself; that much comes too early. */
async function withheld(bytes: Uint8Array<ArrayBuffer>, seconds: number): Promise<number> {
  const input = new Input({ formats: [MP4], source: new BufferSource(bytes) });
  try {
    const track = (await input.canRead()) ? await input.getPrimaryAudioTrack() : null;
    const frame = track ? await new EncodedPacketSink(track).getFirstPacket() : null;
    if (!track || !frame) return 0;
    return (await track.computeDuration()) - seconds > frame.duration / 3 ? frame.duration : 0;
  } finally {
    input.dispose();
  }
}
