// Transcribes the audible clips of a project, reusing stored transcripts of the same audio.

import { findFileTranscripts, saveFileTranscripts, type TranscribableFile } from "../queries/editor.ts";
import type { RequestContext } from "../services/context.ts";
import { formatError } from "../shared/format-error.ts";
import type { ProjectWord } from "../shared/project-document.ts";
import type { AudioReader } from "../transcription/audio-clip.ts";
import type { SpeechToText } from "../transcription/speech-to-text.ts";
import { transcribeRanges } from "../transcription/transcribe.ts";
import { openRemoteAudio } from "../transcription/worker-client.ts";
import { type AudibleClip, collectRanges } from "./audible-clips.ts";
import { placeWords } from "./place-words.ts";

export interface ProjectAudio {
  speechToText: SpeechToText;
  clips: AudibleClip[];
  /** By file id; every clip has one. */
  files: Map<string, TranscribableFile>;
}

type Context = Pick<RequestContext, "db" | "env" | "key" | "storage" | "log" | "requestId">;

/** The words of each clip on the timeline. Throws when the transcription fails. */
export async function transcribeProject(
  context: Context,
  { speechToText, clips, files }: ProjectAudio,
): Promise<{ words: ProjectWord[][]; language: string | null }> {
  const { db, key } = context;
  const getContent = (fileId: string) => files.get(fileId)?.sha256 ?? "";
  const ranges = collectRanges(clips, getContent);
  const byContent = new Map([...files.values()].map((file) => [file.sha256, file]));
  const known = await findFileTranscripts(db, key.scope, speechToText.name, [...ranges.keys()]);
  const requested = [...ranges].map(([sha256, list]) => {
    return { sha256, ranges: list, open: () => openAudio(context, byContent.get(sha256)) };
  });
  const { fresh, words, language, failure } = await transcribeRanges(speechToText, known, requested);
  // Stored even after a failure, so that a retry continues from there.
  await saveFileTranscripts(db, key.scope, speechToText.name, fresh);
  if (failure) {
    context.log({ level: "error", error: formatError(failure.error) });
    throw failure.error;
  }
  return { words: placeWords(clips, words, getContent), language };
}

async function openAudio(
  { storage, env, requestId }: Context,
  file: TranscribableFile | undefined,
): Promise<AudioReader> {
  if (!file) throw new Error("a clip has no file");
  const url = await (await storage()).presignPublicRead(file.objectKey);
  return openRemoteAudio(env, { url, size: file.size, etag: null, requestId });
}
