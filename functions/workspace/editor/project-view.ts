// Reads from the address of a project's page which clip is chosen, and which part of the text clips is listed.
import type { ProjectDocument } from "../../../lib/shared/project-document.ts";
import type { PageContext } from "../page.ts";

export interface Selection {
  kind: "clip" | "text";
  /** `new` for a text clip that is not stored yet. */
  id: string;
}

export const NEW_TEXT = "new";
/** A project may have thousands of captions: a page lists this many. */
export const TEXTS_PER_PAGE = 100;

export function readSelection(c: PageContext): Selection | null {
  const [clip, text] = [c.req.query("clip"), c.req.query("text")];
  if (text) return { kind: "text", id: text };
  return clip ? { kind: "clip", id: clip } : null;
}

/** The first listed text clip: that of the address, or of the page on which the chosen one is. */
export function readTextOffset(c: PageContext, { text_clips }: ProjectDocument, selection: Selection | null): number {
  const from = Number.parseInt(c.req.query("from") ?? "", 10) || 0;
  const position = selection?.kind === "text" ? text_clips.findIndex(({ clip_id }) => clip_id === selection.id) : -1;
  const index = position >= 0 ? position : Math.min(Math.max(0, from), Math.max(0, text_clips.length - 1));
  return index - (index % TEXTS_PER_PAGE);
}
