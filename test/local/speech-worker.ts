// The worker thread of the fake speech-to-text service: decodes audio of any format and recognizes its words.
import { parentPort } from "node:worker_threads";
import decode from "audio-decode";
import { BufferSource, EncodedPacketSink, Input, MP4 } from "mediabunny";
import { recognizeWords, type ToneWord } from "./fake-speech.ts";

export interface AudioMessage {
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface RecognitionMessage {
  id: number;
  /** Null when the bytes are not audio; `duration` in seconds. */
  result: { words: ToneWord[]; duration: number } | null;
}

parentPort?.on("message", async ({ id, bytes }: AudioMessage) => {
  const audio = await decodeAudio(bytes);
  const result = audio && {
    words: recognizeWords(audio.samples, audio.rate),
    duration: audio.samples.length / audio.rate,
  };
  parentPort?.postMessage({ id, result } satisfies RecognitionMessage);
});

/** Returns the mean of all channels; null when the bytes are not audio. */
async function decodeAudio(bytes: Uint8Array<ArrayBuffer>): Promise<{ samples: Float32Array; rate: number } | null> {
  try {
    const { channelData, sampleRate } = await decode(bytes);
    const [first, ...others] = channelData;
    if (!first) return null;
    const delay = Math.round((await readEncoderDelay(bytes, first.length / sampleRate)) * sampleRate);
    const samples = new Float32Array(delay + first.length);
    for (const [at, sample] of first.entries()) {
      samples[delay + at] = others.reduce((sum, channel) => sum + (channel[at] ?? 0), sample) / channelData.length;
    }
    return { samples, rate: sampleRate };
  } catch {
    return null;
  }
}

/** The AAC decoder drops the first frame, so its output starts one frame too early. Returns that delay in seconds. */
async function readEncoderDelay(bytes: Uint8Array<ArrayBuffer>, seconds: number): Promise<number> {
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
