// The same slide is the same bytes, in every run and on every machine: its picture's name says what it shows.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { artistWith } from "./drawn.ts";
import { FONTS } from "./fonts.ts";
import { GOLDENS, IMAGES } from "./goldens.ts";

const { draw } = artistWith(FONTS);

test.each(Object.entries(GOLDENS))("%s comes out as it always has, twice", async (_name, golden) => {
  for (const _round of ["first", "second"]) {
    const { bytes } = await draw(golden.slide, golden.settings, IMAGES);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(golden.sha256);
  }
});
