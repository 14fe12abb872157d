// Speech made of tones: each word is a tone of its own, spoken and heard by its pitch.

const WORDS = [
  "hello",
  "world",
  "and",
  "welcome",
  "to",
  "the",
  "show",
  "today",
  "we",
  "make",
  "small",
  "films",
  "about",
  "light",
  "water",
  "music",
  "people",
  "places",
  "thank",
  "you",
];

const [LOWEST_HZ, STEP_HZ] = [480, 140];

/** The pitch of each word, such that no word becomes another one at half or double speed. */
export const TONES: Readonly<Record<string, number>> = Object.fromEntries(
  WORDS.map((word, at) => [word, LOWEST_HZ + STEP_HZ * at]),
);

export interface ToneWord {
  text: string;
  startMs: number;
  endMs: number;
}

const FADE_SECONDS = 0.005;
const LOUDNESS = 0.3;

/** The words as samples between -1 and 1, silence around them. */
export function speak(words: readonly ToneWord[], lengthMs: number, rate: number): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(Math.round((lengthMs / 1000) * rate));
  for (const { text, startMs, endMs } of words) {
    const hertz = TONES[text];
    if (hertz === undefined) throw new Error(`"${text}" is no word that has a tone`);
    const [from, until] = [Math.round((startMs / 1000) * rate), Math.round((endMs / 1000) * rate)];
    for (let at = from; at < Math.min(until, samples.length); at++) {
      const edge = Math.min(1, (at - from) / rate / FADE_SECONDS, (until - at) / rate / FADE_SECONDS);
      samples[at] = (samples[at] ?? 0) + LOUDNESS * edge * Math.sin((2 * Math.PI * hertz * at) / rate);
    }
  }
  return samples;
}

const RATE = 8_000;
const HOP = RATE / 200;
const WINDOW = RATE / 25;
/** So much beside its pitch a tone that is no word is louder. */
const BESIDE_HZ = 30;
const SOFTEST = 0.004;
/** Of the loudest tone nearby; softer ones are what its beginning and its end splash. */
const SHARE = 0.15;
/** Of everything that sounds at the moment; noise has a little of every tone. */
const SHARE_OF_POWER = 0.05;
const SHORTEST_MS = 65;
const NEARBY_FRAMES = 12;
const msOf = (frame: number) => (frame * HOP * 1000) / RATE;

const HANN = Float32Array.from(
  { length: WINDOW },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / WINDOW),
);
const HANN_SUM = HANN.reduce((sum, weight) => sum + weight, 0);
const HANN_POWER = HANN.reduce((sum, weight) => sum + weight * weight, 0);

/** The words in a sound, wherever they are, several at once too; in the order in which they begin. */
export function listen(samples: Float32Array, rate: number): ToneWord[] {
  const sound = resampled(samples, rate);
  const frames = Math.ceil(sound.length / HOP) + 1;
  const power = Float32Array.from({ length: frames }, (_, frame) => powerAt(sound, frame));
  const loudness = Object.values(TONES).map((hertz) =>
    power.map((level, frame) => (level < SILENT ? 0 : amplitude(sound, frame, hertz))),
  );
  const loudest = Float32Array.from({ length: frames }, (_, at) => Math.max(...loudness.map((of) => of[at] ?? 0)));
  const words = Object.entries(TONES).flatMap(([text, hertz], index) => {
    const own = loudness[index] ?? new Float32Array(frames);
    const sounds = (frame: number) => {
      const level = own[frame] ?? 0;
      const near = Math.max(...loudest.subarray(Math.max(0, frame - NEARBY_FRAMES), frame + NEARBY_FRAMES));
      if (level < SOFTEST || level < SHARE * near) return false;
      if (level * level < 2 * SHARE_OF_POWER * (power[frame] ?? 0)) return false;
      return [hertz - BESIDE_HZ, hertz + BESIDE_HZ].every((other) => level >= amplitude(sound, frame, other));
    };
    return runs(frames, sounds).map(([from, until]) => ({ text, ...edgesOf(own, from, until) }));
  });
  return words.filter(({ startMs, endMs }) => endMs - startMs >= SHORTEST_MS).sort((a, b) => a.startMs - b.startMs);
}

const SILENT = (SOFTEST * SOFTEST) / 4;

/** Of what lies in the window around the frame: half the square of its amplitude when it is one tone. */
function powerAt(sound: Float32Array, frame: number): number {
  const from = frame * HOP - WINDOW / 2;
  let sum = 0;
  for (let at = 0; at < WINDOW; at++) sum += ((sound[from + at] ?? 0) * (HANN[at] ?? 0)) ** 2;
  return sum / HANN_POWER;
}

/** Goertzel over a window around the frame, so that a tone's amplitude is what it was spoken with. */
function amplitude(sound: Float32Array, frame: number, hertz: number): number {
  const from = frame * HOP - WINDOW / 2;
  const turn = 2 * Math.cos((2 * Math.PI * hertz) / RATE);
  let [last, before] = [0, 0];
  for (let at = Math.max(0, -from); at < Math.min(WINDOW, sound.length - from); at++) {
    const next = (sound[from + at] ?? 0) * (HANN[at] ?? 0) + turn * last - before;
    before = last;
    last = next;
  }
  const power = last * last + before * before - turn * last * before;
  return (2 * Math.sqrt(Math.max(0, power))) / HANN_SUM;
}

function runs(frames: number, holds: (frame: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  let from = -1;
  for (let frame = 0; frame <= frames; frame++) {
    const on = frame < frames && holds(frame);
    if (on && from < 0) from = frame;
    if (!on && from >= 0) {
      found.push([from, frame]);
      from = -1;
    }
  }
  return found;
}

/** Where the tone is at half of its loudness: there its beginning or its end lies in the middle of the window. */
function edgesOf(levels: Float32Array, from: number, until: number): Pick<ToneWord, "startMs" | "endMs"> {
  const half = Math.max(...levels.subarray(from, until)) / 2;
  let [first, last] = [from, until - 1];
  while (first < last && (levels[first] ?? 0) < half) first++;
  while (last > first && (levels[last] ?? 0) < half) last--;
  return { startMs: msOf(first), endMs: msOf(last) };
}

/** A windowed sinc that lets pass what is below 3.6 kHz, finely enough that its steps do not show. */
const REACH = 12;
const FINE = 256;
const KERNEL = Float32Array.from({ length: 2 * REACH * FINE + 1 }, (_, at) => {
  const place = at / FINE - REACH;
  const x = place * 0.9 * Math.PI;
  const sinc = Math.abs(x) < 1e-6 ? 1 : Math.sin(x) / x;
  return 0.9 * sinc * (0.5 + 0.5 * Math.cos((Math.PI * place) / REACH));
});

/** At 8 kHz, where every word lies, and what lies above is gone. */
function resampled(samples: Float32Array, rate: number): Float32Array {
  const step = rate / RATE;
  const out = new Float32Array(Math.floor(samples.length / step));
  for (let at = 0; at < out.length; at++) {
    const middle = at * step;
    const last = Math.min(samples.length - 1, Math.floor(middle + REACH * step));
    let sum = 0;
    for (let from = Math.max(0, Math.ceil(middle - REACH * step)); from <= last; from++) {
      sum += (samples[from] ?? 0) * (KERNEL[Math.round(((from - middle) / step + REACH) * FINE)] ?? 0);
    }
    out[at] = sum / step;
  }
  return out;
}
