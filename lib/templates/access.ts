// Access checks for templates.

import type { StoredTemplate } from "../queries/templates.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import type { Scope } from "../shared/scope.ts";

/** Returns the template; throws unless it belongs to the key's scope. */
export function requireOwnTemplate(template: StoredTemplate | null): StoredTemplate {
  if (!template) throw templateNotFound();
  if (template.isOwner) return template;
  throw apiError(
    "forbidden_template",
    "This template belongs to another workspace or owner: it is public, so it can be read but not changed. Create a copy and change the copy.",
  );
}

export function requireWorkspaceKey(visibility: string | undefined, scope: Scope): void {
  if (visibility !== "workspace" || scope.workspaceId) return;
  const message = "visibility: a personal key has no workspace to share with. Use private, or the key of a workspace.";
  throw apiError("forbidden_template", message);
}

export function templateNotFound(): ApiError {
  return apiError("not_found", "No template with this id is visible to the key.");
}

export function templateNameConflict(name: string): ApiError {
  return apiError("template_name_conflict", `name: another template is called "${name}". Choose another name.`);
}
