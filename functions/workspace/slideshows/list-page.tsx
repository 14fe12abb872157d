// Slideshows, each with its first slide.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { listFirstSlides } from "../../../lib/queries/slideshows.ts";
import type { SlideshowList } from "../../../lib/schemas/slideshow.ts";
import listSlideshows from "../../slideshows/list.ts";
import { formatDistance } from "../format.ts";
import { ActionForm, Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { hasRole } from "../session.ts";
import { IdeaForm, loadIngredients } from "./idea-form.tsx";
import { SlidePreview } from "./template-cards.tsx";

const PAGE_SIZE = 24;
const MAX_OFFSET = 10_000;

type Listed = z.output<typeof SlideshowList>;
type First = Awaited<ReturnType<typeof listFirstSlides>>[number];

export async function showSlideshows(c: PageContext): Promise<Response> {
  const { services, workspace } = c.var;
  const offset = Math.min(MAX_OFFSET, Math.max(0, Number.parseInt(c.req.query("offset") ?? "0", 10) || 0));
  const search = c.req.query("search")?.trim().slice(0, 200);
  const query = { limit: String(PAGE_SIZE), offset: String(offset), ...(search ? { search } : {}) };
  const { slideshows, total } = await runOperation<Listed>(c, listSlideshows, { query });
  const unrendered = slideshows.filter(({ preview_image_url }) => preview_image_url === null).map(({ id }) => id);
  const firstSlides = await listFirstSlides(services.db, workspace.actor.scope, unrendered);
  const first = new Map(firstSlides.map((one) => [one.id, one]));
  const base = `/dashboard/${workspace.id}`;
  const next = { ...(search ? { search } : {}), offset: String(offset + PAGE_SIZE) };
  const canWrite = hasRole(workspace.role, "editor");
  const isEmpty = slideshows.length === 0 && !search && offset === 0;
  return c.html(
    <Layout
      c={c}
      title="Slideshows"
      active="slideshows"
      scripts={isEmpty ? ["new-slideshow"] : ["content"]}
      actions={
        canWrite &&
        !isEmpty && (
          <a class="button primary" href={`${base}/slideshows/new`}>
            New slideshow
          </a>
        )
      }
    >
      {isEmpty ? (
        <NoSlideshows c={c} canWrite={canWrite} />
      ) : (
        <>
          <search>
            <form class="filters" method="get">
              <label>
                Title
                <input name="search" value={search ?? ""} maxlength={200} />
              </label>
              <button type="submit">Search</button>
            </form>
          </search>
          {slideshows.length === 0 && (
            <Empty title={search ? "No slideshow matches" : "No older slideshows"}>
              <p>
                <a href={`${base}/slideshows`}>Show all slideshows</a>
              </p>
            </Empty>
          )}
        </>
      )}
      <ul class="gallery" id="slideshows">
        {slideshows.map((one, at) => (
          <Card c={c} slideshow={one} first={first.get(one.id)} canWrite={canWrite} isEarly={at < 6} />
        ))}
      </ul>
      {offset + slideshows.length < total && <Pager query={next}>Older slideshows</Pager>}
    </Layout>,
  );
}

interface CardProps {
  c: PageContext;
  slideshow: Listed["slideshows"][number];
  first: First | undefined;
  canWrite: boolean;
  /** In the first window, where images are loaded at once. */
  isEarly: boolean;
}

const Card: FC<CardProps> = ({ c, slideshow, first, canWrite, isEarly }) => {
  const { id, title, slide_count, status, updated_at, preview_image_url } = slideshow;
  const base = `/dashboard/${c.var.workspace.id}/slideshows`;
  return (
    <li class="card" data-id={id}>
      <a href={`${base}/${id}`} data-deeper>
        {preview_image_url ? (
          <img src={preview_image_url} alt="" loading={isEarly ? undefined : "lazy"} />
        ) : (
          <SlidePreview slide={first?.slide} settings={first?.settings ?? {}} />
        )}
        <strong>{title}</strong>
      </a>
      <p class="hint">
        {slide_count} {slide_count === 1 ? "slide" : "slides"} · {status === "rendered" ? "ready to post" : "draft"} ·{" "}
        {formatDistance(new Date(updated_at), c.var.now)}
      </p>
      {canWrite && (
        <ActionForm
          action={`${base}/${id}/delete`}
          question={`Delete ${title}?`}
          undo={`${title} is deleted.`}
          buttonClass="quiet"
        >
          Delete <span class="visually-hidden">{title}</span>
        </ActionForm>
      )}
    </li>
  );
};

/** The first step is right here. */
const NoSlideshows: FC<{ c: PageContext; canWrite: boolean }> = async ({ c, canWrite }) => {
  const base = `/dashboard/${c.var.workspace.id}`;
  if (!canWrite)
    return (
      <Empty title="No slideshows yet">
        <p>An editor of {c.var.workspace.name} makes the first one here.</p>
      </Empty>
    );
  return (
    <section class="empty" id="new-slideshow" data-base={base}>
      <h2>No slideshows yet</h2>
      <p>
        Describe an idea, and the slides are written for you. Or{" "}
        <a href={`${base}/slideshows/new`}>start from pictures or a template</a>.
      </p>
      <IdeaForm base={base} entries={{}} ingredients={await loadIngredients(c)} />
    </section>
  );
};
