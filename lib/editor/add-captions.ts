// Adds captions to a project: checks the request in the documented order, transcribes the timeline, stores the words.

import {
  type findProjectWithFiles,
  type StoredProject,
  saveProject,
  saveProjectTranscript,
} from "../queries/editor.ts";
import { type CaptionsRequest, MAX_TEXT_CLIPS } from "../schemas/editor.ts";
import type { RequestContext } from "../services/context.ts";
import { type ApiError, apiError, toApiError } from "../shared/errors.ts";
import { findAudioFileFormat } from "../transcription/audio-files.ts";
import { createSpeechToText } from "../transcription/create-speech-to-text.ts";
import { type AudibleClip, findAudibleClips, fingerprintClips } from "./audible-clips.ts";
import { consumeCaptionQuota, peekCaptionQuota } from "./caption-quota.ts";
import { buildCaptions } from "./captions.ts";
import { applyChange, findDocumentError } from "./document.ts";
import { invalidDocument, projectConflict, requireEditable, requireWritten, withHeaders } from "./errors.ts";
import { sortWords } from "./place-words.ts";
import { type ProjectAudio, transcribeProject } from "./transcribe-project.ts";

type Context = RequestContext & { body: CaptionsRequest };
type ProjectWithFiles = Awaited<ReturnType<typeof findProjectWithFiles>>;

export interface CaptionsResult {
  project: StoredProject;
  message: string;
  /** Rate limit headers of the caption quota, where it was consumed. */
  headers: Record<string, string>;
}

export async function addCaptions(context: Context, found: ProjectWithFiles): Promise<CaptionsResult> {
  const project = found?.project ?? null;
  requireEditable(project, { now: context.now, expected: context.body.expected_updated_at });
  // Captions are added once. Nothing is transcribed again, so no quota is consumed.
  if (project.document.text_clips.some(({ role }) => role === "caption")) {
    return { project, message: "The project already has captions.", headers: {} };
  }
  const clips = findAudibleClips(project.document);
  const files = new Map(found?.files.map((file) => [file.id, file]));
  const speechToText = createSpeechToText(context);
  const captionsError = findCaptionsError(project, clips, files);
  if (captionsError || !speechToText) {
    // An exhausted quota takes precedence.
    throw (await peekCaptionQuota(context)).error ?? captionsError ?? noSpeechToTextError();
  }
  const { headers, error } = await consumeCaptionQuota(context);
  if (error) throw error;
  try {
    const updated = await storeCaptions(context, project, { speechToText, clips, files });
    return { project: updated, message: updated === project ? "No speech was found." : "Captions added.", headers };
  } catch (error) {
    const known = toApiError(error);
    throw known ? withHeaders(known, headers) : error;
  }
}

/** Why the timeline cannot be transcribed, as far as that is known without reading a file; null when it can. */
function findCaptionsError(
  { document }: StoredProject,
  clips: AudibleClip[],
  files: ProjectAudio["files"],
): ApiError | null {
  if (clips.length === 0) {
    const message =
      "The timeline has no audible clip: every clip has no audio, is muted or has volume 0. Unmute a clip or increase its volume.";
    return apiError("no_audio_source", message);
  }
  const documentError = findDocumentError(document);
  if (documentError) return invalidDocument(documentError);
  for (const { clip_id, fileId } of clips) {
    const file = files.get(fileId);
    if (!file)
      return invalidDocument(
        `Clip ${clip_id}: its file was deleted, so its audio cannot be read. Remove or mute the clip.`,
      );
    const { audioCodec } = file;
    if (audioCodec && !findAudioFileFormat(audioCodec)) {
      return invalidDocument(
        `Clip ${clip_id}: audio in the codec ${audioCodec} cannot be transcribed. Mute the clip or replace its file.`,
      );
    }
  }
  return null;
}

function noSpeechToTextError(): ApiError {
  return apiError(
    "provider_unavailable",
    "No speech-to-text service is configured on this service. Ask its operator to configure one.",
  );
}

async function storeCaptions(context: Context, project: StoredProject, audio: ProjectAudio): Promise<StoredProject> {
  const { db, key, body, ids } = context;
  const { words, language } = await transcribeProject(context, audio);
  const transcript = { cut: fingerprintClips(audio.clips), language, words: sortWords(words) };
  const captions = buildCaptions(audio.clips, words, ids);
  if (captions.length === 0) {
    if (!(await saveProjectTranscript(db, key.scope, project, transcript))) throw projectConflict();
    return project;
  }
  const text_clips = [...project.document.text_clips, ...captions];
  if (text_clips.length > MAX_TEXT_CLIPS) {
    throw invalidDocument(
      `The project would have ${text_clips.length} text clips; at most ${MAX_TEXT_CLIPS} are allowed. Delete text clips, then retry.`,
    );
  }
  const now = context.clock();
  const undo = { revision: project.revision, label: "Add captions", at: now.toISOString() };
  const document = applyChange(project.document, { text_clips }, undo);
  const activity = { kind: "captions_added" as const, note: body.note ?? null, actor: key.publicId };
  const written = { title: project.title, document, transcript, activity, now };
  return requireWritten(await saveProject(db, key.scope, project, written));
}
