// Templates with a preview of their first slide.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import type { Template } from "../../../lib/schemas/template.ts";
import { buildDraftSettings, buildSlides } from "../../../lib/templates/convert-config.ts";
import type { PageContext } from "../page.ts";
import { hasRole } from "../session.ts";

export type ShownTemplate = z.output<typeof Template>;

/** The first slide without the images of packs, which are chosen when a slideshow is made. */
export const TemplatePreview: FC<{ template: ShownTemplate }> = ({ template: { config, preview_url } }) => {
  const [slide] = buildSlides(config, new Map());
  return preview_url ? (
    <img src={preview_url} alt="" loading="lazy" />
  ) : (
    <SlidePreview slide={slide} settings={buildDraftSettings(config)} />
  );
};

/** A place for a slide, which the script fills; without the script it shows the texts. */
export const SlidePreview: FC<{
  slide: { text_elements: readonly { content: string }[] } | null | undefined;
  settings: object;
}> = ({ slide, settings }) => (
  <span class="slide" data-slide={slide ? JSON.stringify(slide) : undefined} data-settings={JSON.stringify(settings)}>
    <span class="slide-words">
      {slide?.text_elements
        .map(({ content }) => content)
        .join(" ")
        .slice(0, 200)}
    </span>
  </span>
);

export const TemplateCards: FC<{ c: PageContext; templates: ShownTemplate[] }> = ({ c, templates }) => (
  <ul class="gallery">
    {templates.map((template) => (
      <li class="card">
        <TemplatePreview template={template} />
        <strong>{template.name}</strong>
        {template.description && <p class="hint">{template.description}</p>}
        {hasRole(c.var.workspace.role, "editor") && <UseTemplate c={c} template={template} />}
      </li>
    ))}
  </ul>
);

export const UseTemplate: FC<{ c: PageContext; template: ShownTemplate }> = ({ c, template: { id, name } }) => (
  <form method="post" action={`/dashboard/${c.var.workspace.id}/slideshows/from-template`}>
    <input type="hidden" name="template_id" value={id} />
    <button type="submit">
      Use it <span class="visually-hidden">: {name}</span>
    </button>
  </form>
);
