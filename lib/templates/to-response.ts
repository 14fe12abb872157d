// A stored template in its public shape.
import type { StoredTemplate } from "../queries/templates.ts";
import type { Template } from "../schemas/template.ts";

export function toTemplateResponse(template: StoredTemplate): Template {
  const { id, name, description, visibility, config } = template;
  return {
    id,
    name,
    description,
    visibility,
    preview_url: template.previewUrl,
    use_count: template.useCount,
    last_used_at: template.lastUsedAt,
    created_at: template.createdAt,
    updated_at: template.updatedAt,
    is_owner: template.isOwner,
    config,
  };
}
