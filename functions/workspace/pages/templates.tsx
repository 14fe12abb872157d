// Templates: the layout and style of slideshows, with a preview, for the next ones.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import type { TemplateList } from "../../../lib/schemas/template.ts";
import deleteTemplate from "../../templates/delete.ts";
import listTemplates from "../../templates/list.ts";
import updateTemplate from "../../templates/update.ts";
import { ActionForm, Pager, Select } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { hasRole, requireId } from "../session.ts";
import { finishWithSentence, readEntries } from "../slideshows/read-entries.ts";
import { type ShownTemplate, TemplatePreview, UseTemplate } from "../slideshows/template-cards.tsx";

const PAGE_SIZE = 24;
const MAX_NAME = 100;
const MAX_DESCRIPTION = 500;

async function showTemplates(c: PageContext): Promise<Response> {
  const { workspace } = c.var;
  const cursor = c.req.query("cursor");
  const query = { limit: String(PAGE_SIZE), ...(cursor ? { cursor } : {}) };
  const { templates, next_cursor } = await runOperation<z.output<typeof TemplateList>>(c, listTemplates, { query });
  const base = `/dashboard/${workspace.id}`;
  const canWrite = hasRole(workspace.role, "editor");
  return c.html(
    <Layout c={c} title="Templates" active="templates" scripts={["content"]}>
      <details class="help">
        <summary>What is a template?</summary>
        <p>
          It keeps the layout, the style and, if you want, the texts of a slideshow, so that the next one begins with
          them.
        </p>
      </details>
      {templates.every(({ visibility }) => visibility === "public") && (
        <Empty title="No templates of your own yet">
          <p>Write a slideshow, or open one that you like, and choose “Save as template”.</p>
          {canWrite && (
            <p class="row">
              <a class="button primary" href={`${base}/slideshows/new`}>
                Write a slideshow
              </a>
              <a class="button" href={`${base}/slideshows`}>
                Open a slideshow
              </a>
            </p>
          )}
        </Empty>
      )}
      <ul class="gallery large">
        {templates.map((template) => (
          <Card c={c} template={template} canWrite={canWrite} />
        ))}
      </ul>
      {next_cursor && <Pager query={{ cursor: next_cursor }}>Older templates</Pager>}
    </Layout>,
  );
}

const VISIBILITY_WORDS = { private: "only for you", workspace: "for the workspace", public: "public" } as const;

const Card: FC<{ c: PageContext; template: ShownTemplate; canWrite: boolean }> = ({ c, template, canWrite }) => {
  const { id, name, description, visibility, use_count, config, is_owner } = template;
  const path = `/dashboard/${c.var.workspace.id}/templates/${id}`;
  const count = config.structure.slides.length;
  return (
    <li class="card" data-id={id}>
      <TemplatePreview template={template} />
      <strong>{name}</strong>
      {description && <p class="hint">{description}</p>}
      <p class="hint">
        {count} {count === 1 ? "slide" : "slides"} · {VISIBILITY_WORDS[visibility]} · used{" "}
        {use_count === 1 ? "once" : `${use_count} times`}
      </p>
      {canWrite && (
        <div class="row">
          <UseTemplate c={c} template={template} />
          {is_owner && (
            <ActionForm
              action={`${path}/delete`}
              question={`Delete ${name}? Slideshows made from it stay.`}
              undo={`${name} is deleted.`}
              buttonClass="quiet"
            >
              Delete <span class="visually-hidden">{name}</span>
            </ActionForm>
          )}
        </div>
      )}
      {canWrite && is_owner && (
        <details class="more">
          <summary>
            Rename or share <span class="visually-hidden">{name}</span>
          </summary>
          <form method="post" action={path} class="stack">
            <label for={`name-${id}`}>Name</label>
            <input id={`name-${id}`} name="name" value={name} maxlength={MAX_NAME} required />
            <label for={`description-${id}`}>What it is for (optional)</label>
            <input id={`description-${id}`} name="description" value={description ?? ""} maxlength={MAX_DESCRIPTION} />
            {!c.var.workspace.isPersonal && (
              <Select
                name="visibility"
                label="Who may use it"
                value={visibility}
                options={[
                  ["private", "Only you"],
                  ["workspace", `Everybody in ${c.var.workspace.name}`],
                ]}
              />
            )}
            <button type="submit">Save</button>
          </form>
        </details>
      )}
    </li>
  );
};

const requireTemplateId = (c: PageContext) => requireId(c, "templateId", "template");

async function change(c: PageContext): Promise<Response> {
  const templateId = requireTemplateId(c);
  const { name = "", description = "", visibility } = await readEntries(c);
  return finishWithSentence(c, "templates", async () => {
    const body = { name, description: description || null, ...(visibility ? { visibility } : {}) };
    await runOperation(c, updateTemplate, { params: { templateId }, body });
    return { path: "templates", text: `${name} is saved.` };
  });
}

function remove(c: PageContext): Promise<Response> {
  const templateId = requireTemplateId(c);
  return finishWithSentence(c, "templates", async () => {
    await runOperation(c, deleteTemplate, { params: { templateId } });
    return { path: "templates", text: "The template is deleted. Slideshows made from it stay." };
  });
}

const ONE = "/templates/:templateId";

export const templatePages: Page[] = [
  { id: "templates.show", method: "GET", path: "/templates", role: "viewer", handle: showTemplates },
  { id: "templates.update", method: "POST", path: ONE, role: "editor", handle: change },
  { id: "templates.delete", method: "POST", path: `${ONE}/delete`, role: "editor", handle: remove },
];
