// Builds crafted files for the media tests: archives, and images and videos that declare more than they contain.
import { crc32 } from "node:zlib";
import { buildGradientRows, buildPng, buildPngChunk } from "./png-writer.ts";
import { concatBytes } from "./sources.ts";

export function encodeAscii(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** A complete ZIP archive, which readers find by its end. */
export function buildZip(name: string, content: Uint8Array): Uint8Array {
  const label = encodeAscii(name);
  const entry = (directory: boolean) => {
    const head = new DataView(new ArrayBuffer(directory ? 46 : 30));
    const at = directory ? 16 : 14;
    head.setUint32(0, directory ? 0x504b0102 : 0x504b0304);
    head.setUint32(at, crc32(content), true);
    head.setUint32(at + 4, content.length, true);
    head.setUint32(at + 8, content.length, true);
    head.setUint16(at + 12, label.length, true);
    return concatBytes(new Uint8Array(head.buffer), label);
  };
  const [local, central] = [concatBytes(entry(false), content), entry(true)];
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x504b0506);
  end.setUint16(8, 1, true);
  end.setUint16(10, 1, true);
  end.setUint32(12, central.length, true);
  end.setUint32(16, local.length, true);
  return concatBytes(local, central, new Uint8Array(end.buffer));
}

/** A progressive JPEG of 8,192 x 8,192 pixels without content, with one scan per few bytes. */
export function buildManyScanJpeg(): Uint8Array {
  const segment = (marker: number, ...content: number[]) =>
    new Uint8Array([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255, ...content]);
  const quantizers = segment(0xdb, 0, ...Array<number>(64).fill(1));
  const frame = segment(0xc2, 8, 0x20, 0, 0x20, 0, 1, 1, 0x11, 0);
  // One code of one bit each: DC difference zero, and an AC end-of-band run of 32,767 blocks.
  const dc = segment(0xc4, 0x00, 1, ...Array<number>(15).fill(0), 0);
  const ac = segment(0xc4, 0x10, 1, ...Array<number>(15).fill(0), 0xe0);
  const blocks = 1024 * 1024;
  const first = concatBytes(segment(0xda, 1, 1, 0, 0, 0, 0), new Uint8Array(blocks / 8));
  const runs = Math.floor(blocks / 32_767);
  const bits = `${`0${"1".repeat(14)}`.repeat(runs)}0${(blocks - runs * 32_767 - 16_384).toString(2).padStart(14, "0")}`;
  const coded: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const byte = Number.parseInt(bits.slice(at, at + 8).padEnd(8, "1"), 2);
    coded.push(byte, ...(byte === 0xff ? [0] : []));
  }
  const again = concatBytes(segment(0xda, 1, 1, 0, 1, 63, 0), new Uint8Array(coded));
  return concatBytes(
    new Uint8Array([0xff, 0xd8]),
    quantizers,
    frame,
    dc,
    ac,
    first,
    ...Array<Uint8Array>(20_000).fill(again),
    new Uint8Array([0xff, 0xd9]),
  );
}

/** Frames without data, each as large as the canvas. */
export function buildManyFrameGif(count: number, side: number): Uint8Array {
  const size = [side & 255, side >> 8, side & 255, side >> 8];
  const frame = new Uint8Array([0x2c, 0, 0, 0, 0, ...size, 0, 2, 1, 0x05, 0]);
  return concatBytes(
    encodeAscii("GIF89a"),
    new Uint8Array([...size, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...Array<Uint8Array>(count).fill(frame),
    new Uint8Array([0x3b]),
  );
}

/** The compressed text chunk is valid and ignored; the file must be rejected because it has no image data. */
export function buildHugeTextPng(): Uint8Array {
  const whole = buildPng(10, 10, buildGradientRows(10, 10));
  const end = Buffer.from(whole).indexOf("IDAT") - 4;
  const text = buildPngChunk("zTXt", concatBytes(encodeAscii("Comment\0\0"), new Uint8Array(100_000)));
  return concatBytes(whole.subarray(0, end), text, buildPngChunk("IEND", new Uint8Array(0)));
}

export function buildHugeVideo(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const entry = Buffer.from(copy).indexOf("avc1", Buffer.from(copy).indexOf("stsd"));
  new DataView(copy.buffer).setUint32(entry + 4 + 24, 0xffffffff);
  return copy;
}

export function buildManySampleVideo(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  new DataView(copy.buffer).setUint32(Buffer.from(copy).indexOf("stsz") + 12, 0xffffffff);
  return copy;
}
