// The composer: counts and checks while typing, shows the settings of the chosen networks, stores drafts, and commits them.
import "./shared/temporal.ts";
import type { Capabilities } from "../../../lib/platforms/rules.ts";
import { measureShownCaption } from "../../../lib/platforms/shown-caption.ts";
import { resolveDeclaredType } from "../../../lib/shared/media-types.ts";
import { cleanText } from "../../../lib/shared/post-text.ts";
import { describeClockChange, toEditedInstant } from "../../../lib/shared/time-zone.ts";
import { createCheck } from "./compose/check.ts";
import { type ComposedPost, createDrafts } from "./compose/drafts.ts";
import { createTikTok, UNDISCLOSED } from "./compose/tiktok.ts";
import { createCaller } from "./shared/api.ts";
import { createElement } from "./shared/element.ts";

interface Media {
  name: string;
  type: string;
  url: string;
  /** Of a video, once it is known. */
  seconds?: number;
}
const form = document.querySelector<HTMLFormElement>("#composer");
if (form) startComposer(form);

function startComposer(form: HTMLFormElement): void {
  const find = <Of extends HTMLElement>(id: string) => form.querySelector<Of>(`#${id}`) as Of;
  const base = form.dataset.base ?? "";
  const call = createCaller(`${base}/api`);
  const caption = find<HTMLTextAreaElement>("caption");
  const problem = find("problem");
  const check = createCheck(`${base}/compose/check`, find("result"), find("result-note"));
  const tiktok = createTikTok(form, () => show());
  const media: Media[] = readDraftMedia();
  /** Files on their way, with their rows in the list. */
  const uploads = new Map<File, HTMLElement>();
  let isBusy = false;

  const listAccounts = () => [...form.querySelectorAll<HTMLInputElement>("input[name=account]")];
  const listChosen = () => listAccounts().filter((box) => box.checked);
  const isOwnTikTok = (box: HTMLInputElement) => box.dataset.platform === "tiktok" && box.dataset.type === "byo";

  const listOwnTikTok = () => listChosen().filter(isOwnTikTok);
  const listOthers = () => listChosen().filter((box) => !isOwnTikTok(box));

  const draftKind = listOwnTikTok().length > 0 ? "tiktok" : "others";
  const drafts = createDrafts(call, form.dataset.draft ? { kind: draftKind, id: form.dataset.draft } : null);

  function readDraftMedia(): Media[] {
    const stored = JSON.parse(form.dataset.media ?? "null") as { type: string; url?: string; urls?: string[] } | null;
    const type = stored?.type === "video" ? "video/mp4" : "image/jpeg";
    return (stored?.urls ?? (stored?.url ? [stored.url] : [])).map((url) => ({
      name: url.split("/").at(-1) ?? "",
      type,
      url,
    }));
  }

  function show(): void {
    const chosen = listChosen();
    const platforms = new Set(
      chosen.map((box) =>
        isOwnTikTok(box) ? "tiktok" : box.dataset.platform === "tiktok" ? "" : box.dataset.platform,
      ),
    );
    for (const part of form.querySelectorAll<HTMLElement>("[data-for]")) part.hidden = !platforms.has(part.dataset.for);
    const counts = new Map(chosen.map((box) => [box.dataset.name ?? "", box.dataset]));
    find("counts").replaceChildren(
      ...[...counts].map(([name, { caption: rule = "" }]) => {
        const { limit, ...counted } = JSON.parse(rule) as Capabilities["caption"];
        const { length } = measureShownCaption(cleanText(caption.value), { limit, ...counted });
        return createElement("li", { className: length > limit ? "over" : "" }, `${name} ${length} / ${limit}`);
      }),
    );
    const isVideo = media[0]?.type.startsWith("video/") ?? true;
    for (const part of form.querySelectorAll<HTMLElement>("[data-video]")) part.hidden = !isVideo;
    tiktok.show(listOwnTikTok(), media[0]);
    const publish = find<HTMLButtonElement>("publish");
    const undisclosed = platforms.has("tiktok") && tiktok.isUndisclosed();
    publish.disabled = isBusy || undisclosed;
    publish.title = undisclosed ? UNDISCLOSED : "";
    check.schedule(buildCheckable);
    const { at, note } = readTime();
    find("publish").textContent = at ? "Schedule" : "Publish";
    const clockNote = find("at-note");
    if (clockNote.textContent !== note) clockNote.textContent = note;
  }

  /** Null: at once. The note tells of a time that the clock skips or shows twice. */
  function readTime(): { at: Date | null; note: string } {
    const { value, dataset } = find<HTMLInputElement>("at");
    const { stored, timeZone = "UTC" } = dataset;
    const at = toEditedInstant(value, stored ? new Date(stored) : null, timeZone);
    return { at, note: (at && describeClockChange(value, at, timeZone)) ?? "" };
  }

  function showMedia(): void {
    find("uploads").replaceChildren(...media.map(buildMediaItem), ...uploads.values());
    show();
  }

  function buildMediaItem(one: Media): HTMLElement {
    const remove = createElement("button", { type: "button", ariaLabel: `Remove ${one.name}` }, "Remove");
    remove.addEventListener("click", () => {
      media.splice(media.indexOf(one), 1);
      showMedia();
    });
    return createElement("li", {}, buildThumbnail(one), createElement("span", {}, one.name), remove);
  }

  function buildThumbnail(one: Media): HTMLElement {
    const className = "thumbnail";
    if (!one.type.startsWith("video/")) return createElement("img", { className, src: one.url, alt: "" });
    // The first frames of many videos are black.
    const video = createElement("video", { className, muted: true, preload: "metadata", src: `${one.url}#t=0.5` });
    video.addEventListener("loadedmetadata", () => {
      one.seconds = video.duration;
      show();
    });
    return video;
  }

  async function addFiles(files: Iterable<File>): Promise<void> {
    problem.textContent = "";
    for (const file of files) {
      const isVideo = resolveDeclaredType(file.type, file.name)?.startsWith("video/");
      const types = [
        ...media.map(({ type }) => type),
        ...[...uploads.keys()].map((one) => resolveDeclaredType(one.type, one.name) ?? ""),
      ];
      if (isVideo ? types.length > 0 : types.some((type) => type.startsWith("video/"))) {
        problem.textContent = `${file.name} was not added: a post has one video or up to 35 images, not both. Remove the other media first.`;
        continue;
      }
      const bar = createElement("progress", { max: 1, ariaLabel: `Upload of ${file.name}` });
      const note = createElement("span", {}, file.name);
      const item = createElement("li", {}, note, bar);
      find("uploads").append(item);
      uploads.set(file, item);
      try {
        // Large, and needed only with a file.
        const { uploadFile } = await import("./shared/upload.ts");
        const report = await uploadFile(call, base, file, (fraction, text) => {
          bar.value = fraction;
          note.textContent = `${file.name} ${Math.round(fraction * 100)} % ${text}`;
        });
        media.push({ name: file.name, type: report.file.contentType, url: report.file.url });
      } catch (error) {
        problem.textContent = `${file.name}: ${(error as Error).message}`;
      } finally {
        uploads.delete(file);
        showMedia();
      }
    }
  }

  function buildMedia(): ComposedPost["body"]["media"] {
    const [first] = media;
    if (!first) return null;
    if (first.type.startsWith("video/")) return { type: "video", url: first.url };
    return { type: "slideshow", urls: media.map(({ url }) => url) };
  }

  /** The posts to check; null until there are words and an account. */
  function buildCheckable(): object[] | null {
    return caption.value.trim() === "" || listChosen().length === 0 ? null : listBodies();
  }

  const listBodies = () => buildPosts().map(({ body }) => body);

  function buildPosts(): ComposedPost[] {
    const { at } = readTime();
    const shared = {
      caption: caption.value,
      media: buildMedia(),
      ...(at ? { scheduled_at: at.toISOString() } : {}),
    };
    const [own, others] = [listOwnTikTok(), listOthers()];
    const isVideo = media[0]?.type.startsWith("video/") ?? false;
    const platforms = new Set(others.map(({ dataset }) => dataset.platform));
    const value = (id: string) => find<HTMLInputElement>(id).value;
    const toIds = (boxes: HTMLInputElement[]) => boxes.map((box) => ({ id: box.value }));
    const youtube = {
      ...(value("youtube-title") ? { title: value("youtube-title") } : {}),
      privacy: value("youtube-privacy") as "private",
      selfDeclaredMadeForKids: find<HTMLInputElement>("youtube-kids").checked ? ("yes" as const) : ("no" as const),
    };
    const pinterest = {
      ...(value("pinterest-board") ? { board_id: value("pinterest-board") } : {}),
      ...(value("pinterest-title") ? { title: value("pinterest-title") } : {}),
      ...(value("pinterest-link") ? { link: value("pinterest-link") } : {}),
    };
    const other = {
      ...shared,
      accounts: toIds(others),
      ...(platforms.has("youtube") ? { settings: { youtube } } : {}),
      ...(platforms.has("pinterest") ? { pinterest } : {}),
    };
    return [
      ...(own.length > 0
        ? [{ kind: "tiktok" as const, body: { ...shared, accounts: toIds(own), tiktok: tiktok.read(isVideo) } }]
        : []),
      ...(others.length > 0 ? [{ kind: "others" as const, body: other }] : []),
    ];
  }

  function findMistake(): string {
    const chosen = listChosen();
    if (uploads.size > 0) return "Wait until the upload is done.";
    if (chosen.length === 0) return "Choose at least one account.";
    return tiktok.findMistake(listOwnTikTok(), media[0]);
  }

  /** In the address, so that a reload shows what is stored. */
  function nameDraft(): void {
    const [first] = drafts.list();
    history.replaceState(null, "", `${base}/compose${first ? `?draft=${first}` : ""}`);
  }

  /** Returns true once everything is published or scheduled. */
  async function submit(publish: boolean): Promise<boolean> {
    problem.textContent = findMistake();
    if (problem.textContent) return false;
    const saved = await drafts.save(buildPosts());
    nameDraft();
    await check.run(listBodies());
    if (!saved.every(({ draft }) => draft === null || draft.checks?.every(({ ok }) => ok))) {
      problem.textContent = "The draft is stored. What is listed above has to change before it is published.";
      return false;
    }
    if (!publish) return false;
    for (const post of saved) {
      const accounts = post.kind === "tiktok" ? listOwnTikTok() : listOthers();
      await drafts.commit(post);
      nameDraft();
      // If the next one fails, another try must not send this one again.
      for (const box of accounts) Object.assign(box, { checked: false, disabled: true });
    }
    return true;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    const buttons = form.querySelectorAll<HTMLButtonElement>(".submit button");
    isBusy = true;
    for (const button of buttons) button.disabled = true;
    const isDone = await submit((event.submitter as HTMLButtonElement | null)?.value === "publish").catch(
      (error: Error) => {
        problem.textContent = error.message;
        return false;
      },
    );
    // The page stays until the queue has loaded, and nothing may be sent from it again.
    if (isDone) return location.replace(`${base}/queue`);
    isBusy = false;
    for (const button of buttons) button.disabled = false;
    show();
  });
  // The browser restores what was typed after the script has run.
  addEventListener("pageshow", show);
  form.addEventListener("input", show);
  find<HTMLInputElement>("files").addEventListener("change", (event) => {
    const input = event.target as HTMLInputElement;
    void addFiles([...(input.files ?? [])]).then(() => {
      input.value = "";
    });
  });
  const drop = find("drop");
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    void addFiles([...(event.dataTransfer?.files ?? [])]);
  });
  restoreSettings();
  showMedia();

  /** Fills the fields from the stored draft. */
  function restoreSettings(): void {
    const read = (text: string | undefined) => JSON.parse(text ?? "null") as Record<string, unknown> | null;
    const [stored, pinterest] = [read(form.dataset.tiktok), read(form.dataset.pinterest)];
    const youtube = read(form.dataset.settings)?.youtube as Record<string, unknown> | undefined;
    const check = (id: string, on: unknown) => {
      find<HTMLInputElement>(id).checked = on === true;
    };
    const fill = (id: string, text: unknown) => {
      if (typeof text === "string") find<HTMLInputElement>(id).value = text;
    };
    if (stored) tiktok.restore(stored);
    fill("youtube-title", youtube?.title);
    fill("youtube-privacy", youtube?.privacy);
    check("youtube-kids", youtube?.selfDeclaredMadeForKids === "yes");
    fill("pinterest-board", pinterest?.board_id);
    fill("pinterest-title", pinterest?.title);
    fill("pinterest-link", pinterest?.link);
  }
}
