// Generated photos of 12 megapixels: skies, hills and lights with film grain.
import { type Node, Renderer, type RgbaImage } from "@takumi-rs/core";

type Rgb = readonly [number, number, number];

interface Scenery {
  sky: [Rgb, Rgb];
  /** Position and size as shares of the image. */
  sun: { x: number; y: number; size: number; color: Rgb } | null;
  /** Colors of the farthest and the nearest ridge. */
  ridges: [Rgb, Rgb];
  lights: number;
  seed: number;
}

/** Painted at a quarter of the size, since skies and hills are smooth; the grain is added at full size. */
const PAINTED_SIZE = { width: 1008, height: 756 };
const PHOTO_SIZE = { width: 4032, height: 3024 };
const WEB_SIZE = { width: 1600, height: 1200 };
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

/** Generates JPEGs in the size of phone photos and in a typical web size. */
export async function generatePhotos(): Promise<Map<string, { large: Uint8Array; small: Uint8Array }>> {
  const grain = generateGrain(1);
  const photos = Object.entries(SCENERIES).map(async ([name, scenery]) => {
    const painting = { ...PAINTED_SIZE, data: paintScenery(scenery) };
    const [large, small] = await Promise.all([
      renderPhoto(painting, grain, PHOTO_SIZE),
      renderPhoto(painting, grain, WEB_SIZE),
    ]);
    return [name, { large, small }] as const;
  });
  return new Map(await Promise.all(photos));
}

async function renderPhoto(painting: RgbaImage, grain: RgbaImage, size: typeof PHOTO_SIZE): Promise<Uint8Array> {
  const style = { position: "absolute", left: 0, top: 0, ...size };
  const image = { type: "image", src: painting, style };
  const noise = { type: "image", src: grain, style: { ...style, objectFit: "none", opacity: 0.05 } };
  const root = { type: "container", style: { ...size, position: "relative" }, children: [image, noise] };
  return new Renderer().render(root as Node, { ...size, format: "jpeg", quality: 85 });
}

function paintScenery({ sky, sun, ridges, lights, seed }: Scenery): Uint8Array {
  const { width, height } = PAINTED_SIZE;
  const data = new Uint8Array(width * height * 4);
  const random = createRandom(seed);
  const put = (x: number, y: number, color: Rgb) => data.set([...color, 255], (y * width + x) * 4);
  for (let y = 0; y < height; y++) {
    const base = mixColors(sky[0], sky[1], Math.min(1, y / (height * 0.62)) ** 1.3);
    for (let x = 0; x < width; x++) put(x, y, sun ? blendSun(base, sun, x / width, y / height) : base);
  }
  for (let ridge = 0; ridge < RIDGES; ridge++) {
    const depth = ridge / (RIDGES - 1);
    const level = 0.42 + depth * 0.42;
    const edge = createRidgeLine(random, level, 0.07 + depth * 0.04);
    const color = mixColors(ridges[0], ridges[1], depth);
    for (let x = 0; x < width; x++) {
      const top = Math.floor(edge(x / width) * height);
      // Mist at the foot of every ridge.
      for (let y = Math.max(0, top); y < height; y++) {
        const below = Math.max(0, y / height - level + 0.1);
        put(x, y, mixColors(color, sky[1], Math.min(0.5, below * (1 - depth) * 2)));
      }
    }
  }
  for (let light = 0; light < lights; light++) paintLight(data, random);
  return data;
}

function blendSun(base: Rgb, sun: NonNullable<Scenery["sun"]>, x: number, y: number): Rgb {
  const distance = Math.hypot((x - sun.x) * (PAINTED_SIZE.width / PAINTED_SIZE.height), y - sun.y);
  const disc = Math.min(1, Math.max(0, (sun.size - distance) / 0.004 + 0.5));
  return mixColors(mixColors(base, sun.color, 0.75 * Math.exp(-distance / (sun.size * 3.5))), sun.color, disc);
}

/** A sum of sine waves, each half as long and about half as high as the previous one. */
function createRidgeLine(random: () => number, at: number, height: number): (x: number) => number {
  const waves = Array.from({ length: 9 }, (_, octave) => ({
    length: 1.4 * 2 ** octave,
    height: height / 1.75 ** octave,
    phase: random() * Math.PI * 2,
  }));
  return (x) => waves.reduce((sum, wave) => sum + wave.height * Math.sin(x * wave.length * Math.PI + wave.phase), at);
}

/** Paints a light that is out of focus. */
function paintLight(data: Uint8Array, random: () => number): void {
  const { width, height } = PAINTED_SIZE;
  const [x, y] = [random() * width, height * (0.55 + 0.4 * random())];
  const radius = 4 + random() * 14;
  const color = mixColors([255, 190, 90], [255, 120, 140], random());
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

function generateGrain(seed: number): RgbaImage {
  const random = createRandom(seed);
  const data = new Uint8Array(PHOTO_SIZE.width * PHOTO_SIZE.height * 4);
  const words = new Uint32Array(data.buffer);
  for (let at = 0; at < words.length; at++) words[at] = (Math.floor(random() * 256) * 0x010101) | 0xff000000;
  return { ...PHOTO_SIZE, data };
}

function mixColors(one: Rgb, other: Rgb, share: number): Rgb {
  const at = (channel: 0 | 1 | 2) => one[channel] * (1 - share) + other[channel] * share;
  return [at(0), at(1), at(2)];
}

/** A seeded random number generator, so that every run generates the same photos. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
