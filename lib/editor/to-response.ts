// Converts a stored project to the response of the API.
import type { StoredProject } from "../queries/editor.ts";
import type { Project } from "../schemas/editor.ts";
import type { RequestContext } from "../services/context.ts";
import { getPublicUrl } from "../services/env.ts";
import { EDITOR_PATH } from "../shared/paths.ts";
import { getDuration } from "./document.ts";

export function toProjectResponse({ env }: Pick<RequestContext, "env">, project: StoredProject): Project {
  const { id, title, aspectRatio, updatedAt, document } = project;
  const { assets, clips, text_clips, undo, render } = document;
  // EDITOR_URL is the whole base URL of the editor, with its path.
  const editorUrl = env.EDITOR_URL ?? new URL(EDITOR_PATH, getPublicUrl(env)).href;
  return {
    project_id: id,
    title,
    aspect_ratio: aspectRatio,
    updated_at: updatedAt,
    duration_ms: getDuration(document),
    assets,
    clips,
    text_clips,
    undo,
    render,
    editor_url: `${editorUrl.replace(/\/+$/, "")}/projects/${id}`,
  };
}
