// Renders pages in an installed Chromium, to compare slides with an independent renderer.
import { decodePng } from "../../lib/rendering/decode/png.ts";
import type { Size } from "../../lib/rendering/settings.ts";
import { findChromium, openChromium } from "../support/chromium.ts";

export interface Browser {
  /** Returns a PNG. */
  render(html: string, size: Size): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Null when no Chromium is installed (`apt-get install chromium`). */
export async function openBrowser(): Promise<Browser | null> {
  if (!findChromium()) return null;
  const browser = await openChromium();
  const page = await browser.newPage();
  return {
    async render(html, size) {
      await page.setViewportSize(size);
      await page.setContent(html, { waitUntil: "load" });
      await page.evaluate("document.fonts.ready");
      return page.screenshot({ type: "png" });
    },
    close: () => browser.close(),
  };
}

export async function decodePixels(png: Uint8Array, size: Size): Promise<Uint8Array> {
  const pixels = new Uint8Array(size.width * size.height * 4);
  await decodePng(png, { crop: { left: 0, top: 0, ...size }, out: size }, pixels);
  return pixels;
}

/** Larger differences of a channel are visible; edges of letters differ by less between two renderers. */
const VISIBLE_DIFFERENCE = 64;

/** Percent of the pixels of some rows that differ visibly. */
export function comparePixels(one: Uint8Array, other: Uint8Array, width: number, from: number, to: number): number {
  let differing = 0;
  for (let at = from * width * 4; at < to * width * 4; at += 4) {
    const differs = [0, 1, 2].some((i) => Math.abs((one[at + i] ?? 0) - (other[at + i] ?? 0)) > VISIBLE_DIFFERENCE);
    if (differs) differing += 1;
  }
  return (differing * 100) / ((to - from) * width);
}
