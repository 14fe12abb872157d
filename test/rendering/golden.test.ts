// The same slide renders to the same bytes in every run and on every machine, as its render hash requires.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { FONTS } from "./fonts.ts";
import { GOLDENS, IMAGES } from "./goldens.ts";
import { createTestRenderer } from "./test-renderer.ts";

const { render } = createTestRenderer(FONTS);

test.each(Object.entries(GOLDENS))("%s renders to its recorded hash, twice", async (_name, golden) => {
  for (const _round of ["first", "second"]) {
    const { bytes } = await render(golden.slide, golden.settings, IMAGES);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(golden.sha256);
  }
});
