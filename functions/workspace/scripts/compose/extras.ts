// Fields beyond caption and media: first comment, thread and link card. Posts of TikTok's own accounts have none.

import type { Extras, KeptFields, PostBody } from "../../compose/kept-content.ts";
import { createFinder } from "../shared/element.ts";

const NEEDS = { firstComment: "first-comment", linkCard: "link-card", thread: "thread" } as const;

export function createExtras(form: HTMLFormElement, stored: KeptFields) {
  const find = createFinder(form, "#");
  const part = find<HTMLDetailsElement>("extras");
  const comment = find<HTMLTextAreaElement>("first-comment");
  const thread = find<HTMLInputElement>("thread");
  const card = find<HTMLSelectElement>("link-card");
  const given = find<HTMLInputElement>("link-given");
  const url = find<HTMLInputElement>("link-url");
  const title = find<HTMLInputElement>("link-title");

  card.addEventListener("change", () => {
    // An update cannot take back what was said about the card.
    given.value ||= card.value;
  });

  const showThread = (adds = false) => void import("./thread.ts").then((thread) => thread.showThread(form, adds));
  find("thread-add").addEventListener("click", () => showThread(true));

  function readLink(caption: string): Extras["link"] | undefined {
    if (card.value === "none") return null;
    if (card.value === "") return given.value ? findLastLink(caption) : undefined;
    if (url.value.trim() === "") return undefined;
    const kept = stored.link?.url === url.value.trim() ? stored.link : {};
    const { title: _, ...rest } = { title: "", ...kept };
    return { ...rest, url: url.value.trim(), ...(title.value.trim() ? { title: title.value.trim() } : {}) };
  }

  return {
    /** Fields that say nothing are absent. */
    read(caption: string): Extras {
      const parts = thread.value ? (JSON.parse(thread.value) as NonNullable<PostBody["thread"]>) : [];
      const written = parts.filter((one) => one.caption.trim() !== "");
      const link = readLink(caption);
      return {
        ...(comment.value.trim() === "" ? {} : { first_comment: comment.value }),
        ...(written.length === 0 ? {} : { thread: written }),
        ...(link === undefined ? {} : { link }),
      };
    },

    /** Each part is there for the chosen accounts that take it, and as long as something is written in it. */
    show(chosen: HTMLInputElement[]): void {
      find("link-page").hidden = card.value !== "page";
      const isWritten = { "first-comment": comment.value, "link-card": card.value, thread: thread.value };
      for (const section of part.querySelectorAll<HTMLElement>("[data-needs]")) {
        const need = section.dataset.needs as keyof typeof NEEDS;
        const takers = chosen.filter(({ dataset }) => dataset.takes?.split(" ").includes(need));
        section.hidden = takers.length === 0 && !isWritten[NEEDS[need]];
        const names = [...new Set(takers.map(({ dataset }) => dataset.name))].join(", ");
        find(`${NEEDS[need]}-for`).textContent = names && `For ${names}.`;
      }
      part.hidden = !part.querySelector("[data-needs]:not([hidden])");
    },

    /** After the fields were filled. */
    restore(): void {
      if (thread.value) showThread();
    },
  };
}

/** As a network would choose it; null without a link, which is no card. */
function findLastLink(caption: string): { url: string } | null {
  const found = caption
    .match(/https?:\/\/\S+/g)
    ?.at(-1)
    ?.replace(/[.,;:!?)]+$/, "");
  return found && URL.canParse(found) ? { url: found } : null;
}
