// A new slideshow: from an idea, from a template, or from pictures.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import type { Slideshow } from "../../../lib/schemas/slideshow.ts";
import type { TemplateList } from "../../../lib/schemas/template.ts";
import createSlideshow from "../../slideshows/create.ts";
import generateSlideshow from "../../slideshows/generate.ts";
import listTemplates from "../../templates/list.ts";
import { Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { IdeaForm, loadIngredients, toGenerateBody } from "./idea-form.tsx";
import { type Entries, finishWithSentence, readEntries, requireSentence } from "./read-entries.ts";
import { TemplateCards } from "./template-cards.tsx";

const MAX_TEMPLATES = 24;
const MAX_PICTURES = 35;

interface Rejected {
  entries: Entries;
  problem: string;
}

export async function showNewSlideshow(c: PageContext, rejected?: Rejected): Promise<Response> {
  const { workspace } = c.var;
  const base = `/dashboard/${workspace.id}`;
  const [ingredients, { templates }] = await Promise.all([
    loadIngredients(c),
    runOperation<z.output<typeof TemplateList>>(c, listTemplates, { query: { limit: String(MAX_TEMPLATES) } }),
  ]);
  return c.html(
    <Layout c={c} title="New slideshow" active="slideshows" scripts={["new-slideshow"]}>
      {rejected && (
        <p class="notice problem" role="alert">
          {rejected.problem}
        </p>
      )}
      <div id="new-slideshow" data-base={base}>
        <section class="card" aria-labelledby="idea-title">
          <h2 id="idea-title">From an idea</h2>
          <IdeaForm base={base} entries={rejected?.entries ?? {}} ingredients={ingredients} />
        </section>
        <section class="card" aria-labelledby="pictures-title">
          <h2 id="pictures-title">From pictures</h2>
          <PicturesForm base={base} entries={rejected?.entries ?? {}} />
        </section>
        <section aria-labelledby="templates-title">
          <h2 id="templates-title">From a template</h2>
          {templates.length === 0 ? (
            <p class="hint">
              A template keeps the layout and style of a slideshow for the next one. Open a slideshow and choose “Save
              as template”.
            </p>
          ) : (
            <TemplateCards c={c} templates={templates} />
          )}
        </section>
      </div>
    </Layout>,
    rejected ? 422 : 200,
  );
}

const PicturesForm: FC<{ base: string; entries: Entries }> = ({ base, entries }) => (
  <form method="post" action={`${base}/slideshows/from-pictures`} class="stack wide" id="pictures-form">
    <p class="hint">One slide for each picture, in this order. Texts are added afterwards, on the slides.</p>
    <div class="row" data-script>
      <button type="button" id="choose-pictures" disabled>
        Choose pictures
      </button>
    </div>
    <ol class="picked" id="picked" aria-label="Chosen pictures" />
    <details class="more">
      <summary>By their addresses on the web</summary>
      <label for="addresses">Addresses, one on each line</label>
      <textarea id="addresses" name="addresses" rows={3} placeholder="https://example.com/picture.jpg">
        {entries.addresses ?? ""}
      </textarea>
    </details>
    <p id="pictures-problem" class="problem" role="alert" />
    <button class="primary" type="submit">
      Make the slides
    </button>
  </form>
);

export async function generateFromIdea(c: PageContext): Promise<Response> {
  const entries = await readEntries(c);
  try {
    const slideshow = await runOperation<z.output<typeof Slideshow>>(c, generateSlideshow, {
      body: toGenerateBody(entries),
      ...(entries.key ? { idempotencyKey: entries.key } : {}),
    });
    return c.redirect(`/dashboard/${c.var.workspace.id}/slideshows/${slideshow.id}`, 303);
  } catch (error) {
    const sentence = requireSentence(error);
    const problem =
      !entries.prompt && !entries.product_id ? "Say what the slideshow is about, or choose a product." : sentence;
    return showNewSlideshow(c, { entries, problem });
  }
}

export async function createFromTemplate(c: PageContext): Promise<Response> {
  const { template_id } = await readEntries(c);
  return finishWithSentence(c, "slideshows/new", async () => {
    const body = { template_id };
    const { id } = await runOperation<z.output<typeof Slideshow>>(c, createSlideshow, { body });
    return { path: `slideshows/${id}`, text: "" };
  });
}

export async function createFromPictures(c: PageContext): Promise<Response> {
  const entries = await readEntries(c);
  const urls = (entries.addresses ?? "").split(/\s+/).filter(Boolean);
  const wrong = urls.find((url) => !/^https?:\/\/\S+$/.test(url) || !URL.canParse(url));
  const problem =
    urls.length === 0
      ? "Choose at least one picture, or enter the address of one."
      : urls.length > MAX_PICTURES
        ? `A slideshow has at most ${MAX_PICTURES} slides. Take away ${urls.length - MAX_PICTURES} pictures.`
        : wrong
          ? `“${wrong.slice(0, 100)}” is no address of a picture. It begins with https://`
          : null;
  if (problem) return showNewSlideshow(c, { entries, problem });
  try {
    const slides = urls.map((image_url) => ({ image_url, text_elements: [{ content: "", x: 50, y: 50 }] }));
    const { id } = await runOperation<z.output<typeof Slideshow>>(c, createSlideshow, { body: { slides } });
    return c.redirect(`/dashboard/${c.var.workspace.id}/slideshows/${id}`, 303);
  } catch (error) {
    return showNewSlideshow(c, { entries, problem: requireSentence(error) });
  }
}
