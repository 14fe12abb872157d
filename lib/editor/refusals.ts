// Why a change to a project is refused, in the words that callers read.
import { type Refusal, refuse } from "../errors.ts";
import type { Outcome, StoredProject } from "../queries/editor.ts";

export function noProject(): Refusal {
  return refuse("project_not_found", "No project with this id is visible to the key.");
}

function locked(): Refusal {
  const message = "The assistant is editing this project. Try again in a few seconds.";
  return refuse("editor_locked", message, { retry_after_seconds: 5 });
}

export function conflict(): Refusal {
  const message = "The project was changed by somebody else in the meantime. Read it again, then repeat the request.";
  return refuse("editor_conflict", message);
}

export function invalid(message: string): Refusal {
  return refuse("invalid_document", message);
}

export function withHeaders(refusal: Refusal, headers: Record<string, string>): Refusal {
  const { code, message, extra } = refusal;
  return refuse(code, message, { ...extra, headers: { ...headers, ...extra.headers } });
}

/** The project as it was written; throws when somebody else came first. */
export function settled(written: Outcome | null): StoredProject {
  if (!written) throw noProject();
  if (written.outcome === "done") return written.project;
  throw written.outcome === "locked" ? locked() : conflict();
}

/** Throws unless the project is there, nobody holds it, and it is as the caller read it. */
export function requireEditable(
  project: StoredProject | null | undefined,
  { now, expected }: { now: Date; expected: Date | undefined },
): asserts project is StoredProject {
  if (!project) throw noProject();
  if (project.lockedUntil && project.lockedUntil > now) throw locked();
  if (expected && expected.getTime() !== project.updatedAt.getTime()) throw conflict();
}
