// A minimal PNG writer, so that tests can set any field to a wrong value with correct checksums.
import { crc32, deflateSync } from "node:zlib";
import { concatBytes } from "./sources.ts";

export function buildPngChunk(name: string, content: Uint8Array): Uint8Array {
  const body = concatBytes(new TextEncoder().encode(name), content);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, crc32(body));
  return chunk;
}

const COLORS = { gray: 0, rgb: 2, rgba: 6 } as const;

/** `raw` is the inflated image data; in a valid image each row begins with a filter byte. */
export function buildPng(
  width: number,
  height: number,
  raw: Uint8Array,
  colors: keyof typeof COLORS = "rgb",
): Uint8Array {
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  header.set([8, COLORS[colors], 0, 0, 0], 8);
  return concatBytes(
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    buildPngChunk("IHDR", header),
    buildPngChunk("IDAT", deflateSync(raw)),
    buildPngChunk("IEND", new Uint8Array(0)),
  );
}

/** RGB rows of a gradient, each with its filter byte. */
export function buildGradientRows(width: number, height: number): Uint8Array {
  const stride = 1 + width * 3;
  const raw = new Uint8Array(stride * height);
  for (let i = 0; i < raw.length; i++) raw[i] = i % stride === 0 ? 0 : (i * 7) & 255;
  return raw;
}
