// Sound is cut from a video to the packet and put into a file that decoders take, where its offset says.
import { expect, test } from "vitest";
import { openAiRecogniser } from "../../lib/speech/openai.ts";
import { openSound, type Part } from "../../lib/speech/sound.ts";
import { createCalls } from "../local/calls.ts";
import { startSpeech } from "../local/speech.ts";
import { listen, type ToneWord } from "../local/tones.ts";
import { ffmpeg, hasFfmpeg, samplesOf, WHY_SKIPPED } from "./ffmpeg.ts";
import { tonedVideo } from "./toned.ts";

const WORDS: ToneWord[] = [
  { text: "hello", startMs: 500, endMs: 800 },
  { text: "world", startMs: 1_150, endMs: 1_400 },
  { text: "music", startMs: 4_010, endMs: 4_400 },
  { text: "you", startMs: 7_000, endMs: 7_300 },
];

/** Counts what is read. */
function sourceOf(bytes: Uint8Array) {
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

async function partOf(bytes: Uint8Array, startMs: number, endMs: number): Promise<Part | null> {
  const sound = await openSound(sourceOf(bytes));
  const part = await sound?.part(startMs, endMs);
  sound?.close();
  return part ?? null;
}

/** Words in milliseconds of the video, as the recogniser heard them in the part. */
async function heard({ file, offset }: Part) {
  const speech = await startSpeech({ calls: createCalls(), port: 0, key: "k" });
  try {
    const recogniser = openAiRecogniser({ url: speech.url, model: "m", key: "k", withinMs: 30_000, fetch });
    const { words } = await recogniser.hear(file);
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
  for (const [at, { startMs, endMs }] of got.entries()) {
    expect(Math.abs(startMs - (wanted[at]?.startMs ?? 0))).toBeLessThanOrEqual(withinMs);
    expect(Math.abs(endMs - (wanted[at]?.endMs ?? 0))).toBeLessThanOrEqual(withinMs);
  }
}

test("uncompressed sound becomes a WAV cut to the sample", async () => {
  const video = await tonedVideo(9_000, WORDS);
  const part = await partOf(video, 1_001, 5_003);
  if (!part) throw new Error("there is sound");
  expect(part.file).toMatchObject({ contentType: "audio/wav", filename: "sound.wav" });
  expect(part.file.bytes.length).toBe(44 + Math.round(4.002 * 16_000) * 2);
  expect([part.offset, part.endMs, part.gap]).toEqual([expect.closeTo(1.001, 4), 5_003, false]);
  expectWords(await heard(part), WORDS.slice(1, 3), 10);
});

test("nothing behind the end, nothing of a video without sound", async () => {
  expect(await partOf(await tonedVideo(2_000, WORDS.slice(0, 1)), 2_500, 4_000)).toBeNull();
  expect(await openSound(sourceOf(await tonedVideo(1_000, null)))).toBeNull();
});

const CODECS: [codec: string, name: string, args: string[], withinMs: number][] = [
  ["AAC", "a.mp4", ["-c:v", "copy", "-c:a", "aac", "-ar", "44100", "-ac", "2"], 25],
  ["AAC in a film whose index is last", "a.mov", ["-c:v", "copy", "-c:a", "aac", "-ar", "48000"], 25],
  ["MP3", "a.mp4", ["-c:v", "copy", "-c:a", "libmp3lame", "-ar", "44100"], 40],
  ["Opus", "a.webm", ["-vf", "scale=90:160", "-r", "5", "-c:v", "libvpx", "-cpu-used", "8", "-c:a", "libopus"], 25],
  ["Opus in MP4", "a.mp4", ["-c:v", "copy", "-c:a", "libopus", "-strict", "-2"], 40],
  ["Vorbis", "a.webm", ["-vf", "scale=90:160", "-r", "5", "-c:v", "libvpx", "-cpu-used", "8", "-c:a", "libvorbis"], 40],
  ["FLAC", "a.mp4", ["-c:v", "copy", "-c:a", "flac", "-strict", "-2"], 25],
  ["24 bit big-endian", "a.mov", ["-c:v", "copy", "-c:a", "pcm_s24be"], 15],
  ["mu-law", "a.mov", ["-c:v", "copy", "-c:a", "pcm_mulaw", "-ar", "8000"], 15],
];

test.for(CODECS)(
  "%s goes into a file of its own that ffmpeg and the recogniser hear alike",
  async ([, name, args, withinMs], { skip }) => {
    skip(!hasFfmpeg, WHY_SKIPPED);
    const toned = await tonedVideo(9_000, WORDS);
    const video = await ffmpeg({ toned }, (path) => ["-i", path("toned"), ...args], name);
    const part = await partOf(video, 900, 6_000);
    if (!part) throw new Error("there is sound");
    expect(part.offset).toBeLessThanOrEqual(0.9);
    expect(part.offset).toBeGreaterThan(0.79);
    const { samples, rate } = await samplesOf(part.file.filename, part.file.bytes);
    const at = (ms: number) => part.offset * 1000 + ms;
    const judged = listen(samples, rate).map(({ text, startMs, endMs }) => ({
      text,
      startMs: at(startMs),
      endMs: at(endMs),
    }));
    expectWords(judged, WORDS.slice(1, 3), withinMs);
    expectWords(await heard(part), WORDS.slice(1, 3), withinMs);
  },
);

test("sound that no recogniser takes is none", async ({ skip }) => {
  skip(!hasFfmpeg, WHY_SKIPPED);
  const toned = await tonedVideo(2_000, WORDS.slice(0, 1));
  const ac3 = await ffmpeg({ toned }, (path) => ["-i", path("toned"), "-c:v", "copy", "-c:a", "ac3"], "a.mp4");
  expect(await openSound(sourceOf(ac3))).toBeNull();
});

test("a damaged file is 422 invalid_document, a storage that fails is told as it is", async () => {
  const video = await tonedVideo(2_000, WORDS.slice(0, 1));
  await expect(openSound(sourceOf(new Uint8Array(200).fill(7)))).rejects.toMatchObject({ code: "invalid_document" });
  const away = new Error("the bucket is away");
  let reads = 0;
  const failing = {
    ...sourceOf(video),
    read: async (offset: number, length: number) => {
      if (++reads > 1) throw away;
      return video.slice(offset, offset + length);
    },
  };
  const open = async () => (await openSound(failing))?.part(0, 2_000);
  await expect(open().then(() => "was read")).rejects.toBe(away);
});

test("a part stops at 8 MiB, says how far it reaches, and the next one goes on from there", async () => {
  const loud = await tonedVideo(300_000, [{ text: "hello", startMs: 262_500, endMs: 262_900 }]);
  const source = sourceOf(loud);
  const sound = await openSound(source);
  const first = await sound?.part(0, 300_000);
  expect(first?.file.bytes.length).toBeLessThan(8.1 * 1024 * 1024);
  expect(first?.endMs).toBeGreaterThan(260_000);
  expect(first?.endMs).toBeLessThan(263_000);
  const second = await sound?.part(260_000, 300_000);
  if (!second) throw new Error("there is sound");
  expect(second.endMs).toBe(300_000);
  expectWords(await heard(second), [{ text: "hello", startMs: 262_500, endMs: 262_900 }], 10);
  sound?.close();
});
