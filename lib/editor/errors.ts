// The errors of editor projects.

import type { ProjectUpdateResult, StoredProject } from "../queries/editor.ts";
import { type ApiError, apiError } from "../shared/errors.ts";

export function projectNotFound(): ApiError {
  return apiError("project_not_found", "No project with this id is visible to the key.");
}

function projectLocked(): ApiError {
  const message = "The assistant is editing this project. Try again in a few seconds.";
  return apiError("editor_locked", message, { retry_after_seconds: 5 });
}

export function projectConflict(): ApiError {
  const message = "The project was changed by another request. Read it again, then retry.";
  return apiError("editor_conflict", message);
}

export function invalidDocument(message: string): ApiError {
  return apiError("invalid_document", message);
}

export function withHeaders(error: ApiError, headers: Record<string, string>): ApiError {
  const { code, message, extra } = error;
  return apiError(code, message, { ...extra, headers: { ...headers, ...extra.headers } });
}

/** The stored project; throws when another request changed or locked it first. */
export function requireWritten(written: ProjectUpdateResult | null): StoredProject {
  if (!written) throw projectNotFound();
  if (written.outcome === "done") return written.project;
  throw written.outcome === "locked" ? projectLocked() : projectConflict();
}

/** Throws unless the project exists, is not locked, and is unchanged since the caller read it. */
export function requireEditable(
  project: StoredProject | null | undefined,
  { now, expected }: { now: Date; expected: Date | undefined },
): asserts project is StoredProject {
  if (!project) throw projectNotFound();
  if (project.lockedUntil && project.lockedUntil > now) throw projectLocked();
  if (expected && expected.getTime() !== project.updatedAt.getTime()) throw projectConflict();
}
