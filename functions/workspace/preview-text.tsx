// The text of a post as each network shows it: most show the beginning, and the rest behind "more".
import type { FC } from "hono/jsx";
import type { Platform } from "../../lib/shared/platforms.ts";

/**
 * Approximate number of characters that the apps show at first: no network documents it, and it changes with the screen.
 * Networks without a number show the whole text.
 */
const SHOWN_CHARACTERS: Partial<Record<Platform, number>> = {
  tiktok: 90,
  instagram: 125,
  youtube: 100,
  facebook: 400,
  linkedin: 200,
  pinterest: 60,
};

export const PreviewText: FC<{ platform: Platform; text: string; author?: string | undefined }> = ({
  platform,
  text,
  author,
}) => {
  const [shown, rest] = foldText(text, SHOWN_CHARACTERS[platform]);
  return (
    <div class="caption" dir="auto">
      {author && <strong dir="auto">{author} </strong>}
      {shown}
      {rest && (
        <details class="more">
          <summary>{platform === "facebook" ? "See more" : "more"}</summary>
          {rest}
        </details>
      )}
    </div>
  );
};

/** Cuts before a word, unless that leaves less than half of the limit. */
function foldText(text: string, limit: number | undefined): [shown: string, rest: string] {
  if (limit === undefined || text.length <= limit) return [text, ""];
  const space = text.lastIndexOf(" ", limit);
  const at = space > limit / 2 ? space : limit;
  // Never between the two halves of a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at;
  return [`${text.slice(0, end)}…`, text.slice(end).trimStart()];
}
