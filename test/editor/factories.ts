// Creates projects with speech: videos with words as tones, uploaded, verified and placed on a timeline.
import { v7 as newId } from "uuid";
import { uploadFile as uploadBytes } from "../files/upload-file.ts";
import type { ToneWord } from "../local/fake-speech.ts";
import type { Client, TestResponse } from "../support/harness.ts";
import { createSpokenVideo } from "../transcription/spoken-video.ts";

/** Uploads and finalizes a file; returns its id. */
export async function uploadFile(api: Client, bytes: Uint8Array, contentType: string): Promise<string> {
  const response = await uploadBytes(api, contentType, bytes);
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return response.body.data.file.id;
}

export interface CreatedProject {
  project_id: string;
  title: string;
  updated_at: string;
  duration_ms: number;
  assets: { asset_id: string; file_id: string; url: string }[];
  clips: { clip_id: string; asset_id: string; [field: string]: unknown }[];
  text_clips: { clip_id: string; text: string; start_ms: number; end_ms: number; role: string }[];
}

export async function createProject(api: Client, fileIds: string[]): Promise<CreatedProject> {
  const response = await api.post("/editor/projects", { title: "Cut", file_ids: fileIds });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

/** A project of one video of `lengthMs`; `words` null for a video without audio. */
export async function createSpokenProject(
  api: Client,
  lengthMs: number,
  words: readonly ToneWord[] | null,
): Promise<CreatedProject> {
  const video = await createSpokenVideo(lengthMs, words);
  return createProject(api, [await uploadFile(api, video, "video/quicktime")]);
}

export const SPOKEN_WORDS: readonly ToneWord[] = [
  { text: "hello", startMs: 500, endMs: 800 },
  { text: "world", startMs: 900, endMs: 1200 },
  { text: "welcome", startMs: 2400, endMs: 2700 },
];

interface CaptionsOptions {
  key?: string;
  body?: object;
  env?: Record<string, unknown>;
}

export function requestCaptions(
  api: Client,
  projectId: string,
  { key, body, env }: CaptionsOptions = {},
): Promise<TestResponse> {
  return api.call("POST", `/editor/projects/${projectId}/captions`, {
    body,
    headers: { "Idempotency-Key": key ?? newId() },
    ...(env ? { env } : {}),
  });
}

/** The captions as text, start and end. */
export function toComparableWords(project: CreatedProject): [text: string, start: number, end: number][] {
  return project.text_clips
    .filter(({ role }) => role === "caption")
    .map(({ text, start_ms, end_ms }) => [text, start_ms, end_ms]);
}

/** Compares transcribed words with the spoken ones; times may differ by `ms`. */
export function areClose(
  transcribed: [string, number, number][],
  spoken: [string, number, number][],
  ms: number,
): boolean {
  return (
    transcribed.length === spoken.length &&
    transcribed.every(([text, start, end], at) => {
      const [wanted, from = 0, until = 0] = spoken[at] ?? [];
      return text === wanted && Math.abs(start - from) <= ms && Math.abs(end - until) <= ms;
    })
  );
}
