// Slideshows as pages: from an idea, from a template or from pictures, to images and their downloads.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import {
  buildSlide,
  createPack,
  createProduct,
  createSlideshow,
  markRendered,
  scriptModel,
} from "../slideshows/factories.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { type Browser, signInMember, signInOwner } from "./dashboard.ts";

async function open(): Promise<{ tenant: Tenant; browser: Browser; base: string }> {
  const tenant = await createTestTenant();
  return { tenant, browser: await signInOwner(tenant), base: `/dashboard/${tenant.workspaceId}/slideshows` };
}

/** The content of the page of a location. */
async function follow(browser: Browser, page: { headers: Headers }) {
  const location = page.headers.get("location") ?? "";
  return { location, ...(await browser.visit(location)) };
}

test("an empty list begins with the form for an idea; a viewer is told who makes the first one", async () => {
  const { tenant, browser, base } = await open();
  const page = await browser.visit(base);
  expect(page.text).toContain("No slideshows yet");
  expect(page.text).toContain("What is it about?");
  expect(page.text).not.toMatch(/POST \/|<code>/);
  const viewer = await signInMember(tenant, "viewer");
  const seen = await viewer.visit(base);
  expect(seen.text).toContain("makes the first one here");
  expect(seen.text).not.toContain("What is it about?");
});

test("lists slideshows, finds one by its title, and shows the first slide of those without images", async () => {
  const { tenant, browser, base } = await open();
  const { id } = await createSlideshow(tenant.api, { title: "Linen & light", slides: [buildSlide("Sand")] });
  const list = await browser.visit(base);
  expect(list.text).toContain(`href="${base}/${id}"`);
  expect(list.text).toContain("Linen &amp; light");
  expect(list.text).toMatch(/data-slide="[^"]*Sand/);
  expect((await browser.visit(`${base}?search=wool`)).text).toContain("No slideshow matches");
  await markRendered(id);
  expect((await browser.visit(base)).text).toContain("https://cdn.example.com/0.png");
});

test("an idea becomes a slideshow with what was chosen", async () => {
  const { tenant, browser, base } = await open();
  const pack = await createPack(tenant, ["https://cdn.example.com/moss.png"], false);
  const product = await createProduct(tenant, "Kettle");
  const form = await browser.visit(`${base}/new`);
  expect(form.text).toContain("Pack (1)");
  expect(form.text).toContain("Kettle");
  const entries = {
    ...{ prompt: `Slow mornings ${newId()}`, slide_count: "3", language: "en", aspect_ratio: "1:1", pack_id: pack },
    ...{ text_preset: "shadow", font_size: "small", slideshow_type: "personal", product_id: product, key: newId() },
  };
  const made = await follow(browser, await browser.visit(`${base}/new`, { form: entries }));
  expect(made.status).toBe(200);
  const id = made.location.split("/").at(-1);
  const { data } = (await tenant.api.get(`/slideshows/${id}`)).body;
  expect(data).toMatchObject({
    ...{ slide_count: 3, slideshow_type: "personal", product_id: product, original_prompt: entries.prompt },
    settings: {
      aspect_ratio: "1:1",
      image_pack_id: pack,
      advanced_settings: { text_preset: "shadow", font_size: "small" },
    },
  });
  expect(data.slides[0].image_url).toBe("https://cdn.example.com/moss.png");
  // The same form again, as after going back, makes no second one.
  const again = await browser.visit(`${base}/new`, { form: entries });
  expect(again.headers.get("location")).toBe(made.location);
});

test("a missing idea, and a model that fails, keep what was entered and say what to do", async () => {
  const { browser, base } = await open();
  const missing = await browser.visit(`${base}/new`, { form: { prompt: " ", slide_count: "7" } });
  expect(missing.status).toBe(422);
  expect(missing.text).toContain("Say what the slideshow is about");
  expect(missing.text).toMatch(/value="7" selected/);
  const prompt = `Fails ${newId()}`;
  await scriptModel(prompt, "garble", { times: 2 });
  const failed = await browser.visit(`${base}/new`, { form: { prompt, slide_count: "2" } });
  expect(failed.status).toBe(422);
  expect(failed.text).toContain("The texts could not be written this time");
  expect(failed.text).toContain(prompt);
  expect(failed.text).not.toContain("generation_failed");
});

test("pictures by their addresses become slides; a wrong address is named and kept", async () => {
  const { tenant, browser, base } = await open();
  const path = `${base}/from-pictures`;
  const wrong = await browser.visit(path, { form: { addresses: "https://a.example/1.jpg\npicture.jpg" } });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain("“picture.jpg” is no address of a picture");
  expect(wrong.text).toContain("https://a.example/1.jpg");
  expect((await browser.visit(path, { form: { addresses: "" } })).text).toContain("Choose at least one picture");
  const addresses = "https://a.example/1.jpg\r\nhttps://a.example/2.jpg";
  const made = await browser.visit(path, { form: { addresses } });
  const id = made.headers.get("location")?.split("/").at(-1);
  const { slides } = (await tenant.api.get(`/slideshows/${id}`)).body.data;
  expect(slides.map(({ image_url }: { image_url: string }) => image_url)).toEqual(addresses.split("\r\n"));
});

test("a slideshow is saved as a template, and a template becomes a slideshow", async () => {
  const { tenant, browser, base } = await open();
  const { id } = await createSlideshow(tenant.api, { title: "Source", slides: [buildSlide("Moss")] });
  const form = { name: "Calm", keep_texts: "yes", share: "yes" };
  const saved = await follow(browser, await browser.visit(`${base}/${id}/template`, { form }));
  expect(saved.text).toContain("Calm is saved as a template");
  const [template] = (await tenant.api.get("/templates")).body.data.templates;
  expect(template).toMatchObject({ name: "Calm", visibility: "workspace" });
  const twice = await follow(browser, await browser.visit(`${base}/${id}/template`, { form }));
  expect(twice.text).toContain("Another template has this name");
  expect((await browser.visit(`${base}/new`)).text).toContain("Calm");
  const made = await browser.visit(`${base}/from-template`, { form: { template_id: template.id } });
  const copy = made.headers.get("location")?.split("/").at(-1);
  expect((await tenant.api.get(`/slideshows/${copy}`)).body.data.slides[0].text_elements[0].content).toBe("Moss");
  const unknown = await browser.visit(`${base}/from-template`, { form: { template_id: newId() } });
  expect((await follow(browser, unknown)).text).toContain("The template is no longer there");
});

test("renders, offers the images to save and to post, duplicates and deletes without script", async () => {
  const { tenant, browser, base } = await open();
  const { id } = await createSlideshow(tenant.api, {
    title: "Tea / time",
    slides: [buildSlide("One"), buildSlide("Two")],
  });
  expect((await browser.visit(`${base}/${id}/images/1`)).status).toBe(404);
  const rendered = await follow(browser, await browser.visit(`${base}/${id}/render`, { form: {} }));
  expect(rendered.text).toContain("The images are made");
  expect(rendered.text).toContain(`/compose?slideshow=${id}`);
  const image = await browser.visit(`${base}/${id}/images/2`);
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect(image.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''Tea-time-02.jpg");
  expect((await browser.visit(`${base}/${id}/images/3`)).status).toBe(404);
  const copy = await follow(browser, await browser.visit(`${base}/${id}/duplicate`, { form: {} }));
  expect(copy.text).toContain("Tea / time (copy)");
  const gone = await follow(browser, await browser.visit(`${base}/${id}/delete`, { form: {} }));
  expect(gone.text).toContain("The slideshow is deleted");
  expect((await tenant.api.get(`/slideshows/${id}`)).status).toBe(404);
});

test("an image that cannot be loaded is named by its slide, in a sentence", async () => {
  const { tenant, browser, base } = await open();
  const slides = [buildSlide("One"), buildSlide("Two", { image_url: "https://gone.invalid/a.jpg" })];
  const { id } = await createSlideshow(tenant.api, { slides });
  const page = await follow(browser, await browser.visit(`${base}/${id}/render`, { form: {} }));
  expect(page.text).toContain("The picture of slide 2 could not be loaded");
});

test("a viewer sees the slides and no way to change them; another workspace gets 404", async () => {
  const { tenant, base } = await open();
  const { id } = await createSlideshow(tenant.api, { title: "Ours", slides: [buildSlide("One")] });
  const viewer = await signInMember(tenant, "viewer");
  const page = await viewer.visit(`${base}/${id}`);
  expect(page.text).toContain("Ours");
  expect(page.text).not.toMatch(/data-editable|id="add-text"|>Delete</);
  const other = await createTestTenant();
  const foreign = await (await signInOwner(other)).visit(`/dashboard/${other.workspaceId}/slideshows/${id}`);
  expect(foreign.status).toBe(404);
  expect(foreign.text).not.toContain("Ours");
});

test("says why a slide that was not written from an idea cannot be written again", async () => {
  const { tenant, browser, base } = await open();
  const { id } = await createSlideshow(tenant.api, { slides: [buildSlide("One")] });
  expect((await browser.visit(`${base}/${id}`)).text).toContain("this slideshow was made without one");
});
