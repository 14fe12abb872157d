// The interface of speech-to-text services.
import type { AudioFile } from "./encoded-audio.ts";

/** Times in seconds from the start of the audio. */
export interface TranscriptWord {
  text: string;
  start: number;
  end: number;
}

export interface Transcript {
  /** ISO 639-1; null when the service does not report it. */
  language: string | null;
  words: TranscriptWord[];
}

export interface SpeechToText {
  /** Transcripts are stored under this name. */
  name: string;
  /** Throws `transcription_failed` (502) on any error. */
  transcribe(audio: AudioFile): Promise<Transcript>;
}
