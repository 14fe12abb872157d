// Colours of images with profiles beside ImageMagick's conversion, where it is installed.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { convertToSrgb, createInkConverter } from "../../lib/rendering/decode/convert-colors.ts";
import { readImageHeader } from "../../lib/rendering/decode/image-header.ts";
import { readImageProfile } from "../../lib/rendering/decode/image-profile.ts";
import { decodeJpeg } from "../../lib/rendering/decode/jpeg.ts";
import {
  buildCmykProfile,
  buildGrayProfile,
  buildLightProfile,
  buildRgbProfile,
  buildStagedProfile,
} from "../rendering/color-profiles.ts";

const EXECUTABLES = ["/usr/bin/convert-im6.q16", "/usr/bin/magick", "/usr/bin/convert-im7.q16"];
const run = promisify(execFile);
/** Profiles of Ghostscript, compared where they are installed (Debian: libgs-common). */
const GHOSTSCRIPT = ["default_cmyk.icc", "ps_cmyk.icc"].map((name) => join("/usr/share/color/icc/ghostscript", name));
const NAMED = ["Display P3", "Adobe RGB", "Rec. 2020", "ProPhoto"];

export interface ColorResult {
  profile: string;
  colors: number;
  /** Of a channel, 0 to 255. */
  worst: number;
  mean: number;
}

/** Null when ImageMagick is not installed (`apt-get install imagemagick`). */
export async function compareColors(folder: string): Promise<ColorResult[] | null> {
  const executable = EXECUTABLES.find(existsSync);
  if (!executable) return null;
  const path = (name: string) => join(folder, name);
  const convert = (...parameters: string[]) => run(executable, parameters);
  await writeFile(path("srgb.icc"), buildRgbProfile("sRGB"));
  const toRgb = async (from: string, ...how: string[]) => {
    await convert(path(from), ...how, "-depth", "8", `rgb:${path("out.rgb")}`);
    return readFile(path("out.rgb"));
  };
  const results: ColorResult[] = [];

  const levels = Array.from({ length: 9 }, (_, at) => Math.round((at * 255) / 8));
  const colors = levels.flatMap((r) => levels.flatMap((g) => levels.map((b) => [r, g, b])));
  const rgb = [
    ...NAMED.map((name) => [name, buildRgbProfile(name)] as const),
    ["RGB table", buildStagedProfile()] as const,
  ];
  for (const [name, profile] of rgb) {
    await writeFile(path("in.rgb"), Uint8Array.from(colors.flat()));
    await writeFile(path("in.icc"), profile);
    await convert("-size", "27x27", "-depth", "8", `rgb:${path("in.rgb")}`, "-profile", path("in.icc"), path("in.png"));
    const wanted = await toRgb("in.png", "-profile", path("srgb.icc"));
    results.push(compare(name, await convertPixels(path("in.png"), colors), wanted));
  }

  const grays = Array.from({ length: 256 }, (_, level) => [level, level, level]);
  await writeFile(
    path("in.gray"),
    Uint8Array.from({ length: 256 }, (_, level) => level),
  );
  await writeFile(path("in.icc"), buildGrayProfile());
  const gray = ["-profile", path("in.icc"), "-colorspace", "Gray"];
  await convert("-size", "16x16", "-depth", "8", `gray:${path("in.gray")}`, ...gray, path("in.png"));
  const wantedGrays = await toRgb("in.png", "-profile", path("srgb.icc"));
  results.push(compare("gray", await convertPixels(path("in.png"), grays), wantedGrays));

  const inkLevels = [0, 51, 102, 153, 204, 255];
  const inks = inkLevels.flatMap((c) =>
    inkLevels.flatMap((m) => inkLevels.flatMap((y) => inkLevels.map((k) => [c, m, y, k]))),
  );
  await writeFile(path("in.cmyk"), drawBlocks(inks));
  const cmyk: [name: string, profile: Uint8Array | null][] = [
    ["CMYK table to L*a*b*", buildCmykProfile()],
    ["CMYK table to XYZ", buildLightProfile()],
    ["CMYK without a profile", null],
  ];
  for (const file of GHOSTSCRIPT.filter(existsSync)) cmyk.push([basename(file), await readFile(file)]);
  for (const [name, profile] of cmyk) {
    if (profile) await writeFile(path("in.icc"), profile);
    const embed = profile ? ["-profile", path("in.icc")] : [];
    const source = ["-size", `${SIDE}x${SIDE}`, "-depth", "8", `cmyk:${path("in.cmyk")}`];
    await convert(...source, ...embed, "-quality", "100", path("in.jpg"));
    const how = profile ? ["-profile", path("srgb.icc")] : ["-colorspace", "sRGB"];
    results.push(compare(name, await decodeBlocks(path("in.jpg")), readBlocks(await toRgb("in.jpg", ...how), 3)));
  }
  return results;
}

async function convertPixels(file: string, colors: number[][]): Promise<Uint8Array> {
  const profile = await readImageProfile(readImageHeader(await readFile(file)));
  if (!profile) throw new Error(`${file} has no profile`);
  const pixels = Uint8Array.from(colors.flatMap((color) => [...color, 255]));
  convertToSrgb(profile, pixels, false);
  return pixels.filter((_, at) => at % 4 !== 3);
}

/** Blocks of 8 x 8 pixels in rows of 36, as a JPEG blurs single pixels. */
const PER_ROW = 36;
const SIDE = PER_ROW * 8;

function drawBlocks(inks: number[][]): Uint8Array {
  const pixels = new Uint8Array(SIDE * SIDE * 4);
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) pixels.set(inks[(y >> 3) * PER_ROW + (x >> 3)] ?? [], (y * SIDE + x) * 4);
  }
  return pixels;
}

function readBlocks(pixels: Uint8Array, channels: number): Uint8Array {
  const middle = (at: number) => ((Math.floor(at / PER_ROW) * 8 + 4) * SIDE + (at % PER_ROW) * 8 + 4) * channels;
  const blocks = Array.from({ length: PER_ROW * PER_ROW }, (_, at) => [...pixels.subarray(middle(at), middle(at) + 3)]);
  return Uint8Array.from(blocks.flat());
}

async function decodeBlocks(file: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(await readFile(file));
  const profile = await readImageProfile(readImageHeader(bytes));
  const size = { width: SIDE, height: SIDE };
  const pixels = new Uint8Array(SIDE * SIDE * 4);
  const fit = { crop: { left: 0, top: 0, ...size }, out: size };
  decodeJpeg(bytes, fit, pixels, profile && createInkConverter(profile.conversion));
  return readBlocks(pixels, 4);
}

function compare(profile: string, found: Uint8Array, wanted: Uint8Array): ColorResult {
  const differences = Array.from(found, (value, at) => Math.abs(value - (wanted[at] ?? 0)));
  const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length;
  return { profile, colors: found.length / 3, worst: Math.max(...differences), mean: Number(mean.toFixed(2)) };
}
