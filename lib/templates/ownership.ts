// Who may change a template, and whom it may be shown to.
import { type Refusal, refuse } from "../errors.ts";
import type { Template } from "../schemas/template.ts";
import type { Scope } from "../scope.ts";

/** The template, which is readable; throws unless it also belongs to the key's scope. */
export function requireOwn(template: Template | null): Template {
  if (!template) throw noTemplate();
  if (template.is_owner) return template;
  throw refuse(
    "forbidden_template",
    "This template is public but belongs to another account. Create a copy of it to change.",
  );
}

export function requireWorkspace(visibility: string | undefined, scope: Scope): void {
  if (visibility !== "workspace" || scope.workspaceId) return;
  const message = "visibility: a personal key has no workspace to share with. Use private, or the key of a workspace.";
  throw refuse("forbidden_template", message);
}

export function noTemplate(): Refusal {
  return refuse("not_found", "No template with this id is visible to the key.");
}

export function nameTaken(name: string): Refusal {
  return refuse("template_name_conflict", `name: another template is called "${name}". Choose another name.`);
}
