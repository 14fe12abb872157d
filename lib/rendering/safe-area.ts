// The part of a slide that no network covers with its own controls.
import type { Box } from "./collage.ts";
import type { Size } from "./settings.ts";

/** The screen that slides are shown on, in its own pixels; a slide is centred and fits its width or its height. */
const SCREEN: Size = { width: 1080, height: 1920 };

/**
 * TikTok covers the top bar, the caption at the bottom and the buttons at the right
 * (https://adfuseai.com/blog/tiktok-ad-sizes-specs-guide, read 2026-11-24). Both sides are kept free, because texts are
 * centred on the slide.
 */
const TIKTOK = { top: 150, bottom: 440, side: 150 };

/** Instagram crops posts in its grid and its feed by this much at each edge of 1080 x 1350
 * (https://www.imagefactory.co.kr/en/guides/instagram-story-ad-text-safe-zone, read 2026-11-24). */
const INSTAGRAM_MARGIN = 64;

export function computeSafeArea(canvas: Size): Box {
  const scale = Math.min(SCREEN.width / canvas.width, SCREEN.height / canvas.height);
  const bar = (SCREEN.height - canvas.height * scale) / 2;
  const gap = (SCREEN.width - canvas.width * scale) / 2;
  // A margin of 64 at each edge leaves no room in the flattest slides.
  const margin = Math.min(INSTAGRAM_MARGIN, canvas.height * 0.08);
  const uncovered = (covered: number, bars: number) => Math.max(margin, (covered - bars) / scale);
  const [top, bottom] = [uncovered(TIKTOK.top, bar), uncovered(TIKTOK.bottom, bar)];
  const side = uncovered(TIKTOK.side, gap);
  return {
    left: Math.ceil(side),
    top: Math.ceil(top),
    width: Math.floor(canvas.width - 2 * side),
    height: Math.floor(canvas.height - top - bottom),
  };
}
