// The files that a project is made from, in the order in which they were named.
import { refuse } from "../errors.ts";
import type { AssetFile } from "./document.ts";

/** Throws when one of them is not there. */
export function filesFor(ids: string[], found: AssetFile[]): [AssetFile, ...AssetFile[]] {
  const byId = new Map(found.map((file) => [file.id, file]));
  const [first, ...rest] = ids.map((id) => {
    const file = byId.get(id);
    if (file) return file;
    throw refuse("project_not_found", `file_ids: no finalized file with the id ${id} is visible to the key.`);
  });
  if (!first) throw new Error("a project was to be made from no file");
  return [first, ...rest];
}
