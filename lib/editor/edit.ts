// A change to a project that the caller has read.
import type { Call } from "../call.ts";
import * as editor from "../queries/editor.ts";
import type { ProjectPatch } from "../schemas/editor.ts";
import { changed, documentFault } from "./document.ts";
import { invalid, requireEditable, settled } from "./refusals.ts";

type Io = Pick<Call, "db" | "key" | "now"> & { body: ProjectPatch };

/** Throws when the project is not there, held, not as it was read, or would make no sense. */
export async function edited({ db, key, now, body }: Io, found: editor.StoredProject | null) {
  const { expected_updated_at: expected, title, clips, text_clips } = body;
  requireEditable(found, { now, expected });
  const label = clips ? "Edit clips" : text_clips ? "Edit text" : "Rename";
  const document = changed(
    found.document,
    { clips, text_clips },
    { revision: found.revision, label, at: now.toISOString() },
  );
  const fault = documentFault(document);
  if (fault) throw invalid(fault);
  const activity = { kind: "edited" as const, note: null, actor: key.publicId };
  const written = { title: title ?? found.title, document, transcript: null, activity, now };
  return settled(await editor.change(db, key.scope, found, written));
}
