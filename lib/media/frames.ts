// Looks at the frames of a video: all of them where the size allows, key frames spread over the whole otherwise.
import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack, type InputVideoTrack } from "mediabunny";
import type { FrameChecker } from "./codecs.ts";
import { LIMITS } from "./limits.ts";
import { refuse } from "./refusal.ts";

export interface FramesToCheck {
  video: InputVideoTrack;
  audio: InputAudioTrack | null;
  checker: FrameChecker;
  /** How many frames the index lists, where that is known. */
  expected: number | null;
  spread: boolean;
}

export async function checkFrames(frames: FramesToCheck): Promise<void> {
  return frames.spread ? await checkSpread(frames) : await checkAll(frames);
}

async function checkSpread({ video, checker }: FramesToCheck): Promise<void> {
  const sink = new EncodedPacketSink(video);
  const first = await video.getFirstTimestamp();
  const length = (await video.computeDuration()) - first;
  for (let i = 1; i <= LIMITS.spreadSamples; i++) {
    const packet = await sink.getKeyPacket(first + (length * i) / LIMITS.spreadSamples);
    if (!packet) throw unreadable();
    checker.check(packet.data);
  }
}

/** Sound is read in step with the pictures, because both lie side by side in the file. */
async function checkAll({ video, audio, checker, expected }: FramesToCheck): Promise<void> {
  const sound = audio ? await soundReader(audio) : null;
  let count = 0;
  for await (const packet of new EncodedPacketSink(video).packets()) {
    checker.check(packet.data);
    count += 1;
    if (count > LIMITS.fragmentSamples) throw tooLong();
    await sound?.until(packet.timestamp);
  }
  await sound?.until(Number.POSITIVE_INFINITY);
  if (count === 0 || (expected !== null && count < expected)) throw unreadable();
}

function tooLong(): Error {
  return refuse("too_complex", "The video has more frames than can be checked.");
}

function unreadable(): Error {
  return refuse("truncated", "The video is incomplete: some of its frames are missing from the file.");
}

async function soundReader(audio: InputAudioTrack): Promise<{ until(timestamp: number): Promise<void> }> {
  const packets = new EncodedPacketSink(audio).packets();
  const blankIsDamage = (await audio.getCodec()) === "aac";
  let count = 0;
  let next = await packets.next();
  return {
    async until(timestamp) {
      while (!next.done && next.value.timestamp <= timestamp) {
        if (blankIsDamage) checkSound(next.value);
        count += 1;
        if (count > LIMITS.fragmentSamples) throw tooLong();
        next = await packets.next();
      }
    },
  };
}

/** No AAC frame is all zeros: even silence has an end mark. */
function checkSound(packet: EncodedPacket): void {
  if (packet.data.length > 8 && packet.data.every((byte) => byte === 0)) {
    throw refuse("audio_data", "The video is damaged: a part of its sound is blank.");
  }
}
