// Regenerating one slide of a generated draft.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import { createTestTenant, queryRows } from "../support/harness.ts";
import {
  buildSlide,
  createMarker,
  createPack,
  createSlideshow,
  generateSlideshow,
  getTexts,
  readModelRequests,
  scriptModel,
} from "./factories.ts";

const getPath = (id: string, index: number | string) => `/slideshows/${id}/slides/${index}/regenerate`;

test("200 changes the texts only and keeps their positions", async () => {
  const tenant = await createTestTenant();
  const { api } = tenant;
  const pack_id = await createPack(tenant, ["https://example.com/1.png", "https://example.com/2.png"], false);
  const made = await generateSlideshow(tenant, {
    prompt: `Write about ${createMarker()} and other things that grow`,
    pack_id,
    slide_count: 3,
  });
  const moved = made.slides.map((one) => ({
    ...one,
    text_elements: one.text_elements.map((text) => ({ ...text, y: 77, text_color: "#ff0000" })),
  }));
  await api.patch(`/slideshows/${made.id}`, { slides: moved });
  const response = await api.post(getPath(made.id, 1), { instruction: "Mention the weather outside, please" });
  expect(response.status).toBe(200);
  const { slides, original_prompt } = response.body.data as Slideshow;
  expect(original_prompt).toBe(made.original_prompt);
  expect([slides[0], slides[2]]).toEqual([moved[0], moved[2]]);
  expect(slides[1]?.image_url).toBe(moved[1]?.image_url);
  expect(slides[1]?.text_elements.map(({ content }) => content)).not.toEqual(
    moved[1]?.text_elements.map(({ content }) => content),
  );
  expect(slides[1]?.text_elements[0]).toMatchObject({ x: 50, y: 77, text_color: "#ff0000" });
  expect((await api.get(`/slideshows/${made.id}`)).body.data).toEqual(response.body.data);
});

test("200 sends the brief, the current texts and the instruction to the model", async () => {
  const tenant = await createTestTenant();
  const word = createMarker();
  const made = await generateSlideshow(tenant, { prompt: word, slide_count: 2, language: "de" });
  await tenant.api.post(getPath(made.id, 0), { instruction: "Shorter" });
  const last = (await readModelRequests(word)).at(-1);
  expect(JSON.parse(last?.asked.messages[1]?.content ?? "")).toEqual({
    topic: word,
    product: null,
    slideshow_type: "educational",
    language: "de",
    slides: ["title", "content"],
    room: { heading_characters: 40, body_characters: 105 },
    texts: getTexts(made),
    rewrite: 0,
    instruction: "Shorter",
  });
});

test("200 for a duplicate, and for a slide with empty texts of skip_ai", async () => {
  const tenant = await createTestTenant();
  const slide_config = { title_slide: false };
  const made = await generateSlideshow(tenant, {
    prompt: "All of the tea",
    skip_ai: true,
    slide_count: 1,
    slide_config,
  });
  const copy = (await tenant.api.post(`/slideshows/${made.id}/duplicate`)).body.data;
  await tenant.api.patch(`/slideshows/${copy.id}`, {
    slides: [{ image_url: null, text_elements: [{ content: "", x: 50, y: 50, text_color: "red" }] }],
  });
  const run = async () => ({ response: { heading: "Tea", body: "It wakes you." } });
  const env = { MODEL_URL: undefined, AI: { run } };
  const response = await tenant.api.call("POST", getPath(copy.id, 0), { env });
  expect(response.status).toBe(200);
  // Two texts do not fit at the position of one.
  expect(response.body.data.slides[0].text_elements).toEqual([
    { id: "heading", content: "Tea", x: 50, y: 42.519, width: 72.222, font_size: 84, text_color: "red" },
    { id: "body", content: "It wakes you.", x: 50, y: 52.185, width: 72.222, font_size: 54 },
  ]);
});

test("200 lays longer texts out again where the generated place was kept, and leaves moved texts where they are", async () => {
  const tenant = await createTestTenant();
  const made = await generateSlideshow(tenant, { prompt: "tea", slide_count: 2 });
  const body = "A long body that needs several lines to say what it says, and then some more of them. "
    .repeat(3)
    .trim();
  const env = { MODEL_URL: undefined, AI: { run: async () => ({ response: { heading: "Tea", body } }) } };
  const regenerate = async () => {
    const response = await tenant.api.call("POST", getPath(made.id, 1), { env });
    return response.body.data.slides[1].text_elements;
  };
  const [before] = made.slides[1]?.text_elements ?? [];
  const [heading, long] = await regenerate();
  expect(heading.y).toBeLessThan(before?.y ?? 0);
  expect(long.y - heading.y).toBeGreaterThan(15);
  const moved = { ...heading, y: 12, font_size: 40 };
  await tenant.api.patch(`/slideshows/${made.id}`, {
    slides: [made.slides[0], { ...made.slides[1], text_elements: [moved, long] }],
  });
  expect((await regenerate())[0]).toMatchObject({ y: 12, font_size: 40 });
});

test("404 not_found for an invalid index, 422 for an instruction that is too long", async () => {
  const tenant = await createTestTenant();
  const made = await generateSlideshow(tenant, { prompt: "a", skip_ai: true, slide_count: 2 });
  for (const index of [2, -1, "first", "0x0", "1.0", "01", 99]) {
    const response = await tenant.api.post(getPath(made.id, index));
    expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
  }
  const long = await tenant.api.post(getPath(made.id, 0), { instruction: "x".repeat(501) });
  expect([long.status, long.body.error_code]).toEqual([422, "invalid_payload"]);
});

test("409 slideshow_not_draft for rendered and manually created slideshows; 404 for another workspace's", async () => {
  const [tenant, stranger] = [await createTestTenant(), await createTestTenant()];
  const made = await generateSlideshow(tenant, { prompt: "a", skip_ai: true });
  const byHand = await createSlideshow(tenant.api, { slides: [buildSlide("a")] });
  const hidden = await stranger.api.post(getPath(made.id, 0));
  expect([hidden.status, hidden.body.error_code]).toEqual([404, "not_found"]);
  await tenant.api.patch(`/slideshows/${made.id}`, { status: "rendered" });
  for (const { id } of [made, byHand]) {
    const response = await tenant.api.post(getPath(id, 0));
    expect([response.status, response.body.error_code]).toEqual([409, "slideshow_not_draft"]);
    expect((await tenant.api.post(getPath(id, 99))).body.error_code).toBe("not_found");
  }
});

test("409 slideshow_changed when slides change during the request, and keeps the change", async () => {
  const tenant = await createTestTenant();
  for (const patch of [{ slides: [buildSlide("Mine")] }, { status: "rendered" }, null]) {
    const made = await generateSlideshow(tenant, { prompt: "tea", skip_ai: true, slide_count: 1 });
    const item = `/slideshows/${made.id}`;
    const run = async () => {
      await (patch ? tenant.api.patch(item, patch) : tenant.api.delete(item));
      return { response: { heading: "Too late", body: "" } };
    };
    const response = await tenant.api.call("POST", getPath(made.id, 0), { env: { MODEL_URL: undefined, AI: { run } } });
    expect([response.status, response.body.error_code]).toEqual([409, "slideshow_changed"]);
    const after = (await tenant.api.get(item)).body.data;
    if (patch) expect(after).toMatchObject({ status: patch.status ?? "draft", slide_count: 1 });
    expect(JSON.stringify(after ?? null)).not.toContain("Too late");
  }
});

test("502 and 503 leave the slide unchanged", async () => {
  const tenant = await createTestTenant();
  const word = createMarker();
  const made = await generateSlideshow(tenant, { prompt: word, skip_ai: true });
  await scriptModel(word, "garble", { times: 2 });
  const failed = await tenant.api.post(getPath(made.id, 0));
  expect([failed.status, failed.body.error_code]).toEqual([502, "generation_failed"]);
  const away = await tenant.api.call("POST", getPath(made.id, 0), { env: { MODEL_URL: undefined } });
  expect([away.status, away.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect((await tenant.api.get(`/slideshows/${made.id}`)).body.data).toEqual(made);
});

test("422 slide_undrawable for a draft in a language that no font has", async () => {
  const tenant = await createTestTenant();
  const made = await generateSlideshow(tenant, { prompt: `Write about ${createMarker()}`, slide_count: 2 });
  // As a draft from before the languages were limited.
  await queryRows(
    sql`update slideshows set generation = jsonb_set(generation, '{language}', '"dz"') where id = ${made.id} returning id`,
  );
  const response = await tenant.api.post(getPath(made.id, 0));
  expect([response.status, response.body.error_code]).toEqual([422, "slide_undrawable"]);
});
