import { addCaptions } from "../../lib/editor/add-captions.ts";
import { shown } from "../../lib/editor/show.ts";
import { endpoint, tell } from "../../lib/endpoint.ts";
import * as editor from "../../lib/queries/editor.ts";
import { CaptionsRequest, Project } from "../../lib/schemas/editor.ts";

export default endpoint("editor.captions", {
  route: "POST /editor/projects/{projectId}/captions",
  summary: "Transcribe the speech in the current cut and add it as timed captions",
  description:
    "A cut that has captions, or in which nobody speaks, is returned unchanged. Every request that has a cut transcribed spends one of the account owner's captions per hour, whatever comes of it; one that is refused before that, or finds captions, spends none.",
  params: { projectId: "project" },
  malformedId: "project_not_found",
  body: CaptionsRequest,
  badQuery: "invalid_payload",
  reply: Project,
  message: "Captions added.",
  refuses: [
    "project_not_found",
    "editor_locked",
    "editor_conflict",
    "rate_limited",
    "no_audio_source",
    "invalid_document",
    "transcription_failed",
    "provider_unavailable",
  ],
  tellsCeiling: true,
  failure: "editor_captions_failed",
  idempotent: "required",
  absentPlan: 403,
  // A long video takes minutes; one whose Worker died is taken over after this time.
  longestSeconds: 45,
  renewsClaim: true,

  load: ({ db, key, params }) => editor.findWithFiles(db, key.scope, params.projectId),

  async handle(call, found) {
    const { project, message, headers } = await addCaptions(call, found);
    return tell(200, message, shown(call, project), headers);
  },
});
