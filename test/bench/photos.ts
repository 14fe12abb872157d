// Photos of 12 megapixels that nobody took: skies, hills and lights out of a few numbers, with the grain of a camera.
import { type Node, Renderer, type RgbaImage } from "@takumi-rs/core";

type Rgb = readonly [number, number, number];

interface Scenery {
  sky: [Rgb, Rgb];
  /** Its height as a share of the picture, its width, its colour; none where the night is. */
  sun: { x: number; y: number; size: number; color: Rgb } | null;
  /** From the far ridge to the near one. */
  ridges: [Rgb, Rgb];
  lights: number;
  seed: number;
}

/** Drawn at a quarter of the size, since skies and hills are smooth; the grain is added at full size. */
const SMALL = { width: 1008, height: 756 };
const PHOTO = { width: 4032, height: 3024 };
const WEB = { width: 1600, height: 1200 };
const RIDGES = 6;

export const SCENERIES = {
  dusk: {
    sky: [
      [58, 44, 92],
      [255, 170, 110],
    ],
    sun: { x: 0.62, y: 0.3, size: 0.05, color: [255, 236, 190] },
    ridges: [
      [196, 112, 116],
      [34, 22, 48],
    ],
    lights: 0,
    seed: 3,
  },
  morning: {
    sky: [
      [142, 190, 226],
      [246, 240, 220],
    ],
    sun: { x: 0.3, y: 0.3, size: 0.04, color: [255, 252, 230] },
    ridges: [
      [176, 202, 196],
      [28, 70, 54],
    ],
    lights: 0,
    seed: 11,
  },
  desert: {
    sky: [
      [74, 144, 200],
      [250, 222, 180],
    ],
    sun: null,
    ridges: [
      [232, 178, 128],
      [150, 72, 40],
    ],
    lights: 0,
    seed: 23,
  },
  night: {
    sky: [
      [8, 10, 32],
      [40, 36, 84],
    ],
    sun: { x: 0.75, y: 0.2, size: 0.035, color: [240, 240, 255] },
    ridges: [
      [30, 30, 66],
      [6, 8, 18],
    ],
    lights: 130,
    seed: 42,
  },
} satisfies Record<string, Scenery>;

/** JPEGs as a phone would store them, and as small as most of the web has them. */
export async function takePhotos(): Promise<Map<string, { large: Uint8Array; small: Uint8Array }>> {
  const grain = grainOf(1);
  const taken = Object.entries(SCENERIES).map(async ([name, scenery]) => {
    const picture = { ...SMALL, data: paint(scenery) };
    const [large, small] = await Promise.all([develop(picture, grain, PHOTO), develop(picture, grain, WEB)]);
    return [name, { large, small }] as const;
  });
  return new Map(await Promise.all(taken));
}

async function develop(picture: RgbaImage, grain: RgbaImage, size: typeof PHOTO): Promise<Uint8Array> {
  const style = { position: "absolute", left: 0, top: 0, ...size };
  const image = { type: "image", src: picture, style };
  const noise = { type: "image", src: grain, style: { ...style, objectFit: "none", opacity: 0.05 } };
  const root = { type: "container", style: { ...size, position: "relative" }, children: [image, noise] };
  return new Renderer().render(root as Node, { ...size, format: "jpeg", quality: 85 });
}

function paint({ sky, sun, ridges, lights, seed }: Scenery): Uint8Array {
  const { width, height } = SMALL;
  const data = new Uint8Array(width * height * 4);
  const random = generator(seed);
  const put = (x: number, y: number, color: Rgb) => data.set([...color, 255], (y * width + x) * 4);
  for (let y = 0; y < height; y++) {
    const base = mix(sky[0], sky[1], Math.min(1, y / (height * 0.62)) ** 1.3);
    for (let x = 0; x < width; x++) put(x, y, sun ? glow(base, sun, x / width, y / height) : base);
  }
  for (let ridge = 0; ridge < RIDGES; ridge++) {
    const depth = ridge / (RIDGES - 1);
    const level = 0.42 + depth * 0.42;
    const edge = ridgeLine(random, level, 0.07 + depth * 0.04);
    const color = mix(ridges[0], ridges[1], depth);
    for (let x = 0; x < width; x++) {
      const top = Math.floor(edge(x / width) * height);
      // Mist lies at the foot of every ridge.
      for (let y = Math.max(0, top); y < height; y++) {
        const below = Math.max(0, y / height - level + 0.1);
        put(x, y, mix(color, sky[1], Math.min(0.5, below * (1 - depth) * 2)));
      }
    }
  }
  for (let light = 0; light < lights; light++) shine(data, random);
  return data;
}

function glow(base: Rgb, sun: NonNullable<Scenery["sun"]>, x: number, y: number): Rgb {
  const distance = Math.hypot((x - sun.x) * (SMALL.width / SMALL.height), y - sun.y);
  const disc = Math.min(1, Math.max(0, (sun.size - distance) / 0.004 + 0.5));
  return mix(mix(base, sun.color, 0.75 * Math.exp(-distance / (sun.size * 3.5))), sun.color, disc);
}

/** Waves upon waves, each half as long and half as high as the one before. */
function ridgeLine(random: () => number, at: number, height: number): (x: number) => number {
  const waves = Array.from({ length: 9 }, (_, octave) => ({
    length: 1.4 * 2 ** octave,
    height: height / 1.75 ** octave,
    phase: random() * Math.PI * 2,
  }));
  return (x) => waves.reduce((sum, wave) => sum + wave.height * Math.sin(x * wave.length * Math.PI + wave.phase), at);
}

/** A light out of focus. */
function shine(data: Uint8Array, random: () => number): void {
  const { width, height } = SMALL;
  const [x, y] = [random() * width, height * (0.55 + 0.4 * random())];
  const radius = 4 + random() * 14;
  const color = mix([255, 190, 90], [255, 120, 140], random());
  for (let row = Math.floor(y - radius); row < y + radius; row++) {
    for (let column = Math.floor(x - radius); column < x + radius; column++) {
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      const share = Math.min(1, radius - Math.hypot(column - x, row - y)) * 0.45;
      if (share <= 0) continue;
      const at = (row * width + column) * 4;
      for (let channel = 0; channel < 3; channel++) {
        data[at + channel] = (data[at + channel] ?? 0) * (1 - share) + (color[channel] ?? 0) * share;
      }
    }
  }
}

function grainOf(seed: number): RgbaImage {
  const random = generator(seed);
  const data = new Uint8Array(PHOTO.width * PHOTO.height * 4);
  const words = new Uint32Array(data.buffer);
  for (let at = 0; at < words.length; at++) words[at] = (Math.floor(random() * 256) * 0x010101) | 0xff000000;
  return { ...PHOTO, data };
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const at = (channel: 0 | 1 | 2) => one[channel] * (1 - share) + other[channel] * share;
  return [at(0), at(1), at(2)];
}

/** The same numbers in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
