import { audibleClips, printOf } from "../../lib/editor/cut.ts";
import { noProject } from "../../lib/editor/refusals.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as editor from "../../lib/queries/editor.ts";
import { Transcript } from "../../lib/schemas/editor.ts";

export default endpoint("editor.transcript", {
  route: "GET /editor/projects/{projectId}/transcript",
  summary: "The words that were last heard in a project, on its timeline",
  description: "Adding captions hears the cut. Before that there are no words, and `is_current` is false.",
  params: { projectId: "project" },
  malformedId: "project_not_found",
  badQuery: "invalid_payload",
  reply: Transcript,
  message: "Transcript.",
  refuses: ["project_not_found"],
  failure: "editor_transcript_failed",
  absentPlan: 403,

  async handle({ db, key, params }) {
    const found = await editor.findTranscript(db, key.scope, params.projectId);
    if (!found) throw noProject();
    const { transcript, document, updatedAt } = found;
    return {
      project_id: params.projectId,
      updated_at: updatedAt,
      is_current: transcript?.cut === printOf(audibleClips(document)),
      language: transcript?.language ?? null,
      words: transcript?.words ?? [],
    };
  },
});
