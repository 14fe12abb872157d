// One slideshow: its slides with everything that can be changed on them, and what comes after: render, post, reuse.
import type { FC } from "hono/jsx";
import { listProducts } from "../../../lib/queries/products.ts";
import getSlideshow from "../../slideshows/get.ts";
import { Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { hasRole, requireId } from "../session.ts";
import { SlideFields } from "./editor-fields.tsx";
import type { ShownSlideshow } from "./shown-slideshow.ts";
import { SlidePreview } from "./template-cards.tsx";
import { WhatNext } from "./what-next.tsx";

export async function showSlideshow(c: PageContext): Promise<Response> {
  const slideshowId = requireId(c, "slideshowId", "slideshow");
  const { services, workspace } = c.var;
  const [slideshow, products] = await Promise.all([
    runOperation<ShownSlideshow>(c, getSlideshow, { params: { slideshowId } }),
    listProducts(services.db, workspace.actor.scope),
  ]);
  const canWrite = hasRole(workspace.role, "editor");
  const base = `/dashboard/${workspace.id}`;
  return c.html(
    <Layout
      c={c}
      title={slideshow.title}
      active="slideshows"
      scripts={["slide-editor"]}
      needsScript={canWrite ? "Changing slides" : undefined}
      actions={
        <a class="button" href="#finish">
          Finish
        </a>
      }
    >
      <div
        id="slide-editor"
        class="slide-editor"
        data-base={base}
        data-api={`${base}/api`}
        data-id={slideshowId}
        data-slideshow={JSON.stringify(slideshow)}
        data-editable={canWrite ? "true" : undefined}
      >
        {canWrite && <Toolbar />}
        <div class="slide-columns">
          <section class="slide-strip" aria-labelledby="strip-title">
            <h2 id="strip-title">Slides</h2>
            <ol id="strip" aria-describedby={canWrite ? "strip-help" : undefined}>
              {slideshow.slides.map((slide, at) => (
                <li>
                  {slide.rendered_image_url ? (
                    <img src={slide.rendered_image_url} alt={`Slide ${at + 1}`} />
                  ) : (
                    <SlidePreview slide={slide} settings={slideshow.settings} />
                  )}
                </li>
              ))}
            </ol>
            {canWrite && (
              <>
                <p class="hint" id="strip-help">
                  Drag a slide to move it, or press Alt with an arrow key.
                </p>
                <button type="button" id="add-slide" disabled>
                  Add a slide
                </button>
              </>
            )}
          </section>
          <Stage canWrite={canWrite} />
          {canWrite && <SlideFields slideshow={slideshow} products={products} />}
        </div>
        <WhatNext c={c} slideshow={slideshow} canWrite={canWrite} />
      </div>
    </Layout>,
  );
}

const Toolbar: FC = () => (
  <div class="slide-toolbar">
    <p id="save-state" class="hint">
      Changing slides needs JavaScript.
    </p>
    <span class="row">
      <button type="button" id="undo" disabled>
        Undo
      </button>
      <button type="button" id="redo" disabled>
        Redo
      </button>
    </span>
  </div>
);

const Stage: FC<{ canWrite: boolean }> = ({ canWrite }) => (
  <section class="slide-stage" aria-labelledby="stage-title">
    <h2 id="stage-title">Slide</h2>
    <div id="stage" class="slide large" />
    {canWrite && (
      <>
        <p id="stage-help" class="hint">
          Drag a text to move it, or use the arrow keys (with Shift in larger steps). Enter, a double click or a second
          tap changes the words, Delete takes the text away.
        </p>
        <p id="stage-problem" class="problem" role="alert" />
        <div class="row">
          <button type="button" id="add-text" disabled>
            Add a text
          </button>
          <button type="button" id="change-picture" disabled>
            Change the picture
          </button>
          <button type="button" id="move-earlier" disabled>
            Move it earlier
          </button>
          <button type="button" id="move-later" disabled>
            Move it later
          </button>
          <button type="button" id="duplicate-slide" disabled>
            Duplicate the slide
          </button>
          <button type="button" id="delete-slide" class="danger" disabled>
            Delete the slide
          </button>
        </div>
      </>
    )}
  </section>
);
