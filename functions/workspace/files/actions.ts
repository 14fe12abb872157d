// Changes of files and folders. Each goes through the operation of the API; only a new name of a folder has none.
import { listFilesById, listFoldersOfFiles } from "../../../lib/queries/file-library.ts";
import { renameFolder as storeFolderName } from "../../../lib/queries/folder-updates.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import deleteFileOperation from "../../files/delete.ts";
import addItems from "../../folders/add-items.ts";
import createFolderOperation from "../../folders/create.ts";
import deleteFolderOperation from "../../folders/delete.ts";
import removeItems from "../../folders/remove-items.ts";
import updateFolder from "../../folders/update.ts";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { openAudited, PageError, requireId, setNotice } from "../session.ts";
import { countThings } from "./file-cards.tsx";

/** A page shows fewer files than this, so that no form has more. */
const MAX_CHOSEN = 200;
const NAME_MISTAKE = "Enter a name of at most 255 characters for the folder.";

export async function createFolder(c: PageContext): Promise<Response> {
  const { name, parent } = await c.req.parseBody();
  const parentId = readOptionalId(parent);
  return finish(c, parentId, async () => {
    const body = { name: requireName(name), media_type: "upload", parent_folder_id: parentId };
    const { name: stored } = await runOperation<{ name: string }>(c, createFolderOperation, { body });
    return `The folder ${stored} is there.`;
  });
}

export async function renameFolder(c: PageContext): Promise<Response> {
  const id = requireId(c, "folderId", "folder");
  const { name } = await c.req.parseBody();
  return finish(c, id, async () => {
    const db = openAudited(c, "files.rename-folder");
    const renamed = await storeFolderName(db, c.var.workspace.actor.scope, id, requireName(name), c.var.now);
    if (!renamed) throw new PageError(404, "There is no such folder in this workspace.");
    if (renamed.outcome !== "done") throw new Mistake(REASONS.folder_name_conflict);
    return "The folder has its new name.";
  });
}

/** Moves files, and folders with all that is in them; an empty `to` is the root. */
export async function moveChosen(c: PageContext): Promise<Response> {
  const { files, folders, from, to } = await readChosen(c);
  return finish(c, from, async () => {
    if (files.length + folders.length === 0) return "Choose files or folders first, then move them.";
    for (const folderId of folders)
      await runOperation(c, updateFolder, { params: { folderId }, body: { parent_folder_id: to } });
    const body = { item_ids: files };
    if (files.length > 0 && to !== null) await runOperation(c, addItems, { params: { folderId: to }, body });
    // A search lists the files of all folders.
    const { db } = c.var.services;
    const former = from === null ? await listFoldersOfFiles(db, c.var.workspace.actor.scope, files) : [from];
    if (files.length > 0)
      for (const folderId of former)
        if (folderId !== to) await runOperation(c, removeItems, { params: { folderId }, body });
    return `${describe(files, folders)} moved.`;
  });
}

/** Files that a post needs stay, and the notice names them. */
export async function deleteChosen(c: PageContext): Promise<Response> {
  const { files, folders, from } = await readChosen(c);
  return finish(c, from, async () => {
    const kept: string[] = [];
    /** Of several, one may be deleted by somebody else first. */
    const isGone = (code: string | undefined) => code === "not_found" && files.length + folders.length > 1;
    for (const fileId of files) {
      await runOperation(c, deleteFileOperation, { params: { fileId } }).catch((error: unknown) => {
        const code = toApiError(error)?.code;
        if (code === "file_in_use") kept.push(fileId);
        else if (!isGone(code)) throw error;
      });
    }
    for (const folderId of folders) {
      await runOperation(c, deleteFolderOperation, { params: { folderId } }).catch((error: unknown) => {
        if (!isGone(toApiError(error)?.code)) throw error;
      });
    }
    if (kept.length === 0) return `${describe(files, folders)} deleted.`;
    const rows = await listFilesById(c.var.services.db, c.var.workspace.actor.scope, kept);
    const names = rows.map(({ filename }) => filename).join(", ");
    throw new Mistake(
      `${names}: kept, because a post that is not published yet uses ${kept.length === 1 ? "it" : "them"}. Delete or change that post first.`,
    );
  });
}

export interface Chosen {
  files: string[];
  folders: string[];
  /** The open folder. */
  from: string | null;
  to: string | null;
}

export async function readChosen(c: PageContext): Promise<Chosen> {
  // A body that is no form has no fields.
  const form = await c.req.parseBody({ all: true });
  const readIds = (name: string) => {
    const ids = [form[name] ?? []].flat().map((value) => String(value).toLowerCase());
    if (ids.length > MAX_CHOSEN) throw new PageError(400, `Choose at most ${MAX_CHOSEN} files at once.`);
    if (!ids.every(isUuid)) throw new PageError(404, "One of the chosen files is not in this workspace.");
    return [...new Set(ids)];
  };
  return {
    files: readIds("file"),
    folders: readIds("subfolder"),
    from: readOptionalId(form.from),
    to: readOptionalId(form.to),
  };
}

function readOptionalId(value: unknown): string | null {
  if (typeof value !== "string" || value === "") return null;
  const id = value.toLowerCase();
  if (!isUuid(id)) throw new PageError(404, "There is no such folder in this workspace.");
  return id;
}

/** A sentence that says what the person can change. */
class Mistake extends Error {}

function requireName(name: unknown): string {
  const trimmed = typeof name === "string" ? name.trim().normalize("NFC") : "";
  if (trimmed === "" || trimmed.length > 255) throw new Mistake(NAME_MISTAKE);
  return trimmed;
}

const REASONS = {
  folder_name_conflict: "There is a folder with this name already. Choose another name.",
  folder_move_conflict:
    "The folder was not moved: it cannot go into itself or into one of its own folders, or a folder with its name is there already.",
  folder_too_deep: "Folders can be in each other up to 32 levels deep. Choose a folder nearer to the top.",
  item_not_found:
    "A folder here holds uploads. Files made by AI, and files that were deleted, cannot be moved into it.",
} as const;

/** Returns to the page whose query the form repeats, or to the folder, with what was done or why it was not. */
async function finish(c: PageContext, folderId: string | null, work: () => Promise<string>): Promise<Response> {
  try {
    setNotice(c, { kind: "done", text: await work() });
  } catch (error) {
    const known = toApiError(error);
    if (known?.code === "not_found")
      throw new PageError(404, "There is no such file or folder in this workspace. It may have been deleted.");
    if (!(error instanceof Mistake) && (!known || known.status >= 500)) throw error;
    const reason = known && known.code in REASONS ? REASONS[known.code as keyof typeof REASONS] : undefined;
    setNotice(c, { kind: "problem", text: reason ?? (error as Error).message });
  }
  const query = new URL(c.req.url).search || (folderId ? `?folder=${folderId}` : "");
  return c.redirect(`/dashboard/${c.var.workspace.id}/files${query}`, 303);
}

function describe(files: string[], folders: string[]): string {
  const parts = [
    ...(files.length > 0 ? [countThings(files.length, "file")] : []),
    ...(folders.length > 0 ? [countThings(folders.length, "folder")] : []),
  ];
  return parts.join(" and ");
}
