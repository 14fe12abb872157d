// A range is transcribed in overlapping clips of five minutes; known transcripts are reused, also after a failure.
import { expect, test } from "vitest";
import type { TranscribedRange } from "../../lib/shared/project-document.ts";
import type { AudioClip, AudioReader } from "../../lib/transcription/audio-clip.ts";
import type { SpeechToText } from "../../lib/transcription/speech-to-text.ts";
import { type TranscriptionTarget, transcribeRanges } from "../../lib/transcription/transcribe.ts";

const MINUTE = 60_000;

interface Spoken {
  text: string;
  start: number;
  end: number;
}

/** An asset with words; a clip contains the words that it overlaps, trimmed at its edges. */
function createAsset(words: Spoken[], shorter = Number.POSITIVE_INFINITY) {
  const clips: [number, number][] = [];
  const audio: AudioReader = {
    async readClip(startMs, wanted): Promise<AudioClip> {
      const endMs = Math.min(wanted, startMs + shorter);
      clips.push([startMs, endMs]);
      const inside = words.filter(({ start, end }) => end > startMs && start < endMs);
      const bytes = Uint8Array.from(Buffer.from(JSON.stringify({ startMs, endMs, words: inside })));
      const file = { bytes, contentType: "audio/wav", filename: "sound.wav" };
      return { file, offset: startMs / 1000, endMs, gap: false };
    },
    close() {},
  };
  return { audio, clips };
}

const createTestSpeechToText = (before: (start: number) => Promise<void> = async () => undefined): SpeechToText => ({
  name: "test",
  async transcribe({ bytes }) {
    const { startMs, endMs, words } = JSON.parse(new TextDecoder().decode(bytes));
    await before(startMs);
    const trimmed = words.map(({ text, start, end }: Spoken) => ({
      text,
      start: (Math.max(start, startMs) - startMs) / 1000,
      end: (Math.min(end, endMs) - startMs) / 1000,
    }));
    return { language: "en", words: trimmed };
  },
});

const buildTargets = (audio: AudioReader, ...ranges: [number, number][]): TranscriptionTarget[] => [
  { sha256: "content", ranges: ranges.map(([startMs, endMs]) => ({ startMs, endMs })), open: async () => audio },
];

/** A word every 1.5 seconds. */
const buildWords = (lengthMs: number): Spoken[] =>
  Array.from({ length: Math.floor(lengthMs / 1_500) }, (_, at) => ({
    text: `w${at}`,
    start: at * 1_500,
    end: at * 1_500 + 900,
  }));

test("an hour is transcribed in clips of five minutes, three at a time, with every word once and in order", async () => {
  const words = buildWords(60 * MINUTE);
  const { audio, clips } = createAsset(words);
  let [open, most] = [0, 0];
  const slow = createTestSpeechToText(async () => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
  });
  const {
    words: transcribed,
    language,
    failure,
    fresh,
  } = await transcribeRanges(slow, [], buildTargets(audio, [0, 60 * MINUTE]));
  expect([failure, language, most]).toEqual([null, "en", 3]);
  expect(transcribed.get("content")).toEqual(words);
  expect(Math.max(...clips.map(([from, until]) => until - from))).toBe(5 * MINUTE);
  expect(fresh).toHaveLength(clips.length);
});

test("words at every possible boundary occur once, even without pauses", async () => {
  for (const shift of [0, 137, 411, 800, 1_203]) {
    const words = Array.from({ length: 900 }, (_, at) => ({
      text: `w${at}`,
      start: at * 700 + shift,
      end: at * 700 + 700 + shift,
    }));
    const { audio } = createAsset(words, 7_321);
    const { words: transcribed } = await transcribeRanges(
      createTestSpeechToText(),
      [],
      buildTargets(audio, [0, 630_000 + shift]),
    );
    expect(transcribed.get("content")?.map(({ text }) => text)).toEqual(words.map(({ text }) => text));
  }
});

test("known transcripts are reused: a known range is not opened, a partly known one continues after it", async () => {
  const words = buildWords(20 * MINUTE);
  const first = createAsset(words);
  const { fresh } = await transcribeRanges(createTestSpeechToText(), [], buildTargets(first.audio, [0, 12 * MINUTE]));
  const second = createAsset(words);
  const inner = await transcribeRanges(
    createTestSpeechToText(),
    fresh,
    buildTargets(second.audio, [MINUTE, 2 * MINUTE], [6 * MINUTE, 11 * MINUTE]),
  );
  expect([second.clips, inner.fresh]).toEqual([[], []]);
  expect(inner.words.get("content")?.[0]).toMatchObject({ text: "w40", start: MINUTE });
  const third = createAsset(words);
  const outer = await transcribeRanges(
    createTestSpeechToText(),
    fresh,
    buildTargets(third.audio, [11 * MINUTE, 14 * MINUTE]),
  );
  expect(third.clips).toHaveLength(1);
  expect(third.clips[0]?.[0]).toBeGreaterThan(11 * MINUTE);
  const expected = words.filter(({ start }) => start >= 11 * MINUTE && start < 14 * MINUTE).map(({ text }) => text);
  expect(outer.words.get("content")?.map(({ text }) => text)).toEqual(expected);
});

test("after a failed clip no more clips are read, and earlier transcripts are kept", async () => {
  const words = buildWords(60 * MINUTE);
  const { audio, clips } = createAsset(words);
  const broken = createTestSpeechToText(async (start) => {
    if (start > 9 * MINUTE) throw new Error("no");
  });
  const {
    failure,
    fresh,
    words: transcribed,
  } = await transcribeRanges(broken, [], buildTargets(audio, [0, 60 * MINUTE]));
  expect(failure?.error).toEqual(new Error("no"));
  expect(transcribed.size).toBe(0);
  expect(clips.length).toBeLessThan(8);
  expect(fresh).toHaveLength(2);
  const again = createAsset(words);
  const retried = await transcribeRanges(createTestSpeechToText(), fresh, buildTargets(again.audio, [0, 60 * MINUTE]));
  expect(retried.words.get("content")).toEqual(words);
  expect(again.clips[0]?.[0]).toBeGreaterThan(9 * MINUTE);
});

test("a file that cannot be opened, and one without audio", async () => {
  const gone: TranscriptionTarget[] = [
    { sha256: "x", ranges: [{ startMs: 0, endMs: 1_000 }], open: () => Promise.reject(new Error("gone")) },
  ];
  expect((await transcribeRanges(createTestSpeechToText(), [], gone)).failure?.error).toEqual(new Error("gone"));
  const empty: AudioReader = { readClip: async () => null, close() {} };
  const { words, failure } = await transcribeRanges(createTestSpeechToText(), [], buildTargets(empty, [0, MINUTE]));
  expect([words.get("content"), failure]).toEqual([[], null]);
});

test("a gap in the recording splits a range without an overlap", async () => {
  const known: TranscribedRange[] = [];
  const words = [
    { text: "a", start: 500, end: 900 },
    { text: "b", start: 30_200, end: 30_600 },
  ];
  const { audio } = createAsset(words);
  const gappy: AudioReader = {
    ...audio,
    readClip: async (startMs, endMs) => {
      const clip = await audio.readClip(startMs, startMs === 0 ? 30_000 : endMs);
      return clip && startMs === 0 ? { ...clip, gap: true } : clip;
    },
  };
  const { words: transcribed, fresh } = await transcribeRanges(
    createTestSpeechToText(),
    known,
    buildTargets(gappy, [0, 40_000]),
  );
  expect(transcribed.get("content")).toEqual(words);
  expect(fresh.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
    [0, 30_000],
    [30_000, 40_000],
  ]);
});
