// Fake speech: each word is a tone, synthesized and recognized by its pitch.

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

/** The pitch of each word in hertz, chosen so that no word becomes another one at half or double speed. */
export const WORD_TONES_HZ: Readonly<Record<string, number>> = Object.fromEntries(
  WORDS.map((word, at) => [word, LOWEST_HZ + STEP_HZ * at]),
);

export interface ToneWord {
  text: string;
  startMs: number;
  endMs: number;
}

const FADE_SECONDS = 0.005;
const AMPLITUDE = 0.3;

/** Returns the words as samples between -1 and 1, surrounded by silence. */
export function synthesizeSpeech(
  words: readonly ToneWord[],
  lengthMs: number,
  rate: number,
): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(Math.round((lengthMs / 1000) * rate));
  for (const { text, startMs, endMs } of words) {
    const hertz = WORD_TONES_HZ[text];
    if (hertz === undefined) throw new Error(`"${text}" has no tone`);
    const [from, until] = [Math.round((startMs / 1000) * rate), Math.round((endMs / 1000) * rate)];
    for (let at = from; at < Math.min(until, samples.length); at++) {
      const edge = Math.min(1, (at - from) / rate / FADE_SECONDS, (until - at) / rate / FADE_SECONDS);
      samples[at] = (samples[at] ?? 0) + AMPLITUDE * edge * Math.sin((2 * Math.PI * hertz * at) / rate);
    }
  }
  return samples;
}

const SAMPLE_RATE = 8_000;
const HOP_SAMPLES = SAMPLE_RATE / 200;
const WINDOW_SAMPLES = SAMPLE_RATE / 25;
/** Distance in hertz at which a tone that is not a word is louder than at the pitch of the word. */
const ADJACENT_HZ = 30;
const MIN_AMPLITUDE = 0.004;
/** Share of the loudest tone nearby; softer tones are spectral leakage of its edges. */
const MIN_SHARE_OF_PEAK = 0.15;
/** Share of the total power; noise contains a little of every tone. */
const MIN_SHARE_OF_POWER = 0.05;
const MIN_WORD_MS = 65;
const NEARBY_FRAMES = 12;
const frameToMs = (frame: number) => (frame * HOP_SAMPLES * 1000) / SAMPLE_RATE;

const HANN = Float32Array.from(
  { length: WINDOW_SAMPLES },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / WINDOW_SAMPLES),
);
const HANN_SUM = HANN.reduce((sum, weight) => sum + weight, 0);
const HANN_POWER = HANN.reduce((sum, weight) => sum + weight * weight, 0);

/** Returns the words in the audio ordered by their start; words may overlap. */
export function recognizeWords(samples: Float32Array, rate: number): ToneWord[] {
  const sound = resample(samples, rate);
  const frames = Math.ceil(sound.length / HOP_SAMPLES) + 1;
  const power = Float32Array.from({ length: frames }, (_, frame) => measurePower(sound, frame));
  const loudness = Object.values(WORD_TONES_HZ).map((hertz) =>
    power.map((level, frame) => (level < SILENCE_POWER ? 0 : measureAmplitude(sound, frame, hertz))),
  );
  const loudest = Float32Array.from({ length: frames }, (_, at) => Math.max(...loudness.map((of) => of[at] ?? 0)));
  const words = Object.entries(WORD_TONES_HZ).flatMap(([text, hertz], index) => {
    const own = loudness[index] ?? new Float32Array(frames);
    const isAudible = (frame: number) => {
      const level = own[frame] ?? 0;
      const near = Math.max(...loudest.subarray(Math.max(0, frame - NEARBY_FRAMES), frame + NEARBY_FRAMES));
      if (level < MIN_AMPLITUDE || level < MIN_SHARE_OF_PEAK * near) return false;
      if (level * level < 2 * MIN_SHARE_OF_POWER * (power[frame] ?? 0)) return false;
      return [hertz - ADJACENT_HZ, hertz + ADJACENT_HZ].every(
        (other) => level >= measureAmplitude(sound, frame, other),
      );
    };
    return findRuns(frames, isAudible).map(([from, until]) => ({ text, ...findEdges(own, from, until) }));
  });
  return words.filter(({ startMs, endMs }) => endMs - startMs >= MIN_WORD_MS).sort((a, b) => a.startMs - b.startMs);
}

const SILENCE_POWER = (MIN_AMPLITUDE * MIN_AMPLITUDE) / 4;

/** Power in the window around the frame: half the squared amplitude for a single tone. */
function measurePower(sound: Float32Array, frame: number): number {
  const from = frame * HOP_SAMPLES - WINDOW_SAMPLES / 2;
  let sum = 0;
  for (let at = 0; at < WINDOW_SAMPLES; at++) sum += ((sound[from + at] ?? 0) * (HANN[at] ?? 0)) ** 2;
  return sum / HANN_POWER;
}

/** Goertzel over a window around the frame, scaled to the amplitude of the synthesized tone. */
function measureAmplitude(sound: Float32Array, frame: number, hertz: number): number {
  const from = frame * HOP_SAMPLES - WINDOW_SAMPLES / 2;
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / SAMPLE_RATE);
  let [current, previous] = [0, 0];
  for (let at = Math.max(0, -from); at < Math.min(WINDOW_SAMPLES, sound.length - from); at++) {
    const next = (sound[from + at] ?? 0) * (HANN[at] ?? 0) + coefficient * current - previous;
    previous = current;
    current = next;
  }
  const power = current * current + previous * previous - coefficient * current * previous;
  return (2 * Math.sqrt(Math.max(0, power))) / HANN_SUM;
}

function findRuns(frames: number, holds: (frame: number) => boolean): [number, number][] {
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

/** Returns where the tone reaches half its amplitude: there its start or end is in the middle of the window. */
function findEdges(levels: Float32Array, from: number, until: number): Pick<ToneWord, "startMs" | "endMs"> {
  const half = Math.max(...levels.subarray(from, until)) / 2;
  let [first, last] = [from, until - 1];
  while (first < last && (levels[first] ?? 0) < half) first++;
  while (last > first && (levels[last] ?? 0) < half) last--;
  return { startMs: frameToMs(first), endMs: frameToMs(last) };
}

/** A windowed sinc low-pass filter at 3.6 kHz, sampled finely enough to avoid quantization noise. */
const KERNEL_RADIUS = 12;
const KERNEL_STEPS = 256;
const KERNEL = Float32Array.from({ length: 2 * KERNEL_RADIUS * KERNEL_STEPS + 1 }, (_, at) => {
  const place = at / KERNEL_STEPS - KERNEL_RADIUS;
  const x = place * 0.9 * Math.PI;
  const sinc = Math.abs(x) < 1e-6 ? 1 : Math.sin(x) / x;
  return 0.9 * sinc * (0.5 + 0.5 * Math.cos((Math.PI * place) / KERNEL_RADIUS));
});

/** Resamples to 8 kHz, which covers every word, and removes higher frequencies. */
function resample(samples: Float32Array, rate: number): Float32Array {
  const step = rate / SAMPLE_RATE;
  const out = new Float32Array(Math.floor(samples.length / step));
  for (let at = 0; at < out.length; at++) {
    const middle = at * step;
    const last = Math.min(samples.length - 1, Math.floor(middle + KERNEL_RADIUS * step));
    let sum = 0;
    for (let from = Math.max(0, Math.ceil(middle - KERNEL_RADIUS * step)); from <= last; from++) {
      sum += (samples[from] ?? 0) * (KERNEL[Math.round(((from - middle) / step + KERNEL_RADIUS) * KERNEL_STEPS)] ?? 0);
    }
    out[at] = sum / step;
  }
  return out;
}
