// Adds files to a project that is there already: each becomes a clip after the last one of the first track. People do it in the
// web editor; the API takes files when it creates a project.
import { type StoredProject, saveProject } from "../queries/editor.ts";
import type { RequestContext } from "../services/context.ts";
import type { IdGenerator } from "../shared/ids.ts";
import { type AssetFile, applyChange, createDocument, findDocumentError } from "./document.ts";
import { invalidDocument, requireEditable, requireWritten } from "./errors.ts";

type Context = Pick<RequestContext, "db" | "now"> & {
  key: Pick<RequestContext["key"], "scope" | "publicId">;
  ids: IdGenerator;
};

/** Throws when the project does not exist, is locked, was changed since it was read, or would become too long. */
export async function addProjectFiles(
  { db, key, now, ids }: Context,
  found: StoredProject | null,
  files: AssetFile[],
  expected: Date | undefined,
): Promise<StoredProject> {
  requireEditable(found, { now, expected });
  const { document } = found;
  const added = createDocument(files, ids);
  // A file that the project has already keeps its asset.
  const known = new Map(document.assets.map((asset) => [asset.file_id, asset.asset_id]));
  const newAssets = added.assets.filter(({ file_id }) => !known.has(file_id));
  const fileIds = new Map(added.assets.map(({ asset_id, file_id }) => [asset_id, file_id]));
  const end = document.clips.filter(({ track }) => track === 0).reduce((last, { end_ms }) => Math.max(last, end_ms), 0);
  const clips = added.clips.map((clip) => ({
    ...clip,
    asset_id: known.get(fileIds.get(clip.asset_id) ?? "") ?? clip.asset_id,
    start_ms: clip.start_ms + end,
    end_ms: clip.end_ms + end,
  }));
  const undo = { revision: found.revision, label: "Add files", at: now.toISOString() };
  const changed = applyChange(document, { clips: [...document.clips, ...clips] }, undo);
  const next = { ...changed, assets: [...document.assets, ...newAssets] };
  const problem = findDocumentError(next);
  if (problem) throw invalidDocument(problem);
  const activity = { kind: "edited" as const, note: null, actor: key.publicId };
  const written = { title: found.title, document: next, transcript: null, activity, now };
  return requireWritten(await saveProject(db, key.scope, found, written));
}
