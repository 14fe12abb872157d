// Reads the responses of speech-to-text services. The shapes, read 2026-11-28; Groq says that its endpoints are compatible:
// OpenAI: https://github.com/openai/openai-openapi (CreateTranscriptionResponseVerboseJson, TranscriptionDiarizedSegment)
// whisper.cpp: https://github.com/ggml-org/whisper.cpp/blob/master/examples/server/server.cpp (tokens of segments)
// faster-whisper: https://github.com/speaches-ai/speaches/blob/master/src/speaches/executors/whisper.py
// Workers AI: https://developers.cloudflare.com/workers-ai/models/whisper/, and the output types of @cloudflare/workers-types
// Deepgram: https://github.com/deepgram/deepgram-api-specs (ListenV1Response)
import * as z from "zod";
import { isSoundOnly } from "./sounds.ts";

/** Times in seconds, null when they are absent or unreadable. */
interface Times {
  start: number | null;
  end: number | null;
}

/** A word or a part of one, with its spaces. */
export interface Piece extends Times {
  text: string;
}

/** Speech of one channel: the pieces as they were heard, and the text as it is written. */
export interface Utterance {
  text: string | null;
  pieces: Piece[];
}

interface Speech {
  /** As the service names it. */
  language: string | null;
  utterances: Utterance[];
}

/** Above this probability nothing was said, however sure the model is of its text. */
const SILENT = 0.9;
/** The thresholds of Whisper itself: https://github.com/openai/whisper/blob/main/whisper/transcribe.py, read 2026-11-28. */
const WHISPER_SILENT = { probability: 0.6, logProbability: -1 };
/**
 * LocalAI returns Go's time.Duration, which counts nanoseconds: https://github.com/mudler/LocalAI/issues/5327, read 2026-11-29.
 * Times that are further apart than this cannot be seconds, and those over the maximum are no part of a clip either.
 */
const NANOSECONDS = { perSecond: 1e9, minSpread: 1e7, max: 1e12 };

const Text = z.string().nullable().catch(null);
const Numeric = z.unknown().transform(toNumber).catch(null);

const Word = z
  .object({ punctuated_word: Text, word: Text, text: Text, start: Numeric, end: Numeric })
  .transform(({ punctuated_word, word, text, start, end }) => ({
    text: punctuated_word ?? word ?? text ?? "",
    start,
    end,
  }));

const Segment = z.object({
  text: Text,
  start: Numeric,
  end: Numeric,
  no_speech_prob: Numeric,
  avg_logprob: Numeric,
  words: timed(Word),
});
type Segment = z.output<typeof Segment>;

const Channel = z.object({
  detected_language: Text,
  alternatives: readable(z.object({ transcript: Text, words: timed(Word) })),
});

const Response = z.object({
  language: Text,
  text: Text,
  words: timed(Word),
  segments: timed(Segment),
  transcription_info: z.object({ language: Text }).nullable().catch(null),
  results: z
    .object({ channels: readable(Channel) })
    .nullable()
    .catch(null),
});
type Response = z.output<typeof Response>;

/** The items of a list that can be read; null when there is no list. */
function readable<Item extends z.ZodType>(item: Item) {
  const items = z.array(item.nullable().catch(null as never)).transform((list) => list.filter((one) => one !== null));
  return items.nullable().catch(null);
}

/** The items of a list that can be read, with their times in seconds. */
function timed<Item extends z.ZodType<Times>>(item: Item) {
  return readable(item).transform((items) => (items && areNanoseconds(items) ? items.map(toSeconds) : items));
}

function areNanoseconds(items: Times[]): boolean {
  const times = items.flatMap(({ start, end }) => [start, end]).filter((time) => time !== null);
  const sorted = times.toSorted((a, b) => a - b);
  const spread = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  return spread >= NANOSECONDS.minSpread && times.every((time) => Number.isInteger(time) && time < NANOSECONDS.max);
}

function toSeconds<Item extends Times>({ start, end, ...rest }: Item) {
  const convert = (time: number | null) => time && time / NANOSECONDS.perSecond;
  return { ...rest, start: convert(start), end: convert(end) };
}

/** Null when the body is not a transcription. */
export function readResponse(body: unknown): Speech | "without times" | null {
  const { success, data: response } = Response.safeParse(body);
  const channels = response?.results?.channels;
  if (!success || !(channels || response.text !== null || response.words || response.segments)) return null;
  const utterances = channels ? channels.flatMap(readChannel) : readWhisper(response);
  if (utterances.some(({ pieces }) => !pieces.some(hasTime) && pieces.some((piece) => piece.text.trim() !== "")))
    return "without times";
  const detected = channels?.find(({ detected_language }) => detected_language)?.detected_language;
  return { language: response.language ?? response.transcription_info?.language ?? detected ?? null, utterances };
}

/** The first alternative is the best one. */
function readChannel({ alternatives }: z.output<typeof Channel>): Utterance[] {
  const [best] = alternatives ?? [];
  return best?.words ? [{ text: best.transcript, pieces: best.words }] : [];
}

function readWhisper({ text, words, segments }: Response): Utterance[] {
  if (!segments?.length) return [{ text, pieces: words ?? [{ text: text ?? "", start: null, end: null }] }];
  const speech = segments.filter(isSpeech);
  const pieces =
    words?.length && !areBetterTimed(segments, words) ? dropSilent(words, segments) : speech.flatMap(toPieces);
  const isWritten = speech.every((segment) => segment.text !== null);
  return [{ text: isWritten ? joinTexts(speech.map((segment) => segment.text ?? "")) : null, pieces }];
}

/** Words inside segments have times of their own, and segments with times are better than words without. */
function areBetterTimed(segments: Segment[], words: Piece[]): boolean {
  const isNested = segments.some((segment) => segment.words?.some(hasTime));
  return isNested || (!words.some(hasTime) && segments.some((segment) => segment.text !== null && hasTime(segment)));
}

function isSpeech({ text, no_speech_prob, avg_logprob }: Segment): boolean {
  const silence = no_speech_prob ?? 0;
  const isUnsure = avg_logprob !== null && avg_logprob < WHISPER_SILENT.logProbability;
  return !(silence >= SILENT || (silence > WHISPER_SILENT.probability && isUnsure) || isSoundOnly(text ?? ""));
}

/** The words of the segment; without times of their own, its text is one piece that lasts as long as the segment. */
function toPieces({ text, words, start, end }: Segment): Piece[] {
  if (words?.some(hasTime)) return words;
  return text === null ? [] : [{ text, start, end }];
}

/** Drops the words in the middle of a segment without speech. */
function dropSilent(words: Piece[], segments: Segment[]): Piece[] {
  const covers = (segment: Segment, { start, end }: Piece) => {
    const middle = ((start ?? 0) + (end ?? start ?? 0)) / 2;
    return middle >= (segment.start ?? 0) && middle <= (segment.end ?? Number.POSITIVE_INFINITY);
  };
  const silent = segments.filter((segment) => !isSpeech(segment));
  const speech = segments.filter(isSpeech);
  return words.filter(
    (word) =>
      !(hasTime(word) && silent.some((segment) => covers(segment, word))) ||
      speech.some((segment) => covers(segment, word)),
  );
}

const hasTime = ({ start, end }: Times) => start !== null || end !== null;

/** Segments are written as they follow each other, with their spaces, or each without spaces around it. */
function joinTexts(texts: string[]): string {
  return texts.join(texts.slice(1).some((text) => /^\s/.test(text)) ? "" : " ");
}

/** Accepts numbers, numbers as strings, and clock times such as 00:01:02.500. */
function toNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || !/^\s*-?(?:\d+:){0,2}\d+(?:[.,]\d+)?\s*$/.test(value)) return null;
  return value
    .replace(",", ".")
    .split(":")
    .reduce((sum, part) => sum * 60 + Number(part), 0);
}
