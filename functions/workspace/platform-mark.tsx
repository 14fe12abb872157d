// The networks' marks, whose shapes the style has.
import type { FC } from "hono/jsx";
import type { Platform } from "../../lib/shared/platforms.ts";

/** Decoration: the name of the network stands beside it, for readers of screens too. */
export const PlatformMark: FC<{ platform: Platform }> = ({ platform }) => (
  <span class={`mark ${platform}`} aria-hidden="true" />
);
