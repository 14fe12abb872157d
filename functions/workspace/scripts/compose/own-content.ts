// The fields of what single accounts publish instead of the post's own.
import type { KeptContent, OwnContent } from "../../compose/kept-content.ts";
import type { Library } from "./library.ts";
import { buildOwnContent } from "./own-body.ts";

export function createOwnContent(form: HTMLFormElement, { accounts: stored }: KeptContent, library: Library) {
  const parts = [...form.querySelectorAll<HTMLElement>("[data-own]")].map((part) => {
    const id = part.dataset.own ?? "";
    const find = <Of extends HTMLElement>(name: string) => part.querySelector<Of>(`#own-${name}-${id}`);
    return {
      ...{ id, part },
      caption: find("caption") as HTMLTextAreaElement,
      comment: find<HTMLTextAreaElement>("comment"),
      silent: find<HTMLInputElement>("silent"),
      choice: find("choice") as HTMLSelectElement,
      media: find("media") as HTMLInputElement,
      files: find("files") as HTMLElement,
    };
  });

  const post = form.querySelector<HTMLTextAreaElement>("#first-comment") as HTMLTextAreaElement;

  function readMedia({ choice, media }: (typeof parts)[number]): OwnContent["media"] {
    if (choice.value === "none") return null;
    return choice.value === "own" && media.value ? JSON.parse(media.value) : undefined;
  }

  return {
    read: (): Record<string, OwnContent> =>
      Object.fromEntries(
        parts.map((one) => {
          const { id, caption, comment, silent } = one;
          const written = { caption: caption.value, comment: comment?.value ?? "", isSilent: silent?.checked ?? false };
          // The comment of the post is for those that take one.
          const before = stored[id]?.first_comment;
          const none = post.value.trim() === "" ? {} : { first_comment: null };
          const kept = comment ? {} : before ? { first_comment: before } : none;
          return [id, { ...buildOwnContent({ ...written, media: readMedia(one) }), ...kept }];
        }),
      ),

    /** A post to one account needs nothing else for it. */
    show(chosen: Set<string>): void {
      for (const { id, part, caption, comment, silent, choice, media, files } of parts) {
        const isWritten = caption.value !== "" || choice.value !== "" || Boolean(comment?.value) || silent?.checked;
        part.hidden = !chosen.has(id) || (chosen.size < 2 && !isWritten);
        if (comment && silent) comment.disabled = silent.checked;
        files.hidden = choice.value !== "own";
        if (files.hidden || part.hidden || files.dataset.shown === media.value) continue;
        files.dataset.shown = media.value;
        void import("./own-media.ts").then(({ showOwnMedia }) => showOwnMedia(files, media, library));
      }
    },
  };
}
