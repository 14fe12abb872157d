// Two versions of a draft side by side, and the choice between them.
import { createElement } from "../shared/element.ts";
import { formatInstant } from "../shared/instant.ts";
import type { DraftConflict, StoredPost } from "./drafts.ts";

export interface Version {
  caption: string;
  accounts: string[];
  media: string;
  at: Date | null;
}

interface ConflictOptions {
  dialog: HTMLDialogElement;
  timeZone: string;
  /** The entries of this window. */
  readOwn(conflict: DraftConflict): Version;
  nameAccount(id: string): string;
  keepOwn(conflict: DraftConflict): void;
  takeTheirs(conflict: DraftConflict): void;
}

export function createConflictDialog({ dialog, timeZone, readOwn, nameAccount, ...choose }: ConflictOptions) {
  let current: DraftConflict | null = null;
  const find = (id: string) => dialog.querySelector<HTMLElement>(`#conflict-${id}`) as HTMLElement;

  function describe({ caption, accounts, media, at }: Version): [string, string][] {
    return [
      ["Caption", caption],
      ["Accounts", accounts.join(", ") || "none"],
      ["Media", media],
      ["When", at ? `${formatInstant(at, timeZone)} (${timeZone})` : "at once"],
    ];
  }

  function decide(choice: (conflict: DraftConflict) => void): void {
    const conflict = current;
    current = null;
    dialog.close();
    if (conflict) choice(conflict);
  }
  find("keep").addEventListener("click", () => decide(choose.keepOwn));
  find("take").addEventListener("click", () => decide(choose.takeTheirs));

  return {
    show(conflict: DraftConflict): void {
      current = conflict;
      const own = describe(readOwn(conflict));
      const theirs = describe(toVersion(conflict.theirs, nameAccount));
      find("own-facts").replaceChildren(...buildFacts(own, theirs));
      find("other-facts").replaceChildren(...buildFacts(theirs, own));
      if (!dialog.open) dialog.showModal();
    },
  };
}

type ShownMedia = { type?: unknown; urls?: unknown[]; items?: unknown[] } | null;

function toVersion(
  { caption, accounts, scheduled_at: at, ...post }: StoredPost,
  name: (id: string) => string,
): Version {
  const media = post.media as ShownMedia;
  return {
    caption,
    accounts: accounts.states.map(({ account_id: id }) => name(id)),
    media: media ? describeMedia(media.type === "video", (media.urls ?? media.items ?? [media]).length) : "none",
    at: at ? new Date(at) : null,
  };
}

export function describeMedia(isVideo: boolean, count: number): string {
  if (count === 0) return "none";
  if (isVideo) return "a video";
  return count === 1 ? "an image" : `${count} images`;
}

/** Marks the parts that differ. */
function buildFacts(facts: [string, string][], others: [string, string][]): HTMLElement[] {
  return facts.flatMap(([name, value], at) => {
    const isSame = others[at]?.[1] === value;
    return [createElement("dt", {}, name), createElement("dd", {}, isSame ? value : createElement("mark", {}, value))];
  });
}
