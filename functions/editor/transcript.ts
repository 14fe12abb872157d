import { findAudibleClips, fingerprintClips } from "../../lib/editor/audible-clips.ts";
import { projectNotFound } from "../../lib/editor/errors.ts";
import { editorEndpoint } from "../../lib/http/families.ts";
import { findProjectTranscript } from "../../lib/queries/editor.ts";
import { Transcript } from "../../lib/schemas/editor.ts";

export default editorEndpoint("editor.transcript", {
  route: "GET /editor/projects/{projectId}/transcript",
  permission: "editor:read",
  summary: "Get the words of the last transcription of a project, on its timeline",
  params: { projectId: "project" },
  reply: Transcript,
  message: "Transcript.",
  errors: ["project_not_found"],
  internalError: "editor_transcript_failed",

  load: ({ db, key, params }) => findProjectTranscript(db, key.scope, params.projectId),

  async handle({ params }, found) {
    if (!found) throw projectNotFound();
    const { transcript, document, updatedAt } = found;
    return {
      project_id: params.projectId,
      updated_at: updatedAt,
      is_current: transcript?.cut === fingerprintClips(findAudibleClips(document)),
      language: transcript?.language ?? null,
      words: transcript?.words ?? [],
    };
  },
});
