import { viralLibraryEndpoint } from "../../lib/http/families.ts";
import { findViralTranscript } from "../../lib/queries/viral.ts";
import { ViralTranscript } from "../../lib/schemas/viral.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default viralLibraryEndpoint("viral-library.transcript", {
  route: "GET /viral-library/{postId}/transcript",
  permission: "research:read",
  summary: "Get the transcript of one post of the viral library",
  params: { postId: "post" },
  nonUuidParams: ["postId"],
  malformedIdError: "transcript_not_found",
  reply: ViralTranscript,
  message: "Transcript.",
  errors: ["transcript_not_found", "rate_limited", "provider_unavailable"],
  limits: ["viral_transcripts", "viral_transcripts_daily", "viral_transcripts_shared"],

  load: ({ db, params }) => findViralTranscript(db, params.postId),

  async handle({ params }, transcript) {
    if (!transcript)
      throw apiError("transcript_not_found", "The viral library has no transcript for a post with this id.");
    return { id: params.postId, ...transcript };
  },
});
