// Transcribes time ranges of assets: reuses known transcripts, and transcribes the rest in clips of a few minutes.

import pLimit from "p-limit";
import { type ApiError, apiError } from "../shared/errors.ts";
import type { TimeRange, TranscribedRange, TranscribedWord } from "../shared/project-document.ts";
import { toResult } from "../shared/result.ts";
import type { AudioClip, AudioReader } from "./audio-clip.ts";
import type { SpeechToText, Transcript } from "./speech-to-text.ts";

export interface TranscriptionTarget {
  sha256: string;
  ranges: TimeRange[];
  open(): Promise<AudioReader>;
}

const CLIP_MS = 5 * 60_000;
/** Adjacent clips overlap, so that a word at the boundary is complete in one of them. */
const OVERLAP_MS = 4_000;
/** Clips in transcription at a time. A Worker has six connections, and reading the assets needs some of them. */
const CONCURRENCY = 3;
/** Per range; more pieces mean an unusual number of gaps. */
const MAX_PIECES = 1_000;

export interface TranscriptionResult {
  /** New transcripts to store for later requests, also after a failure. */
  fresh: TranscribedRange[];
  /** By sha256, in order of time. */
  words: Map<string, TranscribedWord[]>;
  language: string | null;
  failure: { error: unknown } | null;
}

/** Never throws, so that transcripts from before a failure are kept. */
export async function transcribeRanges(
  speechToText: SpeechToText,
  known: TranscribedRange[],
  targets: TranscriptionTarget[],
): Promise<TranscriptionResult> {
  const fresh: TranscribedRange[] = [];
  const queue = createTranscriptionQueue(speechToText, fresh);
  const planned = await toResult(planTargets(queue, known, targets));
  const failure = await queue.finish();
  const failed = planned.ok ? failure : { error: planned.error };
  if (!planned.ok || failed) return { fresh, words: new Map(), language: null, failure: failure ?? failed };
  const words = new Map<string, TranscribedWord[]>();
  const transcribed: TranscribedRange[] = [];
  for (const { sha256, pieces } of planned.value) {
    const ranges = pieces.map((piece) => ("sha256" in piece ? piece : piece.getResult()));
    transcribed.push(...ranges);
    words.set(sha256, [...(words.get(sha256) ?? []), ...mergeWords(ranges)]);
  }
  return { fresh, words, language: findMainLanguage(transcribed), failure: null };
}

type Piece = TranscribedRange | SentClip;

async function planTargets(queue: TranscriptionQueue, known: TranscribedRange[], targets: TranscriptionTarget[]) {
  const planned: { sha256: string; pieces: Piece[] }[] = [];
  for (const asset of targets) {
    const knownRanges = known.filter(({ sha256 }) => sha256 === asset.sha256);
    const audio = openOnce(asset.open);
    try {
      for (const range of asset.ranges) {
        planned.push({
          sha256: asset.sha256,
          pieces: await planRange(queue, asset.sha256, range, knownRanges, audio.get),
        });
      }
    } finally {
      audio.close();
    }
  }
  return planned;
}

/** Walks the range from its start: each step reuses a known transcript or sends one clip. */
async function planRange(
  queue: TranscriptionQueue,
  sha256: string,
  range: TimeRange,
  known: TranscribedRange[],
  audio: () => Promise<AudioReader>,
) {
  const pieces: Piece[] = [];
  for (let at = range.startMs; at < range.endMs; ) {
    const kept = findFurthestKnown(known, at, range.endMs);
    if (kept) pieces.push({ ...kept, startMs: at, endMs: Math.min(kept.endMs, range.endMs) });
    const end = Math.min(range.endMs, at + CLIP_MS);
    const read = async () => (await audio()).readClip(at, end);
    const clip = kept ? null : await queue.send({ sha256, startMs: at }, read);
    if (clip) pieces.push(clip);
    const reached = kept?.endMs ?? clip?.endMs ?? end;
    if (reached >= range.endMs) break;
    const overlap = clip?.gap || !(kept || clip) ? 0 : Math.min(OVERLAP_MS, Math.floor((reached - at) / 4));
    if (pieces.length >= MAX_PIECES) throw tooManyGapsError();
    at = Math.max(at + 1, reached - overlap);
  }
  return pieces;
}

function tooManyGapsError(): ApiError {
  return apiError(
    "invalid_document",
    "The audio of the project has too many gaps to be transcribed. Reduce the number of cuts.",
  );
}

/** The known transcript that covers `at` and reaches furthest, if it is long enough to advance. */
function findFurthestKnown(known: TranscribedRange[], at: number, end: number): TranscribedRange | null {
  const enough = Math.min(end, at + 2 * OVERLAP_MS);
  const fit = known.filter(({ startMs, endMs }) => startMs <= at && endMs >= enough);
  return fit.reduce<TranscribedRange | null>((best, one) => (best && best.endMs >= one.endMs ? best : one), null);
}

type TranscriptionQueue = ReturnType<typeof createTranscriptionQueue>;

/** Reads and transcribes up to CONCURRENCY clips at a time; after a failure no further one is read. */
function createTranscriptionQueue(speechToText: SpeechToText, fresh: TranscribedRange[]) {
  const limit = pLimit(CONCURRENCY);
  const open: Promise<void>[] = [];
  let failure: { error: unknown } | null = null;

  /** The clip once it is read, in a free slot, where it is then transcribed. Null when there is no audio. */
  function send(start: { sha256: string; startMs: number }, read: () => Promise<AudioClip | null>) {
    const { promise, resolve, reject } = Promise.withResolvers<SentClip | null>();
    const work = async () => {
      if (failure) return reject(failure.error);
      const clip = await toResult(read());
      if (!clip.ok) return reject(clip.error);
      if (!clip.value) return resolve(null);
      const range = { ...start, endMs: clip.value.endMs };
      const sent = createSentClip(clip.value);
      resolve(sent);
      const transcript = await toResult(speechToText.transcribe(clip.value.file));
      if (!transcript.ok) failure ??= { error: transcript.error };
      else fresh.push(sent.setResult({ ...range, ...toAssetWords(transcript.value, clip.value, range) }));
    };
    open.push(limit(work));
    return promise;
  }

  async function finish(): Promise<{ error: unknown } | null> {
    await Promise.all(open);
    return failure;
  }
  return { send, finish };
}

function createSentClip({ endMs, gap }: AudioClip) {
  let result: TranscribedRange | null = null;
  return {
    endMs,
    gap,
    setResult(transcribed: TranscribedRange): TranscribedRange {
      result = transcribed;
      return transcribed;
    },
    getResult(): TranscribedRange {
      if (!result) throw new Error("the result of a clip was read before it was transcribed");
      return result;
    },
  };
}
type SentClip = ReturnType<typeof createSentClip>;

/** Converts words to milliseconds of the asset; drops those that lie mostly outside of the clip. */
function toAssetWords({ language, words }: Transcript, { offset }: AudioClip, { startMs, endMs }: TimeRange) {
  const ms = (seconds: number) => Math.round((offset + seconds) * 1000);
  const whole = words
    .map(({ text, start, end }) => ({ text: text.trim(), start: ms(start), end: Math.max(ms(start) + 1, ms(end)) }))
    .filter((word) => word.text !== "" && isWithin(word, startMs, endMs));
  return { language, words: whole.sort((a, b) => a.start - b.start) };
}

function isWithin({ start, end }: TranscribedWord, from: number, until: number): boolean {
  const middle = (start + end) / 2;
  return middle >= from && middle < until;
}

/** Merges the words of overlapping pieces, each word from one of them. */
function mergeWords(pieces: TranscribedRange[]): TranscribedWord[] {
  const words: TranscribedWord[] = [];
  let from = pieces[0]?.startMs ?? 0;
  for (const [at, piece] of pieces.entries()) {
    const next = pieces[at + 1];
    const until = next && next.startMs < piece.endMs ? findSeam(piece, next.startMs) : piece.endMs;
    words.push(...piece.words.filter((word) => isWithin(word, from, until)));
    from = until;
  }
  return words;
}

/** The boundary between two pieces: the middle of the longest pause in their overlap. */
function findSeam(piece: TranscribedRange, from: number): number {
  const inside = piece.words.filter(({ start, end }) => end > from && start < piece.endMs);
  const edges = [from, ...inside.flatMap(({ start, end }) => [start, end]), piece.endMs];
  let best = { pause: -1, middle: from };
  for (let at = 0; at < edges.length; at += 2) {
    const [begin = 0, end = 0] = [edges[at], edges[at + 1]];
    if (end - begin > best.pause) best = { pause: end - begin, middle: (begin + end) / 2 };
  }
  return best.middle;
}

/** The language of most words. */
function findMainLanguage(ranges: TranscribedRange[]): string | null {
  const counts = new Map<string, number>();
  for (const { language, words } of ranges) {
    if (language) counts.set(language, (counts.get(language) ?? 0) + words.length);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** Opens on first use. */
function openOnce(open: () => Promise<AudioReader>) {
  let opened: Promise<AudioReader> | null = null;
  return {
    get(): Promise<AudioReader> {
      opened ??= open();
      return opened;
    },
    close(): void {
      opened?.then((audio) => audio.close()).catch(() => undefined);
    },
  };
}
