import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as viral from "../../lib/queries/viral.ts";
import { ViralTranscript } from "../../lib/schemas/viral.ts";

export default endpoint("viral-library.transcript", {
  route: "GET /viral-library/{postId}/transcript",
  summary: "What is spoken in one post of the viral library",
  params: { postId: "post" },
  opaque: ["postId"],
  malformedId: "transcript_not_found",
  reply: ViralTranscript,
  message: "Transcript.",
  refuses: ["transcript_not_found", "rate_limited", "provider_unavailable"],
  failure: "viral_library_failed",
  limits: ["viral_transcripts", "viral_transcripts_daily", "viral_transcripts_shared"],

  load: ({ db, params }) => viral.transcript(db, params.postId),

  async handle({ params }, transcript) {
    if (!transcript)
      throw refuse("transcript_not_found", "The viral library has no transcript for a post with this id.");
    return { id: params.postId, ...transcript };
  },
});
