// Updates a project.

import { type StoredProject, saveProject } from "../queries/editor.ts";
import type { ProjectPatch } from "../schemas/editor.ts";
import type { RequestContext } from "../services/context.ts";
import { applyChange, findDocumentError } from "./document.ts";
import { invalidDocument, requireEditable, requireWritten } from "./errors.ts";

type Context = Pick<RequestContext, "db" | "key" | "now"> & { body: ProjectPatch };

/** Throws when the project does not exist, is locked, was changed since it was read, or would become invalid. */
export async function updateProject({ db, key, now, body }: Context, found: StoredProject | null) {
  const { expected_updated_at: expected, title, clips, text_clips } = body;
  requireEditable(found, { now, expected });
  const label = clips ? "Edit clips" : text_clips ? "Edit text" : "Rename";
  const document = applyChange(
    found.document,
    { clips, text_clips },
    { revision: found.revision, label, at: now.toISOString() },
  );
  const problem = findDocumentError(document);
  if (problem) throw invalidDocument(problem);
  const activity = { kind: "edited" as const, note: null, actor: key.publicId };
  const written = { title: title ?? found.title, document, transcript: null, activity, now };
  return requireWritten(await saveProject(db, key.scope, found, written));
}
