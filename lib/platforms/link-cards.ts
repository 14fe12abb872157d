// The card of a link, for networks that make none by themselves: from what the caller gives and the tags of the page.
import { readLinkTags } from "../media/link-tags.ts";
import { getLinkCard, type LinkCard } from "../shared/post-content.ts";
import { findLinks } from "./links.ts";
import type { Content, Job, PublishWarning } from "./platform.ts";

/** A card with all that a network shows. */
export interface ShownCard {
  url: string;
  title: string;
  /** May be empty. */
  description: string;
  imageUrl: string | null;
}

/** The link that becomes a card: the caller's, or the last one of the caption; null next to media, or if no card is wanted. */
export function findCardLink({
  caption,
  media,
  link,
}: Pick<Content, "caption" | "link"> & { media: unknown }): LinkCard | null {
  if (media) return null;
  if (link) return getLinkCard(link);
  const url = findLinks(caption).at(-1)?.uri;
  return url === undefined ? null : { url };
}

/** The page need not be read for a card that the caller describes whole. */
function needsPage({ title, description, image_url }: LinkCard): boolean {
  return title === undefined || description === undefined || image_url === undefined;
}

/** Throws an Error whose message is for the customer, when there is no title and the page gives none. */
export async function readCard(io: Pick<Job, "fetchMedia">, link: LinkCard): Promise<ShownCard> {
  const { url, title, description, image_url } = link;
  const tags = needsPage(link) ? await readLinkTags(io.fetchMedia, url).catch(toGiven(link)) : null;
  return {
    url,
    title: title ?? tags?.title ?? "",
    description: description ?? tags?.description ?? "",
    imageUrl: image_url ?? tags?.imageUrl ?? null,
  };
}

/** A page that cannot be read takes nothing from a card that has a title. */
const toGiven =
  ({ title }: LinkCard) =>
  (error: unknown) => {
    if (title === undefined) throw error;
    return null;
  };

type CardResult = { card: ShownCard | null; warnings?: PublishWarning[] };

/** The card that a post is published with. One that cannot be made does not keep the post from being published. */
export async function resolveCard(job: Job): Promise<CardResult> {
  const link = findCardLink(job.content);
  if (!link) return { card: null };
  try {
    return { card: await readCard(job, link) };
  } catch (error) {
    return { card: null, warnings: [toCardWarning(link.url, error)] };
  }
}

/** In the words of a published post; a check says the same of a post to come. */
function toCardWarning(url: string, error: unknown): PublishWarning {
  const message = `The post has no card for ${url}. ${describeCardError(error)}`;
  return { code: "link_card_unavailable", message };
}

export function describeCardError(error: unknown): string {
  const reason = error instanceof Error ? error.message : "The page could not be read.";
  return `${reason} Give link a title of its own, or correct the page.`;
}
