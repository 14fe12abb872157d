// A new template from a stored slideshow.
import type { Call } from "../call.ts";
import type { findSource, NewTemplate } from "../queries/templates.ts";
import { TEMPLATE_NAME_AT_MOST, TemplateConfig, type TemplateFromSlideshow } from "../schemas/template.ts";
import { configFrom, type Source } from "./config.ts";

type Stored = NonNullable<Awaited<ReturnType<typeof findSource>>>;

export function templateFrom(
  stored: Stored,
  asked: TemplateFromSlideshow,
  { ids, now }: Pick<Call, "ids" | "now">,
): NewTemplate {
  return {
    id: ids(),
    name: asked.name ?? nameFrom(stored.title),
    numbered: asked.name === undefined,
    description: asked.description ?? null,
    visibility: asked.visibility,
    previewUrl: stored.previewImageUrl,
    config: TemplateConfig.parse(configFrom(sourceFrom(stored), ids, asked.preserve_text)),
    createdAt: now,
  };
}

function nameFrom(title: string): string {
  const name = [...title.trim().normalize("NFC")].slice(0, TEMPLATE_NAME_AT_MOST).join("").trim();
  return name || "Untitled";
}

/** Settings and slides were checked by the schema of slideshows when they were stored. */
function sourceFrom({ generation, ...stored }: Stored): Source {
  const language = generation?.language;
  return {
    ...stored,
    settings: stored.settings as Source["settings"],
    slides: stored.slides as Source["slides"],
    language: typeof language === "string" ? language : null,
  };
}
