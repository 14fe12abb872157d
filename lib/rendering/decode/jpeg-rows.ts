// Converts the coefficients of one MCU row of a JPEG to rows of RGB.
import type { Component, JpegFrame } from "../../media/image/jpeg-scan.ts";
import type { ConvertInks } from "./convert-colors.ts";
import type { Crop } from "./crop-and-downscale.ts";
import { type BlockSide, inverseDct } from "./idct.ts";

/** Writes the rows of one MCU row, whose coefficients are in the given MCU row of the components. */
export type RowWriter = (unitRow: number, storedRow: number) => void;

interface Strip {
  samples: Uint8ClampedArray;
  width: number;
  /** Subsampling: output pixels per sample of this component. */
  across: number;
  down: number;
}

export interface InkFormat {
  /** Colour transform of the Adobe marker: 0 none, 1 YCbCr, 2 YCCK; null without the marker. */
  adobe: number | null;
  /** Converts CMYK by a profile; null converts as if inks were filters of pure colours. */
  convertInks: ConvertInks | null;
}

/** `crop` is in samples after scaling blocks to `side`; samples outside of it are not computed. */
export function createRowWriter(
  { components }: JpegFrame,
  quantizers: (Uint16Array | undefined)[],
  { adobe, convertInks }: InkFormat,
  side: BlockSide,
  crop: Crop,
  row: (pixels: Uint8Array) => void,
): RowWriter {
  const [h, v] = [
    Math.max(...components.map((component) => component.h)),
    Math.max(...components.map((component) => component.v)),
  ];
  const strips = components.map(
    (component): Strip => ({
      samples: new Uint8ClampedArray(component.stride * side * component.v * side),
      width: component.stride * side,
      across: h / component.h,
      down: v / component.v,
    }),
  );
  const pixels = new Uint8Array((strips[0] ? (strips[0].width * h) / (components[0]?.h ?? 1) : 0) * 3);
  const toRgb = selectColorConverter(components, adobe, convertInks);
  const rowsPerUnit = v * side;
  const right = Math.min(crop.left + crop.width, pixels.length / 3);

  return (unitRow, storedRow) => {
    const first = unitRow * rowsPerUnit;
    const visible = first + rowsPerUnit > crop.top && first < crop.top + crop.height;
    if (visible)
      for (const [at, component] of components.entries())
        decodeStrip(strips[at], component, quantizers, side, storedRow, crop);
    for (let y = 0; y < rowsPerUnit; y++) {
      if (visible) toRgb(strips, y, crop.left, right, pixels);
      row(pixels);
    }
  };
}

function decodeStrip(
  strip: Strip | undefined,
  component: Component,
  quantizers: (Uint16Array | undefined)[],
  side: BlockSide,
  storedRow: number,
  crop: Crop,
): void {
  const quantizer = quantizers[component.quantizer];
  if (!strip || !quantizer || !component.coefficients) return;
  const from = storedRow * component.v * component.stride;
  const left = Math.floor(crop.left / strip.across / side);
  const right = Math.min(component.stride, Math.ceil((crop.left + crop.width) / strip.across / side));
  for (let y = 0; y < component.v; y++) {
    for (let x = left; x < right; x++) {
      const block = (from + y * component.stride + x) * 64;
      const to = y * side * strip.width + x * side;
      inverseDct(side, component.coefficients, block, quantizer, strip.samples, to, strip.width);
    }
  }
}

type ToRgb = (strips: Strip[], y: number, left: number, right: number, pixels: Uint8Array) => void;

const clamp = (value: number) => (value < 0 ? 0 : value > 255 ? 255 : (value + 0.5) | 0);

/** Selects among grey, YCbCr, RGB, CMYK and YCCK by the same rules as libjpeg. */
function selectColorConverter(components: Component[], adobe: number | null, convertInks: ConvertInks | null): ToRgb {
  if (components.length < 3) return convertGrey;
  const hasRgbIds = String.fromCharCode(...components.slice(0, 3).map(({ id }) => id)) === "RGB";
  const plain = adobe === 0 || (adobe === null && (hasRgbIds || components.length === 4));
  const inks = new Float64Array(4);
  return (strips, y, left, right, pixels) => {
    const [first, second, third, key] = strips;
    if (!first || !second || !third) return;
    const start = getRowStart(first, y);
    const [start2, start3] = [getRowStart(second, y), getRowStart(third, y)];
    const startKey = key ? getRowStart(key, y) : 0;
    for (let x = left, to = left * 3; x < right; x++, to += 3) {
      const a = first.samples[start + Math.floor(x / first.across)] ?? 0;
      const b = second.samples[start2 + Math.floor(x / second.across)] ?? 0;
      const c = third.samples[start3 + Math.floor(x / third.across)] ?? 0;
      let [red, green, blue] = [a, b, c];
      if (!plain) {
        const [cb, cr] = [b - 128, c - 128];
        red = clamp(a + 1.402 * cr);
        green = clamp(a - 0.344136 * cb - 0.714136 * cr);
        blue = clamp(a + 1.772 * cb);
      }
      // Adobe stores CMYK inverted; YCCK converts to inverted CMY, so the colours are inverted back.
      if (key && !plain) {
        red = 255 - red;
        green = 255 - green;
        blue = 255 - blue;
      }
      const black = key ? (key.samples[startKey + Math.floor(x / key.across)] ?? 0) : 255;
      if (convertInks) {
        inks[0] = 255 - red;
        inks[1] = 255 - green;
        inks[2] = 255 - blue;
        inks[3] = 255 - black;
        convertInks(inks);
        pixels[to] = inks[0];
        pixels[to + 1] = inks[1];
        pixels[to + 2] = inks[2];
        continue;
      }
      const ink = black / 255;
      pixels[to] = red * ink;
      pixels[to + 1] = green * ink;
      pixels[to + 2] = blue * ink;
    }
  };
}

const convertGrey: ToRgb = ([only], y, left, right, pixels) => {
  if (!only) return;
  const start = getRowStart(only, y);
  for (let x = left, to = left * 3; x < right; x++, to += 3) {
    const value = only.samples[start + x] ?? 0;
    pixels[to] = value;
    pixels[to + 1] = value;
    pixels[to + 2] = value;
  }
};

function getRowStart({ down, width }: Strip, y: number): number {
  return Math.floor(y / down) * width;
}
