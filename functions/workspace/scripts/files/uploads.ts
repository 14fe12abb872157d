// Uploads of the files page: several at once, each with its progress, and those that a reload has interrupted.
import { findLikelyType } from "../../../../lib/shared/media-types.ts";
import type { Call } from "../shared/api.ts";
import { createElement } from "../shared/element.ts";
import { getUploadKey, listInterruptedUploads, removeStoredUpload } from "../shared/stored-uploads.ts";

/** Each sends three parts at once. */
const PARALLEL_FILES = 2;

const WRONG_TYPE = "Only videos (MP4, MOV, WebM) and pictures (JPEG, PNG, WebP, GIF) can be uploaded.";

interface UploadsOptions {
  call: Call;
  /** The path of the workspace. */
  base: string;
  list: HTMLElement;
  /** Opens the chooser of files. */
  choose(): void;
  /** Called after each file that is stored. */
  onStored(fileId: string, folderId: string | null): Promise<void>;
}

export function createUploads({ call, base, list, choose, onStored }: UploadsOptions) {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;

  function runNext(): void {
    const next = running < PARALLEL_FILES ? waiting.shift() : undefined;
    if (!next) return;
    running += 1;
    void next().finally(() => {
      running -= 1;
      runNext();
    });
    runNext();
  }

  /** True while a file is on its way. */
  const isBusy = () => running > 0;

  function add(file: File, folderId: string | null): void {
    for (const old of list.querySelectorAll<HTMLElement>("li[data-interrupted]"))
      if (old.dataset.interrupted === getUploadKey(base, file)) old.remove();
    const bar = createElement("progress", { max: 1, value: 0, ariaLabel: `Upload of ${file.name}` });
    const note = createElement("span", {}, `${file.name} waits`);
    const row = createElement("li", {}, note, bar);
    list.append(row);
    const run = async () => {
      bar.hidden = false;
      try {
        if (findLikelyType(file.type, file.name) === null) throw new Error(WRONG_TYPE);
        // Large, and needed only with a file.
        const { uploadFile } = await import("../shared/upload.ts");
        const { file: stored } = await uploadFile(call, base, file, (fraction, text) => {
          bar.value = fraction;
          note.textContent = `${file.name} ${Math.round(fraction * 100)} % ${text}`;
        });
        await onStored(stored.id, folderId);
        row.remove();
      } catch (error) {
        bar.hidden = true;
        note.textContent = `${file.name} was not uploaded. ${(error as Error).message}`;
        const retry = createElement("button", { type: "button" }, "Try again");
        const remove = createElement("button", { type: "button", className: "quiet" }, "Dismiss");
        retry.addEventListener("click", () => {
          for (const button of [retry, remove]) button.remove();
          waiting.push(run);
          runNext();
        });
        remove.addEventListener("click", () => row.remove());
        row.append(retry, remove);
      }
    };
    waiting.push(run);
    runNext();
  }

  /** A browser gives a file to a page once: after a reload, the person chooses it again, and only what is missing is sent. */
  function showInterrupted(): void {
    for (const upload of listInterruptedUploads(base)) {
      const again = createElement("button", { type: "button" }, "Choose it again");
      const discard = createElement("button", { type: "button", className: "quiet" }, "Discard");
      const text = `${upload.fileName} was interrupted at ${upload.percent} %. Choose the same file again: only what is missing is sent.`;
      const row = createElement("li", {}, createElement("span", {}, text), again, discard);
      row.dataset.interrupted = upload.key;
      again.addEventListener("click", choose);
      discard.addEventListener("click", () => {
        row.remove();
        removeStoredUpload(upload.key);
        // Without it the upload ends by itself, a day after its start.
        void call("DELETE /files/multipart/{uploadId}", { params: { uploadId: upload.id } }).catch(() => undefined);
      });
      list.append(row);
    }
  }

  return { add, showInterrupted, isBusy };
}
