// One slide of a generated draft, written anew: what changes, what stays, and when it is refused.
import { expect, test } from "vitest";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import { mintTenant } from "../harness.ts";
import { behave, created, generated, heard, mark, mintPack, slide, textsOf } from "./made.ts";

const path = (id: string, index: number | string) => `/slideshows/${id}/slides/${index}/regenerate`;

test("200 its words change where they stood; everything else stays", async () => {
  const tenant = await mintTenant();
  const { api } = tenant;
  const pack_id = await mintPack(tenant, ["https://example.com/1.png", "https://example.com/2.png"], false);
  const made = await generated(tenant, {
    prompt: `Tell of ${mark()} and other things that grow`,
    pack_id,
    slide_count: 3,
  });
  const moved = made.slides.map((one) => ({
    ...one,
    text_elements: one.text_elements.map((text) => ({ ...text, y: 77, text_color: "#ff0000" })),
  }));
  await api.patch(`/slideshows/${made.id}`, { slides: moved });
  const answer = await api.post(path(made.id, 1), { instruction: "Mention the weather outside, please" });
  expect(answer.status).toBe(200);
  const { slides, original_prompt } = answer.body.data as Slideshow;
  expect(original_prompt).toBe(made.original_prompt);
  expect([slides[0], slides[2]]).toEqual([moved[0], moved[2]]);
  expect(slides[1]?.image_url).toBe(moved[1]?.image_url);
  expect(slides[1]?.text_elements.map(({ content }) => content)).not.toEqual(
    moved[1]?.text_elements.map(({ content }) => content),
  );
  expect(slides[1]?.text_elements[0]).toMatchObject({ x: 50, y: 77, text_color: "#ff0000" });
  expect((await api.get(`/slideshows/${made.id}`)).body.data).toEqual(answer.body.data);
});

test("200 the model is told the brief, the texts as they are now, and the instruction", async () => {
  const tenant = await mintTenant();
  const word = mark();
  const made = await generated(tenant, { prompt: word, slide_count: 2, language: "de" });
  await tenant.api.post(path(made.id, 0), { instruction: "Shorter" });
  const last = (await heard(word)).at(-1);
  expect(JSON.parse(last?.asked.messages[1]?.content ?? "")).toEqual({
    topic: word,
    product: null,
    slideshow_type: "educational",
    language: "de",
    slides: ["title", "content"],
    texts: textsOf(made),
    rewrite: 0,
    instruction: "Shorter",
  });
});

test("200 a copy of it, and what skip_ai left empty, can be written too", async () => {
  const tenant = await mintTenant();
  const slide_config = { title_slide: false };
  const made = await generated(tenant, { prompt: "All of the tea", skip_ai: true, slide_count: 1, slide_config });
  const copy = (await tenant.api.post(`/slideshows/${made.id}/duplicate`)).body.data;
  await tenant.api.patch(`/slideshows/${copy.id}`, {
    slides: [{ image_url: null, text_elements: [{ content: "", x: 50, y: 50, text_color: "red" }] }],
  });
  const run = async () => ({ response: { heading: "Tea", body: "It wakes you." } });
  const env = { MODEL_URL: undefined, AI: { run } };
  const answer = await tenant.api.call("POST", path(copy.id, 0), { env });
  expect(answer.status).toBe(200);
  // Two texts do not fit where one stood.
  expect(answer.body.data.slides[0].text_elements).toEqual([
    { id: "heading", content: "Tea", x: 50, y: 30, text_color: "red" },
    { id: "body", content: "It wakes you.", x: 50, y: 58 },
  ]);
});

test("404 not_found for an index that is none, 422 for an instruction that is too long", async () => {
  const tenant = await mintTenant();
  const made = await generated(tenant, { prompt: "a", skip_ai: true, slide_count: 2 });
  for (const index of [2, -1, "first", "0x0", "1.0", "01", 99]) {
    const answer = await tenant.api.post(path(made.id, index));
    expect([answer.status, answer.body.error_code]).toEqual([404, "not_found"]);
  }
  const long = await tenant.api.post(path(made.id, 0), { instruction: "x".repeat(501) });
  expect([long.status, long.body.error_code]).toEqual([422, "invalid_payload"]);
  const missing = await tenant.api.post(`/slideshows/${made.id}/slides//regenerate`);
  expect([missing.status, missing.body.error_code]).toEqual([400, "missing_slide_id"]);
});

test("409 slideshow_not_draft when it is rendered or was made by hand; 404 for another workspace's", async () => {
  const [tenant, stranger] = [await mintTenant(), await mintTenant()];
  const made = await generated(tenant, { prompt: "a", skip_ai: true });
  const byHand = await created(tenant.api, { slides: [slide("a")] });
  const hidden = await stranger.api.post(path(made.id, 0));
  expect([hidden.status, hidden.body.error_code]).toEqual([404, "not_found"]);
  await tenant.api.patch(`/slideshows/${made.id}`, { status: "rendered" });
  for (const { id } of [made, byHand]) {
    const answer = await tenant.api.post(path(id, 0));
    expect([answer.status, answer.body.error_code]).toEqual([409, "slideshow_not_draft"]);
    expect((await tenant.api.post(path(id, 99))).body.error_code).toBe("not_found");
  }
});

test("409 slideshow_changed when its slides change while the model writes; the change stays", async () => {
  const tenant = await mintTenant();
  for (const patch of [{ slides: [slide("Mine")] }, { status: "rendered" }, null]) {
    const made = await generated(tenant, { prompt: "tea", skip_ai: true, slide_count: 1 });
    const item = `/slideshows/${made.id}`;
    const run = async () => {
      await (patch ? tenant.api.patch(item, patch) : tenant.api.delete(item));
      return { response: { heading: "Too late", body: "" } };
    };
    const answer = await tenant.api.call("POST", path(made.id, 0), { env: { MODEL_URL: undefined, AI: { run } } });
    expect([answer.status, answer.body.error_code]).toEqual([409, "slideshow_changed"]);
    const after = (await tenant.api.get(item)).body.data;
    if (patch) expect(after).toMatchObject({ status: patch.status ?? "draft", slide_count: 1 });
    expect(JSON.stringify(after ?? null)).not.toContain("Too late");
  }
});

test("502 and 503 leave the slide as it is", async () => {
  const tenant = await mintTenant();
  const word = mark();
  const made = await generated(tenant, { prompt: word, skip_ai: true });
  await behave(word, "garble", { times: 2 });
  const failed = await tenant.api.post(path(made.id, 0));
  expect([failed.status, failed.body.error_code]).toEqual([502, "generation_failed"]);
  const away = await tenant.api.call("POST", path(made.id, 0), { env: { MODEL_URL: undefined } });
  expect([away.status, away.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect((await tenant.api.get(`/slideshows/${made.id}`)).body.data).toEqual(made);
});
