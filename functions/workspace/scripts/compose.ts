// The composer: counts, checks and saves while typing, shows the settings of the chosen networks, and publishes drafts.

import { cleanText } from "../../../lib/shared/post-text.ts";
import type { KeptContent } from "../compose/kept-content.ts";
import { createAccounts } from "./compose/accounts.ts";
import { createCheck } from "./compose/check.ts";
import { createChoices } from "./compose/choices.ts";
import { listenForFiles } from "./compose/choose-files.ts";
import { createCover } from "./compose/cover.ts";
import { DraftConflict } from "./compose/drafts.ts";
import { fillEntries, readEntries } from "./compose/entries.ts";
import { createExtras } from "./compose/extras.ts";
import { createLibrary } from "./compose/library.ts";
import { createMediaList } from "./compose/media-list.ts";
import { createOwnContent } from "./compose/own-content.ts";
import { createPictures } from "./compose/pictures.ts";
import { buildPosts } from "./compose/posts.ts";
import { createSaving } from "./compose/saving.ts";
import { createSettings } from "./compose/settings.ts";
import { createTikTok, UNDISCLOSED } from "./compose/tiktok.ts";
import { createTime } from "./compose/time.ts";
import { createCaller } from "./shared/api.ts";
import { createFinder } from "./shared/element.ts";

const form = document.querySelector<HTMLFormElement>("#composer");
if (form) startComposer(form);

function startComposer(form: HTMLFormElement): void {
  const find = createFinder(form, "#");
  const read = (name: string) => JSON.parse(form.dataset[name] ?? "null");
  const base = form.dataset.base ?? "";
  const call = createCaller(`${base}/api`);
  const caption = find<HTMLTextAreaElement>("caption");
  const problem = find("problem");
  const tellProblem = (text: string) => {
    problem.textContent = text;
  };
  const kept: KeptContent = read("kept");
  const library = createLibrary(form, call);
  const own = createOwnContent(form, kept, library);
  const extras = createExtras(form, kept.fields.others);
  const accounts = createAccounts(form);
  const check = createCheck(`${base}/compose/check`, find("result"), find("result-note"), () => cover.draw());
  const tiktok = createTikTok(form, () => show());
  const cover = createCover(form, () => change());
  const time = createTime(form, () => change());
  const storedSettings = read("settings") ?? {};
  const settings = createSettings(form, storedSettings);
  const pictures = createPictures(form, { call, base }, { onChange: () => change(), onProblem: tellProblem });
  const media = createMediaList({
    ...{ form, call, base, media: read("media") ?? [], stored: kept.media },
    onChange: () => change(),
    onProblem: tellProblem,
  });
  const showChoices = createChoices(form, call, accounts);
  let isBusy = false;
  let isStarted = false;

  settings.restore();
  cover.restore(
    read("tiktok")?.video_cover_timestamp_ms ??
      storedSettings.instagram?.thumb_offset_ms ??
      (kept.media?.type === "video" ? kept.media.cover_timestamp_ms : null),
  );
  if (read("tiktok")) tiktok.restore(read("tiktok"));

  const build = () =>
    buildPosts({
      ...{
        caption: caption.value,
        media: media.build(cover.read()),
        scheduledAt: time.read(),
        extras: extras.read(caption.value),
        accounts: accounts.read(),
        coverMs: cover.read(),
        kept: { ...kept, accounts: own.read() },
      },
      readSettings: settings.read,
      readTikTok: (isVideo) => tiktok.read(isVideo, cover.read()),
    });
  const listBodies = () => build().map(({ body }) => body);
  const listUploads = () => [...media.listUploads(), ...pictures.listUploads()];
  const canSave = () => caption.value.trim() !== "" && accounts.listChosen().length > 0;
  const isWritten = () => caption.value.trim() !== "" || media.list().length > 0;

  showFields();
  const saving = createSaving({
    ...{ form, base, call, build, canSave, isWritten, stored: read("drafts") ?? [], settings: storedSettings },
    nameAccount: accounts.describe,
    readCopy() {
      const entries = readEntries(form);
      entries.fields["tiktok-privacy"] = tiktok.readPrivacy();
      return { entries, media: media.list(), uploads: listUploads() };
    },
    fillCopy({ entries, media: all, uploads }) {
      fillEntries(form, entries);
      tiktok.restorePrivacy(String(entries.fields["tiktok-privacy"] ?? ""));
      media.replace(all);
      pictures.show();
      cover.show();
      extras.restore();
      const [name] = uploads;
      if (name) tellProblem(`The upload of ${name} stopped. Choose the file again: it goes on where it was.`);
    },
  });

  /** After every change of the form. */
  function change(): void {
    if (!isStarted) return;
    show();
    if (!isBusy) saving.change(listUploads().length > 0);
  }

  function showFields(): void {
    const platforms = accounts.listPlatforms();
    const kind = media.getKind();
    for (const part of form.querySelectorAll<HTMLElement>("[data-for]")) {
      part.hidden = !platforms.has(part.dataset.for ?? "");
    }
    own.show(new Set(accounts.listChosen().map(({ value }) => value)));
    extras.show(accounts.listOthers());
    time.show();
    media.showAltFields(accounts.listChosen().some(({ dataset }) => dataset.altText));
    find("differences").hidden = !form.querySelector(":is([data-for], [data-own]):not([hidden])");
    for (const part of form.querySelectorAll<HTMLElement>("[data-media]:not(form)")) {
      part.hidden = part.dataset.media !== (kind ?? "video");
    }
    showChoices();
    const [first] = media.list();
    cover.setVideo(kind === "video" && first ? first.url : null);
  }

  function show(): void {
    showFields();
    const chosen = accounts.listChosen();
    const written = own.read();
    const rules = new Map(
      chosen
        .filter(({ value }) => written[value]?.caption === undefined)
        .map(({ dataset }) => [dataset.name ?? "", dataset.caption ?? ""]),
    );
    if (rules.size === 0) find("counts").replaceChildren();
    else
      void import("./compose/counts.ts").then(({ showCounts }) =>
        showCounts(find("counts"), cleanText(caption.value), rules),
      );
    const undisclosed = accounts.listOwnTikTok().length > 0 && tiktok.isUndisclosed();
    tiktok.show(accounts.listOwnTikTok(), toShownMedia());
    find("tiktok-apart").hidden = accounts.listOthers().length === 0;
    const publish = find<HTMLButtonElement>("publish");
    publish.disabled = isBusy || undisclosed;
    publish.title = undisclosed ? UNDISCLOSED : "";
    check.schedule(() => (canSave() ? listBodies() : null));
    publish.textContent = time.read() ? "Schedule" : "Publish";
    cover.draw();
  }

  function toShownMedia() {
    const [first] = media.list();
    return first && { type: first.type, seconds: cover.getSeconds() };
  }

  function findMistake(): string {
    if (listUploads().length > 0) return "Wait until the upload is done.";
    if (caption.value.trim() === "") return "Write a caption.";
    if (accounts.listChosen().length === 0) return "Choose at least one account.";
    return "";
  }

  /** Returns true once everything is published or scheduled. */
  async function submit(publish: boolean): Promise<boolean> {
    tellProblem(findMistake());
    if (problem.textContent) return false;
    const saved = await saving.saveNow();
    await check.run(listBodies());
    if (!saved.every(({ draft }) => draft === null || draft.checks?.every(({ ok }) => ok))) {
      tellProblem("The draft is stored. What is listed above has to change before it is published.");
      return false;
    }
    if (!publish) return false;
    tellProblem(accounts.findInactive());
    if (problem.textContent) return false;
    tellProblem(tiktok.findMistake(accounts.listOwnTikTok(), toShownMedia()));
    if (problem.textContent) {
      tiktok.focusMissing();
      return false;
    }
    for (const post of saved) {
      const boxes = post.kind === "tiktok" ? accounts.listOwnTikTok() : accounts.listOthers();
      await saving.commit(post);
      // If the next one fails, another try must not send this one again.
      for (const box of boxes) Object.assign(box, { checked: false, disabled: true });
    }
    return true;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    const buttons = form.querySelectorAll<HTMLButtonElement>(".submit button");
    isBusy = true;
    saving.pause(true);
    for (const button of buttons) button.disabled = true;
    const wanted = (event.submitter as HTMLButtonElement | null)?.value === "publish";
    const isDone = await submit(wanted).catch((error: Error) => {
      if (!(error instanceof DraftConflict)) tellProblem(error.message);
      return error instanceof DraftConflict ? null : false;
    });
    // The page stays until the queue has loaded, and nothing may be sent from it again.
    if (isDone) {
      saving.finish();
      return location.replace(`${base}/queue`);
    }
    isBusy = false;
    // Until the person has chosen between two versions nothing is saved.
    if (isDone === false) saving.pause(false);
    for (const button of buttons) button.disabled = false;
    change();
  });

  addEventListener("pagehide", () => {
    if (!isBusy) saving.leave();
  });
  addEventListener("beforeunload", (event) => {
    if (listUploads().length > 0) event.preventDefault();
  });
  form.addEventListener("input", () => {
    tellProblem("");
    change();
  });
  // Fields of a file have a script of their own.
  form.addEventListener("change", (event) => {
    if ((event.target as HTMLInputElement).type !== "file") change();
  });
  find("library-open").addEventListener("click", () => library.open(media.add));
  listenForFiles(form, media.addFiles);
  isStarted = true;
  pictures.show();
  extras.restore();
  media.show();
  void saving.offerKept();
  // The browser restores what was typed after the script has run.
  addEventListener("pageshow", change);
}
