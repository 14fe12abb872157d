// The fields of what single accounts publish instead of the post's own.
import type { KeptContent, OwnContent } from "../../compose/kept-content.ts";
import { buildOwnContent } from "./own-body.ts";

export function createOwnContent(form: HTMLFormElement, { accounts: stored }: KeptContent) {
  const parts = [...form.querySelectorAll<HTMLElement>("[data-own]")].map((part) => {
    const id = part.dataset.own ?? "";
    const find = (name: string) => part.querySelector<HTMLTextAreaElement>(`#own-${name}-${id}`);
    return { id, part, caption: find("caption") as HTMLTextAreaElement, comment: find("comment") };
  });

  return {
    read: (): Record<string, OwnContent> =>
      Object.fromEntries(
        parts.map(({ id, part, caption, comment }) => {
          const written = { caption: caption.value, comment: comment?.value ?? null };
          return [id, buildOwnContent(stored[id], written, part.dataset.comment ?? "")];
        }),
      ),

    /** A post to one account needs no other caption for it. */
    show(chosen: Set<string>): void {
      for (const { id, part, caption, comment } of parts) {
        const field = caption.parentElement as HTMLElement;
        field.hidden = chosen.size < 2 && caption.value === "";
        part.hidden = !chosen.has(id) || (field.hidden && !comment);
      }
    },
  };
}
