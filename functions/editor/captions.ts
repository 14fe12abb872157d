import { addCaptions } from "../../lib/editor/add-captions.ts";
import { captionLimit } from "../../lib/editor/caption-quota.ts";
import { toProjectResponse } from "../../lib/editor/to-response.ts";
import { respond } from "../../lib/http/endpoint-spec.ts";
import { editorEndpoint } from "../../lib/http/families.ts";
import { findProjectWithFiles } from "../../lib/queries/editor.ts";
import { CaptionsRequest, Project } from "../../lib/schemas/editor.ts";

export default editorEndpoint("editor.captions", {
  route: "POST /editor/projects/{projectId}/captions",
  permission: "editor:write",
  summary: "Transcribe the speech of the current timeline and add it as timed captions",
  params: { projectId: "project" },
  body: CaptionsRequest,
  reply: Project,
  message: "Captions added.",
  errors: [
    "project_not_found",
    "editor_locked",
    "editor_conflict",
    "rate_limited",
    "no_audio_source",
    "invalid_document",
    "transcription_failed",
    "provider_unavailable",
  ],
  ownLimit: captionLimit,
  internalError: "editor_captions_failed",
  idempotent: "required",
  // A long video takes minutes, covered by the heartbeat; after a crash a retry takes over when this lease expires.
  leaseSeconds: 45,
  heartbeat: true,

  load: ({ db, key, params }) => findProjectWithFiles(db, key.scope, params.projectId),

  async handle(context, found) {
    const { project, message, headers } = await addCaptions(context, found);
    return respond(200, message, toProjectResponse(context, project), headers);
  },
});
