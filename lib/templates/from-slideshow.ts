// Creates a template from a stored slideshow.

import type { findTemplateSource, NewTemplate } from "../queries/templates.ts";
import { MAX_TEMPLATE_NAME_LENGTH, TemplateConfig, type TemplateFromSlideshow } from "../schemas/template.ts";
import type { RequestContext } from "../services/context.ts";
import { buildConfig, type TemplateSource } from "./convert-config.ts";

type StoredSlideshow = NonNullable<Awaited<ReturnType<typeof findTemplateSource>>>;

export function buildTemplate(
  stored: StoredSlideshow,
  request: TemplateFromSlideshow,
  { ids, now }: Pick<RequestContext, "ids" | "now">,
): NewTemplate {
  return {
    id: ids(),
    name: request.name ?? toTemplateName(stored.title),
    numberIfTaken: request.name === undefined,
    description: request.description ?? null,
    visibility: request.visibility,
    previewUrl: stored.previewImageUrl,
    config: TemplateConfig.parse(buildConfig(toTemplateSource(stored), ids, request.preserve_text)),
    createdAt: now,
  };
}

function toTemplateName(title: string): string {
  const name = [...title.trim().normalize("NFC")].slice(0, MAX_TEMPLATE_NAME_LENGTH).join("").trim();
  return name || "Untitled";
}

/** The casts are safe: settings and slides were validated by the slideshow schema when they were stored. */
function toTemplateSource({ generation, ...stored }: StoredSlideshow): TemplateSource {
  const language = generation?.language;
  return {
    ...stored,
    settings: stored.settings as TemplateSource["settings"],
    slides: stored.slides as TemplateSource["slides"],
    language: typeof language === "string" ? language : null,
  };
}
