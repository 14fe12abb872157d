// The last steps of a slideshow: render it, take the images, post them, or use it again.
import type { FC } from "hono/jsx";
import { formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import type { PageContext } from "../page.ts";
import type { ShownSlideshow } from "./shown-slideshow.ts";

const MAX_NAME = 100;

interface NextProps {
  c: PageContext;
  slideshow: ShownSlideshow;
  canWrite: boolean;
}

export const WhatNext: FC<NextProps> = ({ c, slideshow, canWrite }) => {
  const { id, status, slides, last_rendered_at, title } = slideshow;
  const base = `/dashboard/${c.var.workspace.id}`;
  const path = `${base}/slideshows/${id}`;
  const isRendered = status === "rendered" && slides.every((slide) => slide.rendered_image_url);
  return (
    <section class="what-next" id="finish" aria-labelledby="next-title">
      <h2 id="next-title">Finish</h2>
      <div data-part="rendered" data-rendered={isRendered ? "true" : undefined}>
        {isRendered && slides.length > 0 ? (
          <>
            <p class="hint">
              Images made {last_rendered_at && formatInstant(new Date(last_rendered_at), c.var.timeZone)}.
            </p>
            <ol class="gallery rendered">
              {slides.map(({ rendered_image_url }, at) => (
                <li>
                  <img src={rendered_image_url ?? ""} alt={`Slide ${at + 1}, as it is posted`} loading="lazy" />
                  <a href={`${path}/images/${at + 1}`} download>
                    Download <span class="visually-hidden">slide {at + 1}</span>
                  </a>
                </li>
              ))}
            </ol>
            {canWrite && (
              <a class="button primary" href={`${base}/compose?slideshow=${id}`}>
                Post this
              </a>
            )}
          </>
        ) : (
          <>
            <p class="hint">
              {canWrite
                ? "When the slides are as you want them, make the images that are posted."
                : "The images that are posted have not been made yet."}
            </p>
            {canWrite && (
              <form method="post" action={`${path}/render`} id="render">
                <button class="primary" type="submit" disabled={slides.length === 0}>
                  Make the images
                </button>
              </form>
            )}
          </>
        )}
      </div>
      <p id="render-state" class="hint" role="status" />
      {canWrite && (
        <div class="row">
          <ActionForm action={`${path}/duplicate`}>Duplicate</ActionForm>
          <span data-delete data-title={title}>
            <ActionForm action={`${path}/delete`} question={`Delete ${title}?`} buttonClass="danger">
              Delete
            </ActionForm>
          </span>
          <details class="more">
            <summary class="button">Save as template</summary>
            <form method="post" action={`${path}/template`} class="stack">
              <label for="template-name">Name of the template</label>
              <input id="template-name" name="name" maxlength={MAX_NAME} value={title.slice(0, MAX_NAME)} required />
              <label class="check">
                <input type="checkbox" name="keep_texts" value="yes" checked /> Keep the texts
              </label>
              {!c.var.workspace.isPersonal && (
                <label class="check">
                  <input type="checkbox" name="share" value="yes" checked /> Everybody in {c.var.workspace.name} may use
                  it
                </label>
              )}
              <button type="submit">Save the template</button>
            </form>
          </details>
        </div>
      )}
    </section>
  );
};
