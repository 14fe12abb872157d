// The media of a post: uploaded, chosen from the workspace's files, put in order by buttons or by dragging, and removed.
import { findLikelyType } from "../../../../lib/shared/media-types.ts";
import type { RequestMedia } from "../../compose/kept-content.ts";
import type { Call } from "../shared/api.ts";
import { createElement } from "../shared/element.ts";
import { buildMedia, isCarousel, isVideoType, type Media } from "./media-body.ts";

interface MediaListOptions {
  form: HTMLFormElement;
  call: Call;
  base: string;
  media: Media[];
  /** What the draft was opened with. */
  stored: RequestMedia | null;
  onChange(): void;
  onProblem(text: string): void;
}

/** Of all networks. */
const MAX_ITEMS = 20;
const MAX_IMAGES = 35;

export function createMediaList({ form, call, base, media, stored, onChange, onProblem }: MediaListOptions) {
  const list = form.querySelector<HTMLElement>("#uploads") as HTMLElement;
  const note = form.querySelector<HTMLElement>("#uploads-note") as HTMLElement;
  /** Files on their way, with their rows in the list. */
  const uploads = new Map<File, HTMLElement>();

  /** The fields stay when the list is shown again, so that a person who writes in one can go on. */
  const altFields = new WeakMap<Media, HTMLElement>();

  const show = () => {
    const focused = document.activeElement;
    list.replaceChildren(...media.map(buildItem), ...uploads.values());
    if (focused instanceof HTMLInputElement && list.contains(focused)) focused.focus();
    if (media.length > 1) void import("./media-order.ts").then(({ enableDragging }) => enableDragging(list, move));
    onChange();
  };

  function buildItem(one: Media, at: number): HTMLElement {
    const item = createElement("li", {}, buildThumbnail(one), createElement("span", {}, one.name));
    item.dataset.url = one.url;
    if (media.length > 1) {
      item.append(
        buildButton("Earlier", one, () => move(at, at - 1), at === 0),
        buildButton("Later", one, () => move(at, at + 1), at === media.length - 1),
      );
    }
    item.append(
      buildButton("Remove", one, () => remove(at)),
      altFields.get(one) ?? buildAltField(one),
    );
    return item;
  }

  function buildAltField(one: Media): HTMLElement {
    const input = createElement("input", { type: "text", value: one.alt ?? "" });
    // Before the form hears of it.
    input.addEventListener("input", () => {
      one.alt = input.value;
    });
    const name = createElement("span", { className: "visually-hidden" }, ` of ${one.name}`);
    const field = createElement("label", { className: "alt" }, "Alternative text", name, input);
    altFields.set(one, field);
    return field;
  }

  function buildButton(label: string, { name }: Media, act: () => void, disabled = false): HTMLElement {
    const button = createElement("button", { type: "button", ariaLabel: `${label}: ${name}`, disabled }, label);
    button.dataset.act = label;
    button.addEventListener("click", act);
    return button;
  }

  function buildThumbnail({ type, url }: Media): HTMLElement {
    const className = "thumbnail";
    if (!isVideoType(type)) return createElement("img", { className, src: url, alt: "" });
    const canvas = createElement("canvas", { className });
    canvas.dataset.frame = "";
    return canvas;
  }

  /** The focus stays on the same button of the same picture. */
  function move(from: number, to: number): void {
    const [one] = media.splice(from, 1);
    if (!one) return;
    media.splice(to, 0, one);
    const label = (document.activeElement as HTMLElement | null)?.dataset.act;
    show();
    note.textContent = `${one.name} is now number ${to + 1} of ${media.length}.`;
    const buttons = list.children[to]?.querySelectorAll<HTMLButtonElement>("button:enabled") ?? [];
    if (label) ([...buttons].find(({ dataset }) => dataset.act === label) ?? buttons[0])?.focus();
  }

  function remove(at: number): void {
    const [one] = media.splice(at, 1);
    show();
    note.textContent = one ? `${one.name} is removed.` : "";
    const next = list.children[Math.min(at, media.length - 1)]?.querySelector<HTMLElement>("button:enabled");
    (next ?? form.querySelector<HTMLElement>("#files"))?.focus();
  }

  /** The sentence that says why a file cannot be added; empty when it can. */
  function findReason(name: string, isVideo: boolean): string {
    const types = [
      ...media.map(({ type }) => type),
      ...[...uploads.keys()].map((one) => findLikelyType(one.type, one.name) ?? ""),
    ];
    if (isCarousel(media, stored)) {
      return types.length < MAX_ITEMS ? "" : `${name} was not added: a carousel has up to ${MAX_ITEMS} items.`;
    }
    const fits = isVideo ? types.length === 0 : !types.some(isVideoType) && types.length < MAX_IMAGES;
    return fits
      ? ""
      : `${name} was not added: a post has one video or up to ${MAX_IMAGES} images, not both. Remove the other media first.`;
  }

  /** Returns false for a file that does not fit beside the others. */
  function add(one: Media): boolean {
    const reason = findReason(one.name, isVideoType(one.type));
    onProblem(reason);
    if (reason) return false;
    media.push(one);
    show();
    return true;
  }

  async function addFiles(files: Iterable<File>): Promise<void> {
    onProblem("");
    for (const file of files) {
      const reason = findReason(file.name, isVideoType(findLikelyType(file.type, file.name) ?? ""));
      if (reason) onProblem(reason);
      else await addFile(file);
    }
  }

  async function addFile(file: File): Promise<void> {
    const bar = createElement("progress", { max: 1, ariaLabel: `Upload of ${file.name}` });
    const text = createElement("span", {}, file.name);
    const item = createElement("li", {}, text, bar);
    list.append(item);
    uploads.set(file, item);
    onChange();
    try {
      // Large, and needed only with a file.
      const { uploadFile } = await import("../shared/upload.ts");
      const { file: stored } = await uploadFile(call, base, file, (fraction, state) => {
        bar.value = fraction;
        text.textContent = `${file.name} ${Math.round(fraction * 100)} % ${state}`;
      });
      media.push({ name: file.name, type: stored.contentType, url: stored.url });
      note.textContent = `${file.name} is uploaded.`;
    } catch (error) {
      onProblem(`${file.name}: ${(error as Error).message}`);
    } finally {
      uploads.delete(file);
      show();
    }
  }

  const build = (coverMs: number | null) => buildMedia(media, stored, coverMs);

  return {
    show,
    add,
    addFiles,
    build,
    list: () => [...media],
    replace(all: Media[]): void {
      media.splice(0, media.length, ...all);
      show();
    },
    /** Whether a chosen account takes alternative texts. */
    showAltFields: (isTaken: boolean) => list.classList.toggle("with-alt", isTaken),
    listUploads: () => [...uploads.keys()].map(({ name }) => name),
    /** Of a post without media it is not known yet. */
    getKind(): "video" | "images" | null {
      const { type } = build(null) ?? {};
      return type ? (type === "video" ? "video" : "images") : null;
    },
  };
}
