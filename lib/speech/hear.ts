// Hears ranges of assets: what is known is taken as it is, the rest is cut, sent and heard, a few minutes at a time.
import type { HeardWord } from "../../drizzle/schema/editor.ts";
import { type Refusal, refuse } from "../errors.ts";
import { settle } from "../settle.ts";
import type { Recogniser, Spoken } from "./recogniser.ts";
import type { Part, Sound } from "./sound.ts";

/** In milliseconds of an asset. */
export interface Range {
  startMs: number;
  endMs: number;
}

export interface Heard extends Range {
  sha256: string;
  language: string | null;
  words: HeardWord[];
}

export interface Wanted {
  sha256: string;
  ranges: Range[];
  open(): Promise<Sound>;
}

const PART_MS = 5 * 60_000;
/** Neighbouring parts share so much, so that a word at the seam is whole in one of them. */
const OVERLAP_MS = 4_000;
/** How many parts are with the recogniser at a time. A Worker has six connections, and the reader needs some. */
const AT_ONCE = 3;
/** Of one range; a recording with more gaps than this is no recording. */
const PIECES_AT_MOST = 1_000;

export interface Hearing {
  /** What was heard just now, for the next time; also when something failed. */
  fresh: Heard[];
  /** By sha256, in the order of the asset. */
  words: Map<string, HeardWord[]>;
  language: string | null;
  failure: { error: unknown } | null;
}

/** Never throws: what was heard before something failed is worth keeping. */
export async function hear(recogniser: Recogniser, known: Heard[], wanted: Wanted[]): Promise<Hearing> {
  const fresh: Heard[] = [];
  const desk = deskOf(recogniser, fresh);
  const planned = await settle(planAll(desk, known, wanted));
  const failure = await desk.finish();
  const failed = planned.ok ? failure : { error: planned.error };
  if (!planned.ok || failed) return { fresh, words: new Map(), language: null, failure: failure ?? failed };
  const words = new Map<string, HeardWord[]>();
  const spoken: Heard[] = [];
  for (const { sha256, parts } of planned.value) {
    const heard = parts.map((part) => ("sha256" in part ? part : part.heard()));
    spoken.push(...heard);
    words.set(sha256, [...(words.get(sha256) ?? []), ...stitched(heard)]);
  }
  return { fresh, words, language: languageOf(spoken), failure: null };
}

interface Sent {
  endMs: number;
  heard(): Heard;
}
type Piece = Heard | Sent;

async function planAll(desk: Desk, known: Heard[], wanted: Wanted[]) {
  const planned: { sha256: string; parts: Piece[] }[] = [];
  for (const asset of wanted) {
    const of = known.filter(({ sha256 }) => sha256 === asset.sha256);
    const sound = once(asset.open);
    try {
      for (const range of asset.ranges) {
        planned.push({ sha256: asset.sha256, parts: await piecesOf(desk, asset.sha256, range, of, sound.get) });
      }
    } finally {
      sound.close();
    }
  }
  return planned;
}

/** Walks the range from its start: each step takes what is known there, or as much sound as one file may hold. */
async function piecesOf(desk: Desk, sha256: string, range: Range, known: Heard[], sound: () => Promise<Sound>) {
  const pieces: Piece[] = [];
  for (let at = range.startMs; at < range.endMs; ) {
    const kept = furthest(known, at, range.endMs);
    if (kept) pieces.push({ ...kept, startMs: at, endMs: Math.min(kept.endMs, range.endMs) });
    const end = Math.min(range.endMs, at + PART_MS);
    const part = kept ? null : await desk.when(async () => (await sound()).part(at, end));
    if (part) pieces.push(desk.send({ sha256, startMs: at, endMs: part.endMs }, part));
    const reached = kept?.endMs ?? part?.endMs ?? end;
    if (reached >= range.endMs) break;
    const overlap = part?.gap || !(kept || part) ? 0 : Math.min(OVERLAP_MS, Math.floor((reached - at) / 4));
    if (pieces.length >= PIECES_AT_MOST) throw tooManyPieces();
    at = Math.max(at + 1, reached - overlap);
  }
  return pieces;
}

function tooManyPieces(): Refusal {
  return refuse("invalid_document", "The sound of the cut has too many gaps to be transcribed.");
}

/** What is known from here on, when it is enough to get ahead. */
function furthest(known: Heard[], at: number, end: number): Heard | null {
  const enough = Math.min(end, at + 2 * OVERLAP_MS);
  const fit = known.filter(({ startMs, endMs }) => startMs <= at && endMs >= enough);
  return fit.reduce<Heard | null>((best, one) => (best && best.endMs >= one.endMs ? best : one), null);
}

type Desk = ReturnType<typeof deskOf>;

/** Keeps a few parts with the recogniser; nothing more is cut while it is full, nor once something has failed. */
function deskOf(recogniser: Recogniser, fresh: Heard[]) {
  const open = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;

  async function when<Value>(work: () => Promise<Value>): Promise<Value> {
    while (open.size >= AT_ONCE) await Promise.race(open);
    if (failure) throw failure.error;
    return work();
  }

  function send(range: Range & { sha256: string }, part: Part): Sent {
    let heard: Heard | null = null;
    const work = recogniser.hear(part.file).then(
      (spoken) => {
        heard = { ...range, ...placed(spoken, part, range) };
        fresh.push(heard);
      },
      (error) => {
        failure ??= { error };
      },
    );
    const listed = work.finally(() => open.delete(listed));
    open.add(listed);
    return {
      endMs: range.endMs,
      heard() {
        if (!heard) throw new Error("a part was asked for before it was heard");
        return heard;
      },
    };
  }

  async function finish(): Promise<{ error: unknown } | null> {
    await Promise.all(open);
    return failure;
  }
  return { when, send, finish };
}

/** Words in milliseconds of the asset; those that lie mostly outside of the part are its neighbour's. */
function placed({ language, words }: Spoken, { offset }: Part, { startMs, endMs }: Range) {
  const ms = (seconds: number) => Math.round((offset + seconds) * 1000);
  const whole = words
    .map(({ text, start, end }) => ({ text: text.trim(), start: ms(start), end: Math.max(ms(start) + 1, ms(end)) }))
    .filter((word) => word.text !== "" && within(word, startMs, endMs));
  return { language, words: whole.sort((a, b) => a.start - b.start) };
}

function within({ start, end }: HeardWord, from: number, until: number): boolean {
  const middle = (start + end) / 2;
  return middle >= from && middle < until;
}

/** The words of a range, each from one of its parts. */
function stitched(parts: Heard[]): HeardWord[] {
  const words: HeardWord[] = [];
  let from = parts[0]?.startMs ?? 0;
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1];
    const until = next && next.startMs < part.endMs ? seam(part, next.startMs) : part.endMs;
    words.push(...part.words.filter((word) => within(word, from, until)));
    from = until;
  }
  return words;
}

/** Where one part gives way to the next: the middle of the longest pause in what both heard. */
function seam(part: Heard, from: number): number {
  const inside = part.words.filter(({ start, end }) => end > from && start < part.endMs);
  const edges = [from, ...inside.flatMap(({ start, end }) => [start, end]), part.endMs];
  let best = { pause: -1, middle: from };
  for (let at = 0; at < edges.length; at += 2) {
    const [begin = 0, end = 0] = [edges[at], edges[at + 1]];
    if (end - begin > best.pause) best = { pause: end - begin, middle: (begin + end) / 2 };
  }
  return best.middle;
}

/** The language that most words are in. */
function languageOf(heard: Heard[]): string | null {
  const counts = new Map<string, number>();
  for (const { language, words } of heard) {
    if (language) counts.set(language, (counts.get(language) ?? 0) + words.length);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** Opened when first needed. */
function once(open: () => Promise<Sound>) {
  let opened: Promise<Sound> | null = null;
  return {
    get(): Promise<Sound> {
      opened ??= open();
      return opened;
    },
    close(): void {
      opened?.then((sound) => sound.close()).catch(() => undefined);
    },
  };
}
