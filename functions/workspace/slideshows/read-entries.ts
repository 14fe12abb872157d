// Reads the forms of slideshows, and says in a sentence why an operation rejected them.
import { toApiError } from "../../../lib/shared/errors.ts";
import type { PageContext } from "../page.ts";
import { describeError } from "../scripts/shared/slideshow-words.ts";
import { setNotice } from "../session.ts";

export type Entries = Record<string, string>;

/** The texts that a form sent, trimmed. */
export async function readEntries(c: PageContext): Promise<Entries> {
  const form = await c.req.parseBody();
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => (typeof value === "string" ? [[name, value.trim()]] : [])),
  );
}

/** Errors that a person can end: bad entries, and a model or an image that cannot be reached. */
const SHOWN_FAILURES = new Set(["generation_failed", "provider_unavailable", "image_unreachable"]);

/** The sentence for a rejected request; throws what only the service can mend. */
export function requireSentence(error: unknown): string {
  const known = toApiError(error);
  if (!known || (known.status >= 500 && !SHOWN_FAILURES.has(known.code))) throw error;
  return describeError(known);
}

/** Redirects to a page of the workspace that says what was done, or why it was not. */
export async function finishWithSentence(
  c: PageContext,
  onProblem: string,
  work: () => Promise<{ path: string; text: string }>,
): Promise<Response> {
  let path = onProblem;
  try {
    const done = await work();
    path = done.path;
    if (done.text) setNotice(c, { kind: "done", text: done.text });
  } catch (error) {
    setNotice(c, { kind: "problem", text: requireSentence(error) });
  }
  return c.redirect(`/dashboard/${c.var.workspace.id}/${path}`, 303);
}
