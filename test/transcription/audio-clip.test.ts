// Audio clips are extracted from a video to the packet, as files that decoders accept, with the right offset.
import { expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { type AudioClip, openAudioReader } from "../../lib/transcription/audio-clip.ts";
import { muxPackets } from "../../lib/transcription/mux.ts";
import { createOpenAiSpeechToText } from "../../lib/transcription/openai.ts";
import { addOpusHeader, SILENT_PACKET, SILENT_PACKET_SECONDS } from "../../lib/transcription/opus.ts";
import { createCallCounter } from "../local/call-counter.ts";
import { recognizeWords, type ToneWord } from "../local/fake-speech.ts";
import { startSpeechToText } from "../local/speech-to-text.ts";
import { decodeSamples, hasFfmpeg, runFfmpeg, WHY_SKIPPED } from "./ffmpeg.ts";
import { createSpokenVideo } from "./spoken-video.ts";

const WORDS: ToneWord[] = [
  { text: "hello", startMs: 500, endMs: 800 },
  { text: "world", startMs: 1_150, endMs: 1_400 },
  { text: "music", startMs: 4_010, endMs: 4_400 },
  { text: "you", startMs: 7_000, endMs: 7_300 },
];

/** A source that counts the bytes read. */
function createSource(bytes: Uint8Array) {
  let read = 0;
  return {
    size: bytes.length,
    bytesRead: () => read,
    async read(offset: number, length: number) {
      read += length;
      return bytes.slice(offset, offset + length);
    },
  };
}

async function readClip(bytes: Uint8Array, startMs: number, endMs: number): Promise<AudioClip | null> {
  const audio = await openAudioReader(createSource(bytes));
  const clip = await audio?.readClip(startMs, endMs);
  audio?.close();
  return clip ?? null;
}

/** Transcribes a clip; words are in milliseconds of the video. */
async function transcribeClip({ file, offset }: AudioClip) {
  const speech = await startSpeechToText({ calls: createCallCounter(), port: 0, key: "k" });
  try {
    const speechToText = createOpenAiSpeechToText({ url: speech.url, model: "m", key: "k", timeoutMs: 30_000, fetch });
    const { words } = await speechToText.transcribe(file);
    return words.map(({ text, start, end }) => ({
      text,
      startMs: (offset + start) * 1000,
      endMs: (offset + end) * 1000,
    }));
  } finally {
    await speech.close();
  }
}

function expectWords(got: ToneWord[], wanted: ToneWord[], withinMs: number) {
  expect(got.map(({ text }) => text)).toEqual(wanted.map(({ text }) => text));
  for (const [index, { startMs, endMs }] of got.entries()) {
    expect(Math.abs(startMs - at(wanted, index).startMs)).toBeLessThanOrEqual(withinMs);
    expect(Math.abs(endMs - at(wanted, index).endMs)).toBeLessThanOrEqual(withinMs);
  }
}

test("uncompressed audio becomes a WAV trimmed to the sample", async () => {
  const video = await createSpokenVideo(9_000, WORDS);
  const clip = await readClip(video, 1_001, 5_003);
  if (!clip) throw new Error("audio expected");
  expect(clip.file).toMatchObject({ contentType: "audio/wav", filename: "sound.wav" });
  expect(clip.file.bytes.length).toBe(44 + Math.round(4.002 * 16_000) * 2);
  expect([clip.offset, clip.endMs, clip.gap]).toEqual([expect.closeTo(1.001, 4), 5_003, false]);
  expectWords(await transcribeClip(clip), WORDS.slice(1, 3), 10);
});

test("null after the end, and for a video without audio", async () => {
  expect(await readClip(await createSpokenVideo(2_000, WORDS.slice(0, 1)), 2_500, 4_000)).toBeNull();
  expect(await openAudioReader(createSource(await createSpokenVideo(1_000, null)))).toBeNull();
});

const CODECS: [codec: string, name: string, args: string[], withinMs: number][] = [
  ["AAC", "a.mp4", ["-c:v", "copy", "-c:a", "aac", "-ar", "44100", "-ac", "2"], 25],
  ["AAC in a QuickTime file with its index last", "a.mov", ["-c:v", "copy", "-c:a", "aac", "-ar", "48000"], 25],
  ["MP3", "a.mp4", ["-c:v", "copy", "-c:a", "libmp3lame", "-ar", "44100"], 40],
  ["Opus", "a.webm", ["-vf", "scale=90:160", "-r", "5", "-c:v", "libvpx", "-cpu-used", "8", "-c:a", "libopus"], 25],
  ["Opus in MP4", "a.mp4", ["-c:v", "copy", "-c:a", "libopus", "-strict", "-2"], 40],
  ["Vorbis", "a.webm", ["-vf", "scale=90:160", "-r", "5", "-c:v", "libvpx", "-cpu-used", "8", "-c:a", "libvorbis"], 40],
  ["FLAC", "a.mp4", ["-c:v", "copy", "-c:a", "flac", "-strict", "-2"], 25],
  ["24 bit big-endian", "a.mov", ["-c:v", "copy", "-c:a", "pcm_s24be"], 15],
  ["32 bit floating point, big-endian", "a.mov", ["-c:v", "copy", "-c:a", "pcm_f32be"], 15],
  ["8 bit signed", "a.mov", ["-c:v", "copy", "-c:a", "pcm_s8"], 15],
  ["mu-law", "a.mov", ["-c:v", "copy", "-c:a", "pcm_mulaw", "-ar", "8000"], 15],
];

test.for(CODECS)(
  "%s becomes a file that ffmpeg and the speech-to-text server decode alike",
  async ([, name, args, withinMs], { skip }) => {
    skip(!hasFfmpeg, WHY_SKIPPED);
    const toned = await createSpokenVideo(9_000, WORDS);
    const video = await runFfmpeg({ toned }, (path) => ["-i", path("toned"), ...args], name);
    const clip = await readClip(video, 900, 6_000);
    if (!clip) throw new Error("audio expected");
    expect(clip.offset).toBeLessThanOrEqual(0.9);
    expect(clip.offset).toBeGreaterThan(0.79);
    const { samples, rate } = await decodeSamples(clip.file.filename, clip.file.bytes);
    const at = (ms: number) => clip.offset * 1000 + ms;
    const judged = recognizeWords(samples, rate).map(({ text, startMs, endMs }) => ({
      text,
      startMs: at(startMs),
      endMs: at(endMs),
    }));
    expectWords(judged, WORDS.slice(1, 3), withinMs);
    expectWords(await transcribeClip(clip), WORDS.slice(1, 3), withinMs);
  },
);

test("Opus without an identification header gets one", async ({ skip }) => {
  skip(!hasFfmpeg, WHY_SKIPPED);
  const packets = Array.from({ length: 50 }, (_, at) => ({
    data: SILENT_PACKET,
    timestamp: 7 + at * SILENT_PACKET_SECONDS,
    duration: SILENT_PACKET_SECONDS,
  }));
  const decoder = addOpusHeader({ codec: "opus", sampleRate: 48_000, numberOfChannels: 1 });
  const file = await muxPackets({ codec: "opus", decoder }, packets);
  expect(file).toMatchObject({ contentType: "audio/ogg", filename: "sound.ogg" });
  const { samples, rate } = await decodeSamples(file.filename, file.bytes);
  expect(samples.length / rate).toBeCloseTo(1, 1);
  expect(Math.max(...samples.map(Math.abs))).toBe(0);
});

test("null for a codec that cannot be transcribed", async ({ skip }) => {
  skip(!hasFfmpeg, WHY_SKIPPED);
  const toned = await createSpokenVideo(2_000, WORDS.slice(0, 1));
  const ac3 = await runFfmpeg({ toned }, (path) => ["-i", path("toned"), "-c:v", "copy", "-c:a", "ac3"], "a.mp4");
  expect(await openAudioReader(createSource(ac3))).toBeNull();
});

test("422 invalid_document for a damaged file; storage errors are thrown unchanged", async () => {
  const video = await createSpokenVideo(2_000, WORDS.slice(0, 1));
  await expect(openAudioReader(createSource(new Uint8Array(200).fill(7)))).rejects.toMatchObject({
    code: "invalid_document",
  });
  const away = new Error("storage is unavailable");
  let reads = 0;
  const failing = {
    ...createSource(video),
    read: async (offset: number, length: number) => {
      if (++reads > 1) throw away;
      return video.slice(offset, offset + length);
    },
  };
  const open = async () => (await openAudioReader(failing))?.readClip(0, 2_000);
  await expect(open().then(() => "was read")).rejects.toBe(away);
});

test("a clip ends at 8 MiB and reports its end, where the next one continues", async () => {
  const loud = await createSpokenVideo(300_000, [{ text: "hello", startMs: 262_500, endMs: 262_900 }]);
  const source = createSource(loud);
  const audio = await openAudioReader(source);
  const first = await audio?.readClip(0, 300_000);
  expect(first?.file.bytes.length).toBeLessThan(8.1 * 1024 * 1024);
  expect(first?.endMs).toBeGreaterThan(260_000);
  expect(first?.endMs).toBeLessThan(263_000);
  const second = await audio?.readClip(260_000, 300_000);
  if (!second) throw new Error("audio expected");
  expect(second.endMs).toBe(300_000);
  expectWords(await transcribeClip(second), [{ text: "hello", startMs: 262_500, endMs: 262_900 }], 10);
  audio?.close();
});
