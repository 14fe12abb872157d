// What real recognizers return, and the words that captions show: spelling, joints, times and silence.
import { expect, test } from "vitest";
import { parseTranscript } from "../../lib/transcription/transcript.ts";

const HALF_SECOND = 0.5;

/** Words of half a second each, one after the other. */
const list = (...texts: string[]) =>
  texts.map((word, at) => ({ word, start: at * HALF_SECOND, end: (at + 1) * HALF_SECOND }));

function read(response: unknown) {
  const parsed = parseTranscript(response);
  if ("failure" in parsed) throw new Error(parsed.failure.reason);
  return parsed.value;
}
const textsOf = (response: unknown) => read(response).words.map(({ text }) => text);
const timesOf = (response: unknown) => read(response).words.map(({ text, start, end }) => [text, start, end]);

const withSpaces = (...texts: string[]) => ({ words: list(...texts), text: "" });

test.each<[string, string[], string[]]>([
  [
    "English",
    ["I", "'ll", "do", "state", "-of", "-the", "-art", "50", "%", ",", "ok", "."],
    ["I'll", "do", "state-of-the-art", "50%,", "ok."],
  ],
  ["a price", ["$", "5", ".", "99"], ["$5.99"]],
  ["a typographic apostrophe", ["I", "don", "’t", "e", "-mail"], ["I", "don’t", "e-mail"]],
  ["an apostrophe apart", ["don", "’", "t", "stop"], ["don’t", "stop"]],
  ["French", ["l", "'école", "est", "finie", "?"], ["l'école", "est", "finie?"]],
  ["French elisions that end", ["qu'", "il", "d’", "abord", "aujourd'", "hui"], ["qu'il", "d’abord", "aujourd'hui"]],
  ["German", ["„", "Hallo", "“", ",", "sagt", "er"], ["„Hallo“,", "sagt", "er"]],
  ["Chinese", ["你好", "，", "世界", "。"], ["你好，", "世界。"]],
  ["Chinese with a comma of ASCII", ["你好", ",", "世界", "。"], ["你好,", "世界。"]],
  ["Arabic", ["بكم", "،", "هذا", "؟"], ["بكم،", "هذا؟"]],
  ["Korean without spaces", ["안녕", "하세요"], ["안녕", "하세요"]],
  ["Hindi", ["नमस्ते", "।"], ["नमस्ते।"]],
  ["quotation marks", ['"', "Yes", '"', "she", "said"], ['"Yes"', "she", "said"]],
  ["guillemets", ["«", "Bonjour", "»", "dit", "-il"], ["«Bonjour»", "dit-il"]],
  ["brackets", ["well", "(", "maybe", ")", "not"], ["well", "(maybe)", "not"]],
  ["Spanish", ["¿", "Qué", "?", "¡", "Hola", "!"], ["¿Qué?", "¡Hola!"]],
  ["a time of day", ["at", "10", ":", "30"], ["at", "10:30"]],
  ["euros", ["nur", "5", "€", "heute"], ["nur", "5€", "heute"]],
  ["a slash", ["24", "/", "7"], ["24/7"]],
  [
    "words that begin with an apostrophe",
    ["get", "'em", "'cause", "rock", "'n'", "roll"],
    ["get", "'em", "'cause", "rock", "'n'", "roll"],
  ],
  ["a possessive plural", ["the", "dogs'", "bowl", "o'", "clock"], ["the", "dogs'", "bowl", "o'clock"]],
  ["two sentences and a number", ["in", "2025.", "99", "people"], ["in", "2025.", "99", "people"]],
  ["a hashtag", ["#", "love", "it"], ["#love", "it"]],
  ["an emoji", ["good", "👍🏽"], ["good", "👍🏽"]],
])("words apart without spaces: %s", (_, pieces, expected) => {
  expect(textsOf(withSpaces(...pieces))).toEqual(expected);
});

test.each<[string, string[], string[]]>([
  [
    "English",
    [" I", "'ll", " do", " state", "-of", "-the", "-art", " 50", "%", ",", " ok", "."],
    ["I'll", "do", "state-of-the-art", "50%,", "ok."],
  ],
  ["a price", [" It", " costs", " $", "5", ".", "99", " now"], ["It", "costs", "$5.99", "now"]],
  ["pieces of one word", [" un", "believ", "able", " story"], ["unbelievable", "story"]],
  ["Korean", [" 안녕", "하세요", " 여러분"], ["안녕하세요", "여러분"]],
  ["French with its space", [" l", "'", "école", " est", " finie", " ?"], ["l'école", "est", "finie\u00a0?"]],
  ["a full stop after a space", [" ok", " .", " yes"], ["ok.", "yes"]],
  ["SentencePiece", ["▁Hello", "▁wor", "ld", "!"], ["Hello", "world!"]],
  ["spaces at the end", ["Hel", "lo ", "there "], ["Hello", "there"]],
  ["a contraction after a space", [" I", " 'll", " do", " n't"], ["I'll", "don't"]],
  ["euros", [" nur", " 5", " €", " heute"], ["nur", "5\u00a0€", "heute"]],
  ["halves of an emoji", [" so", " \ud83d", "\ude00", " good"], ["so", "😀", "good"]],
])("pieces with their spaces: %s", (_, pieces, expected) => {
  expect(textsOf(withSpaces(...pieces))).toEqual(expected);
});

test.each<[string, string[], string, string[]]>([
  [
    "OpenAI",
    ["Hello", "world", "How", "are", "you"],
    "Hello, world. How are you?",
    ["Hello,", "world.", "How", "are", "you?"],
  ],
  ["a hyphen", ["state", "of", "the", "art"], "State-of-the-art.", ["State-of-the-art."]],
  ["other capitals", ["paris", "is", "nice"], "Paris is nice!", ["Paris", "is", "nice!"]],
  ["digits for words", ["it", "is", "fifty", "percent", "off"], "It is 50% off.", ["It", "is", "50%", "off."]],
  [
    "French",
    ["l", "école", "est", "finie"],
    "« L’école est finie ? »",
    ["«\u00a0L’école", "est", "finie\u00a0?\u00a0»"],
  ],
  ["a dash", ["well", "maybe"], "Well — maybe.", ["Well\u00a0—", "maybe."]],
  ["an ellipsis", ["so", "yes"], "... so… yes", ["...so…", "yes"]],
  ["Chinese bytes", ["你", "\ufffd", "\ufffd", "世界"], "你好，世界", ["你好，", "世界"]],
  ["another text", ["good", "morning"], "Untertitel der Amara.org-Community", ["good", "morning"]],
  ["a shorter text", ["uh", "good", "morning"], "Good morning.", ["Good", "morning."]],
  ["punctuation in the words only", ["Hello,", "world."], "hello world", ["Hello,", "world."]],
  ["an empty text", ["good", "morning"], " ", ["good", "morning"]],
])("spelling of the text: %s", (_, words, text, expected) => {
  expect(textsOf({ text, words: list(...words) })).toEqual(expected);
});

test("words keep their times when their spelling comes from the text", () => {
  expect(timesOf({ text: "Hello, state-of-the-art!", words: list("hello", "state", "of", "the", "art") })).toEqual([
    ["Hello,", 0, 0.5],
    ["state-of-the-art!", 0.5, 2.5],
  ]);
  expect(timesOf({ text: "50% off", words: list("fifty", "percent", "off") })[0]).toEqual(["50%", 0, 1]);
});

test("Japanese one-character pieces become words with their endings", () => {
  const pieces = [..."今日はTikTokで新しい動画を見ました。"].map((word, at) => ({
    word,
    start: at * 0.06,
    end: (at + 1) * 0.06,
  }));
  const { words } = read({ words: pieces });
  expect(words.map(({ text }) => text)).toEqual(["今日はTikTokで", "新しい", "動画を", "見ました。"]);
  expect(words.at(-1)?.end).toBeCloseTo(20 * 0.06);
});

test("digits, brackets and Thai without spaces", () => {
  expect(textsOf({ words: list("2", "0", "2", "4", "年", "に", "「", "東京", "」", "へ") })).toEqual([
    "2024年に",
    "「東京」",
    "へ",
  ]);
  expect(textsOf({ words: list("สวัสดีครับ", "ผม") }).join("")).toBe("สวัสดีครับผม");
});

const SEGMENT = {
  id: 0,
  seek: 0,
  tokens: [1],
  temperature: 0,
  avg_logprob: -0.2,
  compression_ratio: 1,
  no_speech_prob: 0.01,
};
const THREE = [" Hello,", " dear", " world."];

test.each<[string, unknown, string | null]>([
  [
    "OpenAI: words beside segments",
    {
      task: "transcribe",
      language: "english",
      duration: 1.5,
      text: "Hello, dear world.",
      words: list("Hello", "dear", "world"),
      segments: [{ ...SEGMENT, start: 0, end: 1.5, text: " Hello, dear world." }],
    },
    "en",
  ],
  [
    "Groq: words and segments",
    {
      text: " Hello, dear world.",
      language: "English",
      words: list("Hello,", "dear", "world."),
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
            ...list(" Hel", "lo", ",").map((one) => ({
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
      words: list(...THREE),
      segments: [{ ...SEGMENT, start: 0, end: 1.5, text: " Hello, dear world.", words: null }],
    },
    "en",
  ],
  [
    "segments with words only",
    { text: "Hello, dear world.", segments: [{ start: 0, end: 1.5, words: list(...THREE) }] },
    null,
  ],
  [
    "Workers AI: turbo",
    {
      text: "Hello, dear world.",
      word_count: 3,
      transcription_info: { language: "en", duration: 1.5 },
      segments: [
        { start: 0, end: 1.5, text: "Hello, dear world.", no_speech_prob: 0, avg_logprob: -0.1, words: list(...THREE) },
      ],
    },
    "en",
  ],
  [
    "Workers AI: whisper",
    { text: "Hello, dear world.", word_count: 3, words: list("Hello", "dear", "world"), vtt: "WEBVTT" },
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
                words: list("hello", "dear", "world").map((one, at) => ({
                  ...one,
                  confidence: 1,
                  punctuated_word: ["Hello,", "dear", "world."][at],
                })),
              },
              { transcript: "yellow", words: list("yellow") },
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
      words: list("Hello", "dear", "world").map(({ word: text, ...times }) => ({ text, ...times })),
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
      words: [...list("Hello", "dear", "world"), "what", null, 7, { word: 5, start: 0, end: 1 }, {}],
    },
    null,
  ],
])("the response of %s", (_, response, language) => {
  const transcript = read(response);
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
  const [hello, dear, world] = read({ text: "Hello dear world", words }).words;
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
  const times = timesOf({ text: "", words });
  expect(times.map(([, start]) => Number(Number(start).toFixed(2)))).toEqual([1, 1.09, 1.18, 1.33]);
  expect(timesOf({ words: [{ word: "back", start: 2, end: 1 }] })).toEqual([["back", 2, 2.24]]);
});

test("segments alone: their words are spread over them", () => {
  const segments = [
    { ...SEGMENT, start: 0, end: 2, text: " Four four." },
    { ...SEGMENT, start: 3, end: 4, text: " End" },
  ];
  expect(timesOf({ text: "Four four. End", segments })).toEqual([
    ["Four", 0, 1],
    ["four.", 1, 2],
    ["End", 3, 4],
  ]);
  const diarized = [
    { type: "transcript.text.segment", id: "1", start: 0, end: 1, text: "Hi there", speaker: "A" },
    { type: "transcript.text.segment", id: "2", start: 1, end: 2, text: "Hello", speaker: "B" },
  ];
  expect(textsOf({ task: "transcribe", text: "Hi there Hello", segments: diarized })).toEqual(["Hi", "there", "Hello"]);
});

const silent = (no_speech_prob: number, avg_logprob: number | undefined, text = " Thanks for watching!") => ({
  ...SEGMENT,
  start: 0,
  end: 65,
  text,
  no_speech_prob,
  avg_logprob,
});

test.each<[string, unknown]>([
  ["a sure text where nobody speaks", { text: "Thanks for watching!", segments: [silent(0.95, -0.2)] }],
  [
    "its words beside it",
    { text: "Thanks for watching!", words: list("Thanks", "for", "watching"), segments: [silent(0.95, -0.2)] },
  ],
  ["its words inside it", { text: "Thanks", segments: [{ ...silent(0.95, -0.2), words: list(" Thanks") }] }],
  ["an unsure text", { text: "you", segments: [silent(0.7, -1.2, " you")] }],
  [
    "blank audio of whisper.cpp",
    {
      text: " [BLANK_AUDIO]",
      segments: [{ ...silent(0.1, -0.3, " [BLANK_AUDIO]"), words: list(" [", "BL", "ANK", "_", "AUDIO", "]") }],
    },
  ],
  ["a sound", { text: "(music)", segments: [silent(0.2, -0.3, " (music)")] }],
  ["words only", { words: list("[BLANK_AUDIO]") }],
  ["a text without words", { text: "Thank you.", words: [] }],
  ["no text", { text: "" }],
  ["no segments", { text: "", segments: [] }],
  ["a text of punctuation", { text: "...", words: list("...") }],
  ["Deepgram", { results: { channels: [{ alternatives: [{ transcript: "", words: [] }] }] } }],
])("silence has no words: %s", (_, response) => {
  expect(read(response).words).toEqual([]);
});

test("speech beside silence is kept, and so is speech that the model thinks unlikely", () => {
  const segments = [
    { ...SEGMENT, start: 0, end: 2, text: " Hello there" },
    { ...silent(0.95, -0.2), start: 2, end: 60 },
  ];
  const words = [...list("Hello", "there"), { word: "Thanks", start: 30, end: 31 }];
  expect(textsOf({ text: "Hello there Thanks for watching!", words, segments })).toEqual(["Hello", "there"]);
  expect(textsOf({ text: "Sing", segments: [silent(0.75, -0.3, " Sing (2024)")] })).toEqual(["Sing", "(2024)"]);
});

test.each([
  ["half a surrogate pair", "he\ud83dllo"],
  ["NUL", "he\u0000llo"],
  ["a zero-width space", "he\u200bllo"],
  ["a replacement character", "hello\ufffd"],
])("%s is removed", (_, word) => {
  expect(textsOf({ text: word, words: list(word) })).toEqual(["hello"]);
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

test("five minutes of the fastest speech are aligned at once", () => {
  const texts = Array.from({ length: 2_000 }, (_, at) => `word${at}`);
  const started = performance.now();
  expect(read({ text: texts.map((one) => `${one},`).join(" "), words: list(...texts) }).words).toHaveLength(2_000);
  expect(textsOf({ text: texts.toReversed().join(" "), words: list(...texts) })).toHaveLength(2_000);
  expect(performance.now() - started).toBeLessThan(5_000);
});
