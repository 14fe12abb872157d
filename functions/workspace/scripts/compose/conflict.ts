// Two versions of a draft side by side, and the choice between them.
import type { PostBody, RequestMedia } from "../../compose/kept-content.ts";
import { createElement, createFinder } from "../shared/element.ts";
import type { StoredPost } from "./drafts.ts";

type NameAccount = (id: string) => string;

/** Resolves to true for the version of this window. A dialog that is closed without a choice is shown again. */
export function chooseVersion(
  dialog: HTMLDialogElement,
  name: NameAccount,
  own: PostBody | undefined,
  theirs: StoredPost,
): Promise<boolean> {
  const find = createFinder(dialog, "#conflict-");
  const facts = [own ? describe(own, name) : new Map<string, string>(), describe(toBody(theirs), name)] as const;
  const names = [...new Set(facts.flatMap((version) => [...version.keys()]))];
  for (const [at, id] of ["own-facts", "other-facts"].entries()) {
    const [shown, other] = at === 0 ? facts : [facts[1], facts[0]];
    find(id).replaceChildren(
      ...names.flatMap((row) => buildFact(row, shown.get(row) ?? "none", other.get(row) ?? "none")),
    );
  }
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    const decide = (keepsOwn: boolean) => {
      dialog.onclose = null;
      dialog.close();
      resolve(keepsOwn);
    };
    find("keep").onclick = () => decide(true);
    find("take").onclick = () => decide(false);
    dialog.onclose = () => dialog.showModal();
  });
}

/** The part that differs is marked. */
function buildFact(name: string, value: string, other: string): HTMLElement[] {
  const text = value === other ? value : createElement("mark", {}, value);
  return [createElement("dt", {}, name), createElement("dd", {}, text)];
}

/** As a request would have it. */
function toBody({ caption, accounts, media, scheduled_at: at, schedule, ...post }: StoredPost): PostBody {
  const own = new Map(accounts.overrides.map(({ account_id: id, ...fields }) => [id, fields]));
  const { first_comment, thread, link } = post;
  const body = {
    ...{ caption, media, first_comment, thread, link, scheduled_at: schedule ?? at ?? undefined },
    accounts: accounts.states.map(({ account_id: id }) => ({ id, ...own.get(id) })),
  };
  return body as PostBody;
}

/** The rows of a version; those that say nothing are left out. */
function describe(
  { caption, accounts, media, first_comment, thread, link, scheduled_at }: PostBody,
  name: NameAccount,
) {
  const rows: [string, string | undefined][] = [
    ["Caption", caption],
    ["Accounts", accounts.map(({ id }) => name(id)).join(", ")],
    ["Media", describeMedia(media)],
    ["When", describeTime(scheduled_at)],
    ["First comment", first_comment ?? undefined],
    ["Thread", thread?.map((part) => part.caption).join(" / ")],
    ["Link card", link?.url],
    ...accounts.map(({ id, ...own }): [string, string | undefined] => [`Only ${name(id)}`, describeOwn(own)]),
  ];
  return new Map(rows.flatMap(([row, text]) => (text ? [[row, text] as const] : [])));
}

function describeOwn({ caption, media, first_comment: comment }: Omit<PostBody["accounts"][number], "id">): string {
  const parts = [
    caption && `“${caption}”`,
    media === undefined ? "" : media === null ? "text only" : `${describeMedia(media)} of its own`,
    comment === undefined ? "" : comment === null ? "no first comment" : `first comment “${comment}”`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** A time of a clock is shown as it was given. */
function describeTime(at: PostBody["scheduled_at"]): string {
  if (at === undefined || at === null) return "at once";
  if (at === "next_slot") return "next free slot";
  if (typeof at === "object" && "local" in at) {
    const occurrence = at.on_overlap === "second" ? ", the second of two" : "";
    return `${at.local.replace("T", " ")} (${at.time_zone ?? "workspace"}${occurrence})`;
  }
  return String(at);
}

function describeMedia(media: RequestMedia | null | undefined): string {
  if (!media) return "none";
  if (media.type === "video") return "a video";
  if (media.type === "carousel") return `${media.items.length} files`;
  return media.urls.length === 1 ? "an image" : `${media.urls.length} images`;
}
