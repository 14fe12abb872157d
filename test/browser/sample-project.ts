// A project of the editor with two clips and captions, so that its page is not looked at empty.
import { readFile } from "node:fs/promises";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import type { Call } from "./call-api.ts";

export interface SampleProject {
  project_id: string;
  updated_at: string;
  editor_url: string;
  clips: { clip_id: string; start_ms: number; end_ms: number }[];
  text_clips: { clip_id: string; text: string; start_ms: number; end_ms: number; role: string }[];
}

const CAPTIONS = ["Before anybody is up,", "the pier belongs to the gulls,", "and to us."];

export async function createSampleProject(call: Call, title = "Morning on the pier"): Promise<SampleProject> {
  const bytes = await readFile(DEMO_VIDEO);
  const upload = await call<{ id: string; uploadUrl: string; headers: Record<string, string> }>("POST", "/files", {
    contentType: "video/mp4",
    filename: "pier.mp4",
    size: bytes.length,
  });
  const put = await fetch(upload.uploadUrl, { method: "PUT", headers: upload.headers, body: bytes });
  if (!put.ok) throw new Error(`The storage responded with ${put.status}.`);
  const { file } = await call<{ file: { id: string } }>("POST", `/files/${upload.id}/finalize`, {});
  const project = await call<SampleProject>("POST", "/editor/projects", {
    title,
    file_ids: [file.id, file.id],
  });
  return call<SampleProject>("PATCH", `/editor/projects/${project.project_id}`, {
    expected_updated_at: project.updated_at,
    text_clips: CAPTIONS.map((text, at) => ({
      clip_id: `caption-${at}`,
      text,
      start_ms: at * 2_500,
      end_ms: at * 2_500 + 2_300,
      role: "caption",
    })),
  });
}
