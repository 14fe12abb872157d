// What the template tests share: a whole config, and rows that no endpoint of this family makes.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import type { TemplateConfig } from "../../lib/schemas/template.ts";
import { type Client, rows, type Tenant } from "../harness.ts";

export const PICTURE = "https://media.example.com/pictures/beach.jpg";

/** Two slides, one of a pack and one with a picture of its own, with every field of config v1. */
export function wholeConfig() {
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

/** The answer's data of a create that must succeed. */
export async function createTemplate(api: Client, patch: Record<string, unknown> = {}) {
  const answer = await api.post("/templates", { name: newId(), config: wholeConfig(), ...patch });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

/** As the service's own people do it: the API makes no template public. */
export async function publish(id: string): Promise<void> {
  await rows(sql`update templates set visibility = 'public' where id = ${id} returning id`);
}

/** Moves the creation of a row. */
export async function createdAt(table: "templates" | "packs", id: string, instant: string): Promise<void> {
  await rows(sql`update ${sql.identifier(table)} set created_at = ${instant} where id = ${id} returning id`);
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
  await rows(sql`
    insert into slideshows (id, owner_id, workspace_id, title, status, slideshow_type, settings, slides, original_prompt,
      generation, preview_image_url)
    values (${id}, ${tenant.ownerId}, ${tenant.workspaceId}, ${parts.title ?? "Lamps"}, 'draft', 'personal',
      ${json(settings)}, ${json(slides)}, ${parts.originalPrompt ?? null}, ${json(parts.generation ?? null)},
      ${parts.previewImageUrl ?? null}) returning id`);
  return id;
}
