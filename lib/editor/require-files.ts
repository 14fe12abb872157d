// The files that a project is created from, in the order of the request.
import { apiError } from "../shared/errors.ts";
import type { AssetFile } from "./document.ts";

/** Throws `project_not_found` when a file does not exist. */
export function requireFiles(ids: string[], found: AssetFile[]): [AssetFile, ...AssetFile[]] {
  const byId = new Map(found.map((file) => [file.id, file]));
  const [first, ...rest] = ids.map((id) => {
    const file = byId.get(id);
    if (file) return file;
    throw apiError("project_not_found", `file_ids: no finalized file with the id ${id} is visible to the key.`);
  });
  if (!first) throw new Error("a project was to be made from no file");
  return [first, ...rest];
}
