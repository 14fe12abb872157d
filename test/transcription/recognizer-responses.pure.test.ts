// The responses of real recognizers: their shapes, times and languages, and the bodies that are failures.
import { expect, test } from "vitest";
import { parseTranscript } from "../../lib/transcription/transcript.ts";
import { HALF_SECOND, listWords, readTexts, readTimes, readTranscript, SEGMENT } from "./read-words.ts";

const THREE = [" Hello,", " dear", " world."];

test.each<[string, unknown, string | null]>([
  [
    "OpenAI: words beside segments",
    {
      task: "transcribe",
      language: "english",
      duration: 1.5,
      text: "Hello, dear world.",
      words: listWords("Hello", "dear", "world"),
      segments: [{ ...SEGMENT, start: 0, end: 1.5, text: " Hello, dear world." }],
    },
    "en",
  ],
  [
    "Groq: words and segments",
    {
      text: " Hello, dear world.",
      language: "English",
      words: listWords("Hello,", "dear", "world."),
      segments: [{ ...SEGMENT, start: 0, end: 1.5, text: " Hello, dear world." }],
      x_groq: { id: "req" },
    },
    "en",
  ],
  [
    "whisper.cpp: tokens in segments",
    {
      task: "transcribe",
      language: "english",
      text: " Hello, dear\n world.\n",
      segments: [
        {
          id: 0,
          text: " Hello, dear",
          start: 0,
          end: 1,
          tokens: [1],
          words: [
            ...listWords(" Hel", "lo", ",").map((one) => ({
              ...one,
              start: one.start / 2,
              end: Math.min(0.5, one.end / 2),
              t_dtw: -1,
            })),
            { word: " dear", start: 0.5, end: 1 },
          ],
          no_speech_prob: 0.01,
          avg_logprob: -0.3,
        },
        {
          id: 1,
          text: " world.",
          start: 1,
          end: 1.5,
          words: [
            { word: " world", start: 1, end: 1.5 },
            { word: ".", start: 1.5, end: 1.5 },
          ],
        },
      ],
    },
    "en",
  ],
  [
    "faster-whisper: words with spaces",
    {
      language: "en",
      text: "Hello, dear world.",
      words: listWords(...THREE),
      segments: [{ ...SEGMENT, start: 0, end: 1.5, text: " Hello, dear world.", words: null }],
    },
    "en",
  ],
  [
    "segments with words only",
    { text: "Hello, dear world.", segments: [{ start: 0, end: 1.5, words: listWords(...THREE) }] },
    null,
  ],
  [
    "Workers AI: turbo",
    {
      text: "Hello, dear world.",
      word_count: 3,
      transcription_info: { language: "en", duration: 1.5 },
      segments: [
        {
          start: 0,
          end: 1.5,
          text: "Hello, dear world.",
          no_speech_prob: 0,
          avg_logprob: -0.1,
          words: listWords(...THREE),
        },
      ],
    },
    "en",
  ],
  [
    "Workers AI: whisper",
    { text: "Hello, dear world.", word_count: 3, words: listWords("Hello", "dear", "world"), vtt: "WEBVTT" },
    null,
  ],
  [
    "Deepgram",
    {
      metadata: {},
      results: {
        channels: [
          {
            detected_language: "en-US",
            alternatives: [
              {
                transcript: "Hello, dear world.",
                confidence: 0.9,
                words: listWords("hello", "dear", "world").map((one, at) => ({
                  ...one,
                  confidence: 1,
                  punctuated_word: ["Hello,", "dear", "world."][at],
                })),
              },
              { transcript: "yellow", words: listWords("yellow") },
            ],
          },
        ],
      },
    },
    "en",
  ],
  [
    "text for word",
    {
      text: "Hello, dear world.",
      words: listWords("Hello", "dear", "world").map(({ word: text, ...times }) => ({ text, ...times })),
    },
    null,
  ],
  [
    "times as strings",
    {
      text: "Hello, dear world.",
      words: [
        { word: "Hello", start: "0", end: "0.5" },
        { word: "dear", start: "00:00:00.500", end: "00:00:01,000" },
        { word: "world", start: "1.0", end: "1.5" },
      ],
    },
    null,
  ],
  [
    "a malformed word",
    {
      text: "Hello, dear world.",
      words: [...listWords("Hello", "dear", "world"), "what", null, 7, { word: 5, start: 0, end: 1 }, {}],
    },
    null,
  ],
])("the response of %s", (_, response, language) => {
  const transcript = readTranscript(response);
  expect(transcript.language).toBe(language);
  expect(transcript.words.map(({ text }) => text)).toEqual(["Hello,", "dear", "world."]);
  for (const [at, { start, end }] of transcript.words.entries()) {
    expect(start).toBeCloseTo(at * HALF_SECOND);
    expect(end).toBeCloseTo((at + 1) * HALF_SECOND);
  }
});

test.each<[string, object[]]>([
  ["null", [{ word: "dear", start: null, end: null }]],
  ["absent", [{ word: "dear" }]],
  ["not a number", [{ word: "dear", start: "soon", end: {} }]],
  ["instants", [{ word: "dear", start: 0.5, end: 0.5 }]],
])("a word whose times are %s is placed between its neighbours", (_, middle) => {
  const words = [{ word: "Hello", start: 0, end: 0.5 }, ...middle, { word: "world", start: 1, end: 1.5 }];
  const [hello, dear, world] = readTranscript({ text: "Hello dear world", words }).words;
  expect([hello, world]).toEqual([
    { text: "Hello", start: 0, end: 0.5 },
    { text: "world", start: 1, end: 1.5 },
  ]);
  expect(dear).toEqual({ text: "dear", start: 0.5, end: 0.74 });
});

test("words of no length at one instant share the time up to the next word", () => {
  const words = [
    ...["one", "two", "three"].map((word) => ({ word, start: 1, end: 1 })),
    { word: "four", start: 1.33, end: 2 },
  ];
  const times = readTimes({ text: "", words });
  expect(times.map(([, start]) => Number(Number(start).toFixed(2)))).toEqual([1, 1.09, 1.18, 1.33]);
  expect(readTimes({ words: [{ word: "back", start: 2, end: 1 }] })).toEqual([["back", 2, 2.24]]);
});

test("segments alone: their words are spread over them", () => {
  const segments = [
    { ...SEGMENT, start: 0, end: 2, text: " Four four." },
    { ...SEGMENT, start: 3, end: 4, text: " End" },
  ];
  expect(readTimes({ text: "Four four. End", segments })).toEqual([
    ["Four", 0, 1],
    ["four.", 1, 2],
    ["End", 3, 4],
  ]);
  const diarized = [
    { type: "transcript.text.segment", id: "1", start: 0, end: 1, text: "Hi there", speaker: "A" },
    { type: "transcript.text.segment", id: "2", start: 1, end: 2, text: "Hello", speaker: "B" },
  ];
  expect(readTexts({ task: "transcribe", text: "Hi there Hello", segments: diarized })).toEqual([
    "Hi",
    "there",
    "Hello",
  ]);
});

test.each<[string, object]>([
  ["absent", {}],
  ["null", { start: null, end: null }],
  ["unreadable", { start: "soon", end: "later" }],
])("the segments are read when the times of all words beside them are %s", (_, times) => {
  const segments = [{ ...SEGMENT, start: 0, end: 1, text: " Hello there" }];
  const words = [
    { word: "Hello", ...times },
    { word: "there", ...times },
  ];
  const expected = [
    ["Hello", 0, 0.5],
    ["there", 0.5, 1],
  ];
  expect(readTimes({ words, segments })).toEqual(expected);
  expect(readTimes({ text: "Hello there", words, segments })).toEqual(expected);
  expect(readTexts({ words, segments: [{ ...SEGMENT, start: 0, end: 1, text: "you", no_speech_prob: 0.95 }] })).toEqual(
    [],
  );
  expect(parseTranscript({ words, segments: [{ start: 0, end: 1 }] })).toHaveProperty("failure");
  expect(parseTranscript({ words, segments: [{ text: "Hello there" }] })).toHaveProperty("failure");
});

test("times in nanoseconds, as Go writes durations, are converted to seconds", () => {
  const segments = [
    { id: 0, start: 0, end: 2e9, text: " Four four." },
    { id: 1, start: 3e9, end: 4_240_000_000, text: " End" },
  ];
  expect(readTimes({ text: "Four four. End", segments })).toEqual([
    ["Four", 0, 1],
    ["four.", 1, 2],
    ["End", 3, 4.24],
  ]);
  const words = [
    { word: "Hello", start: 0, end: 5e8 },
    { word: "there", start: "500000000", end: 8e8 },
  ];
  const expected = [
    ["Hello", 0, 0.5],
    ["there", 0.5, 0.8],
  ];
  expect(readTimes({ words })).toEqual(expected);
  expect(readTimes({ segments: [{ start: 0, end: 8e8, text: "Hello there", words }] })).toEqual(expected);
});

test.each([
  ["seconds", [0, 300]],
  ["clock times", [1_764_450_000, 1_764_450_300]],
  ["times of years", [0, 1e13]],
  ["fractions", [0.5, 1e9 + 0.5]],
])("%s are not nanoseconds", (_, [start, end]) => {
  expect(readTimes({ words: [{ word: "Hello", start, end }] })).toEqual([["Hello", start, end]]);
});

test("a text without times and other bodies are failures that say why", () => {
  const failureOf = (body: unknown) => {
    const parsed = parseTranscript(body);
    return "failure" in parsed ? parsed.failure : null;
  };
  expect(failureOf({ text: "Hello.", usage: { type: "tokens" } })).toMatchObject({
    reason: "the response has a text without times",
  });
  expect(failureOf({ text: "Hi", words: [{ word: "Hi", probability: 1 }] })).toMatchObject({ retryable: false });
  expect(failureOf({ text: "Hi", segments: [{ text: "Hi" }] })?.cure).toContain("operator");
  for (const body of [null, "nonsense", [], {}, { error: "no" }, 7]) {
    expect(failureOf(body)).toEqual({ retryable: false, reason: "the response is not a transcription" });
  }
});
