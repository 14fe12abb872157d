// Changes of a slideshow by plain forms, and its images as downloads. Each goes through the operation of the API.
import type * as z from "zod";
import type { Template } from "../../../lib/schemas/template.ts";
import deleteSlideshow from "../../slideshows/delete.ts";
import duplicateSlideshow from "../../slideshows/duplicate.ts";
import getSlideshow from "../../slideshows/get.ts";
import renderSlideshow from "../../slideshows/render.ts";
import createTemplateFromSlideshow from "../../templates/from-slideshow.ts";
import type { PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { PageError, requireId } from "../session.ts";
import { finishWithSentence, readEntries } from "./read-entries.ts";
import type { ShownSlideshow } from "./shown-slideshow.ts";

const requireSlideshowId = (c: PageContext) => requireId(c, "slideshowId", "slideshow");

export function render(c: PageContext): Promise<Response> {
  const slideshowId = requireSlideshowId(c);
  const path = `slideshows/${slideshowId}`;
  return finishWithSentence(c, path, async () => {
    await runOperation(c, renderSlideshow, { params: { slideshowId } });
    return { path, text: "The images are made." };
  });
}

export function duplicate(c: PageContext): Promise<Response> {
  const slideshowId = requireSlideshowId(c);
  return finishWithSentence(c, `slideshows/${slideshowId}`, async () => {
    const copy = await runOperation<ShownSlideshow>(c, duplicateSlideshow, { params: { slideshowId } });
    return { path: `slideshows/${copy.id}`, text: "This is the copy. The original stays as it is." };
  });
}

export function remove(c: PageContext): Promise<Response> {
  const slideshowId = requireSlideshowId(c);
  return finishWithSentence(c, "slideshows", async () => {
    await runOperation(c, deleteSlideshow, { params: { slideshowId } });
    return { path: "slideshows", text: "The slideshow is deleted." };
  });
}

export async function saveAsTemplate(c: PageContext): Promise<Response> {
  const slideshowId = requireSlideshowId(c);
  const { name, share, keep_texts } = await readEntries(c);
  return finishWithSentence(c, `slideshows/${slideshowId}`, async () => {
    const body = {
      ...(name ? { name } : {}),
      visibility: share === "yes" ? "workspace" : "private",
      preserve_text: keep_texts === "yes",
    };
    const input = { params: { slideshowId }, body };
    const template = await runOperation<z.output<typeof Template>>(c, createTemplateFromSlideshow, input);
    return { path: "templates", text: `${template.name} is saved as a template.` };
  });
}

/** A browser saves a file of another host only if that host says so, so the image passes through here. */
export async function downloadImage(c: PageContext): Promise<Response> {
  const slideshowId = requireSlideshowId(c);
  const { title, slides } = await runOperation<ShownSlideshow>(c, getSlideshow, { params: { slideshowId } });
  const number = Number(c.req.param("number"));
  const url = slides[number - 1]?.rendered_image_url;
  if (!url) throw new PageError(404, "This slide has no image yet. Open the slideshow and make the images first.");
  const image = await c.var.services.fetch(url);
  if (!image.ok)
    throw new PageError(404, "The image is no longer there. Open the slideshow and make the images again.");
  const name = `${title.replaceAll(/[^\p{L}\p{Nd}]+/gu, "-").slice(0, 80)}-${String(number).padStart(2, "0")}.jpg`;
  return new Response(image.body, {
    headers: {
      "Content-Type": "image/jpeg",
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
  });
}
