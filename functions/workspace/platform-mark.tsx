// The networks' marks, by simple-icons.
import type { FC } from "hono/jsx";
import { siBluesky, siFacebook, siInstagram, siPinterest, siThreads, siTiktok, siX, siYoutube } from "simple-icons";
import type { Platform } from "../../lib/shared/platforms.ts";

interface PlatformMarkProps {
  platform: Platform;
}

/** Decoration: the name of the network stands beside it, for readers of screens too. */
export const PlatformMark: FC<PlatformMarkProps> = ({ platform }) => {
  const path = PATHS[platform];
  return (
    <span class={`mark ${platform}`} aria-hidden="true">
      {path ? (
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={path} />
        </svg>
      ) : (
        "in"
      )}
    </span>
  );
};

/** For pages with very many marks: their shapes once, which `SharedMark` refers to. */
export const MarkShapes: FC<{ platforms: Iterable<Platform> }> = ({ platforms }) => (
  <svg hidden aria-hidden="true">
    {[...platforms].map((platform) => {
      const path = PATHS[platform];
      return (
        path && (
          <symbol id={`mark-${platform}`} viewBox="0 0 24 24">
            <path d={path} />
          </symbol>
        )
      );
    })}
  </svg>
);

export const SharedMark: FC<PlatformMarkProps> = ({ platform }) => (
  <span class={`mark ${platform}`} aria-hidden="true">
    {PATHS[platform] ? (
      <svg aria-hidden="true">
        <use href={`#mark-${platform}`} />
      </svg>
    ) : (
      "in"
    )}
  </span>
);

/** LinkedIn permits no collection of icons to have its logo; it is written as letters. */
const PATHS: Record<Platform, string | null> = {
  tiktok: siTiktok.path,
  instagram: siInstagram.path,
  youtube: siYoutube.path,
  twitter: siX.path,
  pinterest: siPinterest.path,
  threads: siThreads.path,
  linkedin: null,
  facebook: siFacebook.path,
  bluesky: siBluesky.path,
};
