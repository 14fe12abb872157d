// Which part of a picture is shown, how large, and the averaging of its rows down to that size as they come.
import type { Size } from "../settings.ts";

export interface Crop extends Size {
  left: number;
  top: number;
}

export interface Fit {
  /** Of the picture as it is stored. */
  crop: Crop;
  /** Never larger than the crop: what has to grow is left to the renderer. */
  out: Size;
}

export function fitOf(source: Size, wanted: Size & { fit: "cover" | "contain" }): Fit {
  const ratios = [wanted.width / source.width, wanted.height / source.height] as const;
  if (wanted.fit === "contain") {
    const scale = Math.min(1, ...ratios);
    return { crop: { left: 0, top: 0, ...source }, out: scaled(source, scale) };
  }
  const scale = Math.max(...ratios);
  const width = Math.min(source.width, Math.max(1, Math.round(wanted.width / scale)));
  const height = Math.min(source.height, Math.max(1, Math.round(wanted.height / scale)));
  const crop = {
    left: Math.floor((source.width - width) / 2),
    top: Math.floor((source.height - height) / 2),
    width,
    height,
  };
  const out = {
    width: Math.min(width, Math.ceil(wanted.width)),
    height: Math.min(height, Math.ceil(wanted.height)),
  };
  return { crop, out };
}

function scaled({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

export interface Shrinker {
  /** The next row of the picture, from its left edge; rows above and below the crop are passed over. */
  row(pixels: Uint8Array): void;
}

/**
 * Averages areas into `data`, which is RGBA of the size that comes out. `channels` 3 is RGB; 4 is RGBA, which is
 * multiplied by its alpha.
 */
export function shrinker({ crop, out }: Fit, channels: 3 | 4, data: Uint8Array): Shrinker {
  const line = new Float32Array(out.width * channels);
  const sum = new Float32Array(out.width * channels);
  const across = shares(crop.width, out.width);
  const down = shares(crop.height, out.height);
  let y = -crop.top;

  function take(weight: number): void {
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (line[i] ?? 0) * weight;
  }

  function write(row: number): void {
    const end = (row + 1) * out.width * 4;
    let from = 0;
    for (let to = row * out.width * 4; to < end; to += 4) {
      data[to] = (sum[from] ?? 0) + 0.5;
      data[to + 1] = (sum[from + 1] ?? 0) + 0.5;
      data[to + 2] = (sum[from + 2] ?? 0) + 0.5;
      data[to + 3] = channels === 3 ? 255 : (sum[from + 3] ?? 0) + 0.5;
      from += channels;
    }
    sum.fill(0);
  }

  return {
    row(pixels) {
      const at = y;
      y += 1;
      if (at < 0 || at >= crop.height) return;
      average(pixels, crop.left, across, line, channels);
      const row = down.target[at] ?? 0;
      const first = down.first[at] ?? 0;
      const rest = down.rest[at] ?? 0;
      take(first);
      if (rest > 0 || at === crop.height - 1 || (down.target[at + 1] ?? 0) > row) write(row);
      if (rest > 0) {
        take(rest);
        if (at === crop.height - 1 && row + 1 < out.height) write(row + 1);
      }
    },
  };
}

interface Shares {
  /** The target that a source pixel belongs to, the share of it there, and its share in the target behind. */
  target: Int32Array;
  first: Float32Array;
  rest: Float32Array;
}

function shares(from: number, to: number): Shares {
  const target = new Int32Array(from);
  const first = new Float32Array(from);
  const rest = new Float32Array(from);
  const ratio = to / from;
  for (let at = 0; at < from; at++) {
    const start = at * ratio;
    const index = Math.min(to - 1, Math.floor(start + 1e-9));
    const over = index + 1 < to ? Math.max(0, start + ratio - (index + 1)) : 0;
    const spill = over > 1e-6 ? over : 0;
    target[at] = index;
    first[at] = ratio - spill;
    rest[at] = spill;
  }
  return { target, first, rest };
}

function average(pixels: Uint8Array, left: number, across: Shares, line: Float32Array, channels: 3 | 4): void {
  line.fill(0);
  const { target, first, rest } = across;
  let from = left * channels;
  for (let at = 0; at < target.length; at++, from += channels) {
    const to = (target[at] ?? 0) * channels;
    const alpha = channels === 4 ? (pixels[from + 3] ?? 0) : 255;
    const color = channels === 4 ? alpha / 255 : 1;
    const [red, green, blue] = [
      (pixels[from] ?? 0) * color,
      (pixels[from + 1] ?? 0) * color,
      (pixels[from + 2] ?? 0) * color,
    ];
    const share = first[at] ?? 0;
    line[to] = (line[to] ?? 0) + red * share;
    line[to + 1] = (line[to + 1] ?? 0) + green * share;
    line[to + 2] = (line[to + 2] ?? 0) + blue * share;
    if (channels === 4) line[to + 3] = (line[to + 3] ?? 0) + alpha * share;
    const spill = rest[at] ?? 0;
    if (spill === 0) continue;
    const next = to + channels;
    line[next] = (line[next] ?? 0) + red * spill;
    line[next + 1] = (line[next + 1] ?? 0) + green * spill;
    line[next + 2] = (line[next + 2] ?? 0) + blue * spill;
    if (channels === 4) line[next + 3] = (line[next + 3] ?? 0) + alpha * spill;
  }
}
