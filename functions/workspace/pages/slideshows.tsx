// Slideshows as pictures: the first slide of each, and all slides of one with what was written on them.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import type { Slideshow, SlideshowList } from "../../../lib/schemas/slideshow.ts";
import getSlideshow from "../../slideshows/get.ts";
import listSlideshows from "../../slideshows/list.ts";
import { formatDistance, formatInstant } from "../format.ts";
import { Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { requireId } from "../session.ts";

const PAGE_SIZE = 24;
const MAX_OFFSET = 10_000;

type Listed = z.output<typeof SlideshowList>;

async function showSlideshows(c: PageContext): Promise<Response> {
  const offset = Math.min(MAX_OFFSET, Math.max(0, Number.parseInt(c.req.query("offset") ?? "0", 10) || 0));
  const search = c.req.query("search")?.trim().slice(0, 200);
  const query = { limit: String(PAGE_SIZE), offset: String(offset), ...(search ? { search } : {}) };
  const { slideshows, total } = await runOperation<Listed>(c, listSlideshows, { query });
  const base = `/dashboard/${c.var.workspace.id}/slideshows`;
  const next = { ...(search ? { search } : {}), offset: String(offset + PAGE_SIZE) };
  return c.html(
    <Layout c={c} title="Slideshows" active="slideshows">
      <search>
        <form class="filters" method="get">
          <label>
            Title
            <input name="search" value={search ?? ""} maxlength={200} />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      {slideshows.length === 0 ? (
        <Empty title={search ? "No slideshow matches" : "No slideshows yet"}>
          <p>
            Create one with <code>POST /slideshows/generate</code>: it is written, laid out and shown here.
          </p>
        </Empty>
      ) : (
        <ul class="gallery">
          {slideshows.map((one) => (
            <li class="card">
              <a href={`${base}/${one.id}`} data-deeper>
                {one.preview_image_url ? (
                  <img src={one.preview_image_url} alt="" loading="lazy" />
                ) : (
                  <span class="unrendered">not rendered yet</span>
                )}
                <strong>{one.title}</strong>
              </a>
              <p class="hint">
                {one.slide_count} slides · {one.status} · {formatDistance(new Date(one.updated_at), c.var.now)}
              </p>
            </li>
          ))}
        </ul>
      )}
      {offset + slideshows.length < total && <Pager query={next}>Older slideshows</Pager>}
    </Layout>,
  );
}

async function showSlideshow(c: PageContext): Promise<Response> {
  const slideshowId = requireId(c, "slideshowId", "slideshow");
  const slideshow = await runOperation<z.output<typeof Slideshow>>(c, getSlideshow, { params: { slideshowId } });
  const { title, status, slides, original_prompt, last_rendered_at } = slideshow;
  return c.html(
    <Layout c={c} title={title} active="slideshows">
      <p class="hint">
        {slides.length} slides · {status} ·{" "}
        {last_rendered_at
          ? `rendered ${formatInstant(new Date(last_rendered_at), c.var.timeZone)}`
          : "not rendered yet"}
      </p>
      {original_prompt && <p class="caption">{original_prompt}</p>}
      <ol class="gallery">
        {slides.map((slide, at) => (
          <Slide url={slide.rendered_image_url} position={at + 1} />
        ))}
      </ol>
    </Layout>,
  );
}

const Slide: FC<{ url: string | null; position: number }> = ({ url, position }) => (
  <li class="card">
    {url ? (
      <img src={url} alt={`Slide ${position}`} loading="lazy" />
    ) : (
      <span class="unrendered">Slide {position}</span>
    )}
  </li>
);

export const slideshowPages: Page[] = [
  { id: "slideshows.show", method: "GET", path: "/slideshows", role: "viewer", handle: showSlideshows },
  { id: "slideshows.show-one", method: "GET", path: "/slideshows/:slideshowId", role: "viewer", handle: showSlideshow },
];
