// A stored project as answers show it.
import type { Call } from "../call.ts";
import type { StoredProject } from "../queries/editor.ts";
import type { Project } from "../schemas/editor.ts";
import { durationOf } from "./document.ts";

export function shown({ env, origin }: Pick<Call, "env" | "origin">, project: StoredProject): Project {
  const { id, title, aspectRatio, updatedAt, document } = project;
  const { assets, clips, text_clips, undo, render } = document;
  const editor = (env.EDITOR_URL ?? `${env.PUBLIC_URL ?? origin}/editor`).replace(/\/+$/, "");
  return {
    project_id: id,
    title,
    aspect_ratio: aspectRatio,
    updated_at: updatedAt,
    duration_ms: durationOf(document),
    assets,
    clips,
    text_clips,
    undo,
    render,
    editor_url: `${editor}/projects/${id}`,
  };
}
