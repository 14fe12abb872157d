// The way a test gets a project in which somebody speaks: a toned video, uploaded, verified and laid on a timeline.
import { v7 as newId } from "uuid";
import { upload } from "../files/uploaded.ts";
import type { Answer, Client } from "../harness.ts";
import type { ToneWord } from "../local/tones.ts";
import { tonedVideo } from "../speech/toned.ts";

/** The id of a verified file. */
export async function fileOf(api: Client, bytes: Uint8Array, contentType: string): Promise<string> {
  const answer = await upload(api, contentType, bytes);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.file.id;
}

export interface Made {
  project_id: string;
  title: string;
  updated_at: string;
  duration_ms: number;
  assets: { asset_id: string; file_id: string; url: string }[];
  clips: { clip_id: string; asset_id: string; [field: string]: unknown }[];
  text_clips: { clip_id: string; text: string; start_ms: number; end_ms: number; role: string }[];
}

export async function projectFrom(api: Client, fileIds: string[]): Promise<Made> {
  const answer = await api.post("/editor/projects", { title: "Cut", file_ids: fileIds });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

/** A project of one video of so many milliseconds; `null` words have no sound at all. */
export async function projectOf(api: Client, lengthMs: number, words: readonly ToneWord[] | null): Promise<Made> {
  const video = await tonedVideo(lengthMs, words);
  return projectFrom(api, [await fileOf(api, video, "video/quicktime")]);
}

export const SPOKEN: readonly ToneWord[] = [
  { text: "hello", startMs: 500, endMs: 800 },
  { text: "world", startMs: 900, endMs: 1200 },
  { text: "welcome", startMs: 2400, endMs: 2700 },
];

interface Asked {
  key?: string;
  body?: object;
  env?: Record<string, unknown>;
}

export function captions(api: Client, projectId: string, { key, body, env }: Asked = {}): Promise<Answer> {
  return api.call("POST", `/editor/projects/${projectId}/captions`, {
    body,
    headers: { "Idempotency-Key": key ?? newId() },
    ...(env ? { env } : {}),
  });
}

/** What the captions say, each with its beginning and end. */
export function told(project: Made): [text: string, start: number, end: number][] {
  return project.text_clips
    .filter(({ role }) => role === "caption")
    .map(({ text, start_ms, end_ms }) => [text, start_ms, end_ms]);
}

/** Whether what was heard is what was spoken, each edge within so many milliseconds. */
export function near(heard: [string, number, number][], spoken: [string, number, number][], ms: number): boolean {
  return (
    heard.length === spoken.length &&
    heard.every(([text, start, end], at) => {
      const [wanted, from = 0, until = 0] = spoken[at] ?? [];
      return text === wanted && Math.abs(start - from) <= ms && Math.abs(end - until) <= ms;
    })
  );
}
