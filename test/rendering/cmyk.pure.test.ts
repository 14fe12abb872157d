// JPEGs of four inks are converted to sRGB as ImageMagick 6.9.11 with Little CMS converts them.
import compiled from "@takumi-rs/wasm/takumi_wasm_bg.wasm";
import { beforeAll, expect, test } from "vitest";
import { readColorProfile } from "../../lib/rendering/decode/color-profile.ts";
import { createInkConverter } from "../../lib/rendering/decode/convert-colors.ts";
import { openRenderEngine, type RenderEngine } from "../../lib/rendering/renderer.ts";
import { decodeColumns, expectColumns, readColumns } from "./color-columns.ts";
import { buildCmykProfile, buildLightProfile, embedInJpeg } from "./color-profiles.ts";

let engine: RenderEngine;
beforeAll(() => {
  engine = openRenderEngine(compiled);
});

/** Columns of the inks 0 0 0 0, C, M, Y, K, 200 120 40 20, 30 180 160 60 and all four. */
const JPEG = Buffer.from(
  "/9j/7gAOQWRvYmUAZAAAAAAC/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB/9sAQwEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB/8AAFAgACABABAERAAIRAQMRAQQRAP/EABkAAAMAAwAAAAAAAAAAAAAAAAAKCwUICf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAZAQACAwEAAAAAAAAAAAAAAAAJCgAHCwj/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADgQBAAIRAxEEAAA/AJ/6If4MwBTn+AZQC3YV4Ibtpg1gGi5Ad1QgDqHAK4vC6wx5iAh+5fn0FDmSEed//9k=",
  "base64",
);

test("with a profile", async () => {
  const { data } = await decodeColumns(engine, embedInJpeg(JPEG, buildCmykProfile()), 64, 8);
  expectColumns(readColumns({ data, width: 64, height: 8 }, 8), [
    [255, 254, 255],
    [63, 218, 242],
    [236, 86, 234],
    [248, 244, 95],
    [79, 79, 79],
    [124, 167, 212],
    [201, 135, 146],
    [9, 14, 19],
  ]);
});

/** Inks, and what `convert` makes of them; an interpolation of sRGB between nodes differs by up to 38. */
test.each([
  [
    [64, 0, 0, 192],
    [0, 136, 136],
  ],
  [
    [64, 128, 0, 192],
    [0, 0, 136],
  ],
  [
    [200, 120, 40, 20],
    [107, 179, 226],
  ],
  [
    [30, 180, 160, 60],
    [210, 68, 103],
  ],
  [
    [0, 96, 160, 96],
    [206, 136, 98],
  ],
  [
    [100, 150, 10, 110],
    [116, 74, 192],
  ],
  [
    [10, 20, 30, 230],
    [81, 88, 88],
  ],
  [
    [0, 0, 0, 0],
    [255, 254, 255],
  ],
])("%j, of which light is gone between two nodes of the profile", (inks, expected) => {
  const conversion = readColorProfile(buildLightProfile())?.conversion;
  const convert = conversion ? createInkConverter(conversion) : null;
  const values = Float64Array.from(inks);
  convert?.(values);
  expect(convert).not.toBeNull();
  expectColumns([[...values.subarray(0, 3)]], [expected]);
});

test("without a profile", async () => {
  const { data } = await decodeColumns(engine, JPEG, 64, 8);
  expectColumns(readColumns({ data, width: 64, height: 8 }, 8), [
    [255, 255, 255],
    [1, 255, 255],
    [255, 0, 254],
    [255, 255, 1],
    [0, 0, 0],
    [49, 124, 197],
    [171, 57, 72],
    [0, 0, 0],
  ]);
});
