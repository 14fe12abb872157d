// Creates template configs, templates and slideshow rows.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import type { TemplateConfig } from "../../lib/schemas/template.ts";
import { type Client, queryRows, type Tenant } from "../support/harness.ts";

export const PICTURE = "https://media.example.com/pictures/beach.jpg";

/** A config with every field of version 1: a slide of a pack and a slide with a custom image. */
export function buildTemplateConfig() {
  const text = (content: string) => ({ id: newId(), content, x: 50, y: 25.5, fontSize: 48, width: 80 });
  return {
    version: 1 as const,
    structure: {
      slides: [
        { type: "pack" as const, id: newId(), pinnedImageUrl: null, textElements: [text("First"), text("")] },
        {
          type: "custom" as const,
          id: newId(),
          image: { id: newId(), url: PICTURE, name: "beach.jpg" },
          textElements: [],
        },
      ],
      packAssignments: { "0": newId() },
    },
    content: {
      mode: "manual" as const,
      prompt: "Five things about lamps",
      productId: newId(),
      language: "pt-BR",
      slideshowType: "educational" as const,
    },
    visuals: {
      packId: newId(),
      aspectRatio: "4:5",
      textSettings: { fontSize: "default", preset: "tiktok", width: "default" },
    },
  } satisfies TemplateConfig;
}

/** Creates a template and returns the response data; throws when the API returns an error. */
export async function createTemplate(api: Client, patch: Record<string, unknown> = {}) {
  const response = await api.post("/templates", { name: newId(), config: buildTemplateConfig(), ...patch });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  return response.body.data;
}

/** Makes a template public, which the API does not offer. */
export async function makePublic(id: string): Promise<void> {
  await queryRows(sql`update templates set visibility = 'public' where id = ${id} returning id`);
}

/** Sets the creation time of a row. */
export async function setCreatedAt(table: "templates" | "packs", id: string, instant: string): Promise<void> {
  await queryRows(sql`update ${sql.identifier(table)} set created_at = ${instant} where id = ${id} returning id`);
}

interface SlideshowParts {
  title?: string;
  settings?: object;
  slides?: object[];
  originalPrompt?: string | null;
  generation?: object | null;
  previewImageUrl?: string | null;
}

export async function insertSlideshow(tenant: Tenant, parts: SlideshowParts = {}): Promise<string> {
  const id = newId();
  const settings = parts.settings ?? { aspect_ratio: "9:16" };
  const slides = parts.slides ?? [{ text_elements: [{ content: "Hello", x: 50, y: 50 }], image_url: PICTURE }];
  const json = (value: object | null) => sql`${value && JSON.stringify(value)}::jsonb`;
  await queryRows(sql`
    insert into slideshows (id, owner_id, workspace_id, title, status, slideshow_type, settings, slides, original_prompt,
      generation, preview_image_url)
    values (${id}, ${tenant.ownerId}, ${tenant.workspaceId}, ${parts.title ?? "Lamps"}, 'draft', 'personal',
      ${json(settings)}, ${json(slides)}, ${parts.originalPrompt ?? null}, ${json(parts.generation ?? null)},
      ${parts.previewImageUrl ?? null}) returning id`);
  return id;
}
