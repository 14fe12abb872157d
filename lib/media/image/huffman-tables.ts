// The Huffman tables of annex K.3 of https://www.w3.org/Graphics/JPEG/itu-t81.pdf, read 2026-11-24. Viewers use them when an
// image has none, such as a frame of a Motion JPEG.
import { buildHuffmanTable, type HuffmanTable } from "./huffman.ts";

const parseHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** As in a DHT segment: the number of codes of each length from 1 to 16, and the symbols of all codes. */
const build = (counts: string, symbols: string): HuffmanTable => buildHuffmanTable(parseHex(counts), parseHex(symbols));

/** Luminance at 0, chrominance at 1. */
export const STANDARD_TABLES = {
  dc: [
    build("00010501010101010100000000000000", "000102030405060708090a0b"),
    build("00030101010101010101010000000000", "000102030405060708090a0b"),
  ],
  ac: [
    build(
      "0002010303020403050504040000017d",
      "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a" +
        "434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8" +
        "a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
    ),
    build(
      "00020102040403040705040400010277",
      "000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738" +
        "393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5" +
        "a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
    ),
  ],
};
