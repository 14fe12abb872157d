// The two links of an idea: a post with its words, and a slideshow about it.
import type { FC } from "hono/jsx";
import type { PageContext } from "./page.ts";
import { hasRole } from "./session.ts";

/** Of a link: some servers cut off longer ones. */
const MAX_CAPTION = 2_200;
/** The longest prompt of a slideshow, in letters. */
const MAX_PROMPT = 1_000;

interface IdeaLinksProps {
  c: PageContext;
  /** Null: the idea has no words for a post. */
  caption: string | null;
  /** Null: the idea is none for a slideshow. */
  prompt: string | null;
  /** Names the idea for readers of screens. */
  about: string;
  captionLabel?: string;
  promptLabel?: string;
}

export const IdeaLinks: FC<IdeaLinksProps> = ({
  c,
  caption,
  prompt,
  about,
  captionLabel = "Write a post",
  promptLabel = "Make a slideshow",
}) => {
  const { workspace } = c.var;
  if (!hasRole(workspace.role, "editor")) return null;
  const base = `/dashboard/${workspace.id}`;
  return (
    <>
      {caption && (
        <IdeaLink href={`${base}/compose?${new URLSearchParams({ caption: cut(caption, MAX_CAPTION) })}`} about={about}>
          {captionLabel}
        </IdeaLink>
      )}
      {prompt && (
        <IdeaLink
          href={`${base}/slideshows/new?${new URLSearchParams({ prompt: cut(prompt, MAX_PROMPT) })}`}
          about={about}
        >
          {promptLabel}
        </IdeaLink>
      )}
    </>
  );
};

const IdeaLink: FC<{ href: string; about: string; children: string }> = ({ href, about, children }) => (
  <a class="button" href={href}>
    {children}
    <span class="visually-hidden">: {about}</span>
  </a>
);

/** Whole characters: half of a surrogate pair is none. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text.slice(0, length)).slice(0, -1).join("");
}
