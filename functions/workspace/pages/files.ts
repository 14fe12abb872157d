// Files as a library with folders.
import { createFolder, deleteChosen, moveChosen, renameFolder } from "../files/actions.ts";
import { showFile } from "../files/file-page.tsx";
import { showLibrary } from "../files/library-page.tsx";
import type { Page } from "../page.ts";

const NAME = "/files/folders/:folderId/name";

export const filePages: Page[] = [
  { id: "files.show", method: "GET", path: "/files", role: "viewer", handle: showLibrary },
  { id: "files.show-one", method: "GET", path: "/files/:fileId", role: "viewer", handle: showFile },
  { id: "files.create-folder", method: "POST", path: "/files/folders", role: "editor", handle: createFolder },
  { id: "files.rename-folder", method: "POST", path: NAME, role: "editor", handle: renameFolder },
  { id: "files.move", method: "POST", path: "/files/move", role: "editor", handle: moveChosen },
  { id: "files.delete", method: "POST", path: "/files/delete", role: "editor", handle: deleteChosen },
];
